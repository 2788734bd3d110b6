"""Which cells of published tables the stored tables of our studies match, and within which bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pandas as pd

from netplace.experiments.shared.statistics import constant

STUDIES = Path(__file__).parents[1] / "studies"
LIST = STUDIES / "published-cells.csv"
PRINTED = Path(__file__).parents[2] / "experiments" / "published"
Score = tuple[int, int, str]  # cells met, cells, what a constant meets
LISTED = ["cell", "quantity", "printed", "ours", "matched"]  # what the list of cells says of each


# Printed values beside ours, a row each: LISTED, and the bounds `least` and `most` if there are any.
Cells = pd.DataFrame
# What is met: the least and the most of ours, for printed values.
Bounds = Callable[[pd.Series], tuple[pd.Series, pd.Series]]


def share(part: float | pd.Series) -> Bounds:
    """Return bounds within a part of the printed value."""
    return lambda printed: (printed - part * printed.abs(), printed + part * printed.abs())


def points(most: float) -> Bounds:
    """Return bounds within a difference from the printed value."""
    return lambda printed: (printed - most, printed + most)


def twice(printed: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Return bounds within a factor of two."""
    return 0.5 * printed, 2 * printed


def cells(
    frame: pd.DataFrame,
    ours: str,
    printed: str,
    bounds: Bounds,
    names: tuple[str, ...] = (),
    by: str = "",
) -> Cells:
    """Return the cells of a stored table with a printed value, met within bounds.

    The columns before the first with fractions name a cell, unless `names` does; one constant is chosen for
    each value of the column `by`.
    """
    frame = frame[frame[printed].notna()]
    fractions = [name for name in frame if pd.api.types.is_float_dtype(frame[name])]
    first = list(frame).index(fractions[0]) if fractions else len(frame.columns)
    labels = frame[list(names) or [name for name in list(frame)[:first] if name not in (ours, printed)]]
    least, most = bounds(frame[printed])
    return Cells(
        {
            "cell": [", ".join(map(str, row)) for row in labels.itertuples(index=False)],
            "quantity": frame[by] if by else ours,
            "printed": frame[printed],
            "ours": frame[ours],
            "matched": frame[ours].between(least - 1e-9, most + 1e-9),
            "least": least,
            "most": most,
        }
    )


def score(found: Cells) -> Score:
    """Return how many cells are met, of how many, and how many one constant a quantity meets."""
    met = int(found["matched"].sum())
    if "least" not in found:  # Verdicts, and orders that a coin would meet in half of the cases.
        return met, len(found), f"a coin {len(found) / 2:g}" if (found["printed"] == "held").all() else "-"
    by_constant = sum(constant(own["least"], own["most"])[1] for _, own in found.groupby("quantity"))
    return met, len(found), str(by_constant)


def near(file: str, ours: str, printed: str, bounds: Bounds) -> Cells:
    """Return the cells of a stored table, met within bounds."""
    frame = pd.read_csv(STUDIES / file, keep_default_na=False, na_values=[""])  # NA is a metric.
    return cells(frame, ours, printed, bounds)


def selection(file: str) -> Cells:
    """Return the cells of schedules by box rule and mapping: ratios to CS-BM, and utilizations."""
    frame = pd.read_csv(STUDIES / file)
    others = frame[frame["strategy"] != "CS-BM"]
    ratios = [f"{name} / CS-BM" for name in ("started", "head_wait", "run")]
    parts = [cells(others, name, f"printed {name}", share(0.05)) for name in ratios]
    return pd.concat([*parts, cells(frame, "utilisation", "printed utilisation", points(0.05))])


def _mapped(table: str) -> pd.DataFrame:
    frame = pd.read_csv(STUDIES / f"td-vs-classic{_TD[table]}" / f"table-{table}.csv")
    return frame.assign(ours=frame["ours / published"] * frame["published"])


def mappings(table: str) -> Cells:
    """Return run times by mapping: met within 1 % for consecutive unless nodes are drawn, 5 % for others."""
    frame = _mapped(table)
    fixed = (frame["mapping"] == "consecutive") & (table != "3c")
    part = fixed.map({True: 0.01, False: 0.05})[frame["published"].notna()]
    return cells(frame, "ours", "published", share(part), names=("app", "mapping"))


def normalized() -> Cells:
    """Return the cells of JPDC 1b, 2 and 3c over the best of consecutive, random and TD means."""
    parts = []
    for table in ("1b", "2", "3c"):
        frame = _mapped(table)
        own = frame[frame["mapping"].isin(["consecutive", "random", "td"]) & frame["published"].notna()]
        least = own.groupby("app")[["ours", "published"]].transform("min")
        relative = own[["ours", "published"]] / least
        parts.append(own[["app", "mapping"]].assign(table=table).join(relative))
    frame = pd.concat(parts, ignore_index=True)
    return cells(frame, "ours", "published", share(0.05), names=("table", "app", "mapping"), by="mapping")


def by_quantity(file: str) -> Cells:
    """Return the printed values of each quantity, met exactly; solving times are not compared."""
    frame = pd.read_csv(STUDIES / file)
    own = frame[~frame["quantity"].str.startswith("solving time")]
    return cells(own, "ours", "published", points(0), names=("instance", "quantity"), by="quantity")


def selections() -> Cells:
    """Return shares of equal choices of processor sets, met within a percentage point."""
    frame = pd.read_csv(STUDIES / "allocators" / "sets.csv")
    printed = {"quality, first": 1 - 23 / 4272, "nodes, coin": 15155 / 15210}
    named = frame.assign(choice=frame["rule"] + ", " + frame["tie"], equal=frame["equal"] / frame["compared"])
    named["printed"] = named["choice"].map(printed)
    return cells(named, "equal", "printed", points(0.01), names=("choice",), by="choice")


def exchanged(file: str) -> Cells:
    """Return times relative to contiguous ones, with tasks outside the subtree."""
    frame = pd.read_csv(STUDIES / file)
    return cells(frame[frame["layout"] != "contiguous"], "to contiguous", "published", share(0.10))


def gains(file: str, machine: str) -> Cells:
    """Return gains over the free list along rows, met within a factor of two."""
    frame = pd.read_csv(STUDIES / file)
    own = frame[(frame["machine"] == machine) & (frame["partition"] != "curve:row,free-list")]
    own = own.assign(gain=1 - own["ratio"], printed=1 - own["printed ratio"])
    return cells(own, "gain", "printed", twice, names=("partition",))


def visits() -> Cells:
    """Return visited nodes, met within a factor of two, where any are printed."""
    frame = pd.read_csv(STUDIES / "first-fit" / "visits.csv")
    names = ("network", "load", "set")
    parts = [
        cells(frame[frame[f"printed {search}"] > 0], search, f"printed {search}", twice, names)
        for search in ("found", "failed")
    ]
    return pd.concat(parts)


def speed_ups() -> Cells:
    """Return speed-ups needed, first come, first served and backfilling by place."""
    files = ("quasi-contiguous-published/published.csv", f"{_BF}.csv")
    frame = pd.concat([pd.read_csv(STUDIES / file) for file in files], ignore_index=True)
    names = ("workload", "policy", "allocation")
    return cells(frame, "speed-up needed", "printed", points(5), names=names)


def ratios() -> Cells:
    """Return ratios of the times of jobs on a full machine, met within a factor of two."""
    files = {"mesh": "first-fit/mesh-ratios.csv", "torus": "first-fit/torus-ratios.csv"}
    parts = [pd.read_csv(STUDIES / file).assign(network=network) for network, file in files.items()]
    frame = pd.concat(parts, ignore_index=True)
    return cells(frame, "load 2", "published", twice, names=("network", "ratio"))


def verdicts() -> Cells:
    """Return the verdicts on two or three dimensions; a constant has none."""
    frame = pd.read_csv(STUDIES / "mesh-2d-or-3d" / "verdicts.csv", dtype=str)
    frame["cell"] = frame["verdict"] + ", " + frame["app"]
    return Cells(
        frame.assign(quantity="verdict", printed="yes", ours=frame["met"], matched=frame["met"] == "yes")
    )


def orders(file: str) -> Cells:
    """Return the published orders that were tried."""
    frame = pd.read_csv(STUDIES / f"{file}.csv", dtype=str)
    own = frame[frame["verdict"] != "not tried"]
    names = [name for name in ("on", "figure", "metric", "order", "rule", "next") if name in own]
    named = own[names].agg(", ".join, axis=1)
    held = own["verdict"] == "held"
    return Cells(own.assign(cell=named, quantity="order", printed="held", ours=own["verdict"], matched=held))


Count = Callable[[], Cells]
Rows = list[tuple[str, str, Count, str, str]]
_TD = {"1a": "", "1b": "", "2": "", "3a": "-shared", "3b": "-shared", "3c": "-random"}
_METRICS = "partition-metrics/correlations-2d-W.csv"
_BF = "quasi-contiguous-published-bf/published-bf"
_CHOICE = "the paper does not state which tasks were outside"
_TRACES = "the paper states neither the traces of class IV nor the shares of sizes"
_T3D = "best fit along the Hilbert curve; the log of LLNL's T3D is missing"
_SIGN = "sign of the mean and of most weeks"
_BPS = (
    "BPS for class II, TDM for class III: the paper does not state the weights of rounds in sweeps and meshes"
)
ROWS: Rows = [
    ("PDP, thesis 3.1", "placement-effects",
     lambda: near("placement-effects/torus-16-times.csv", "to best", "published", share(0.1)), "10 %", ""),
    ("thesis 3.2, 8x8 torus", "placement-effects",
     lambda: near("placement-effects/torus-1-times.csv", "to best", "published", share(0.1)), "10 %", ""),
    ("thesis 3.2, quadrant of a larger torus", "placement-effects",
     lambda: near("placement-effects/in-quadrant-times.csv", "to best", "published", share(0.1)), "10 %",
     "a quadrant of a larger torus lacks the links that close its rings"),
    *[(f"JPDC {table}", "td-vs-classic", partial(mappings, table),
       "1 % consecutive, 5 % others", why)
      for table, why in (
        ("1a", "FT: all mappings have the same cost; the paper does not state how the construction chooses"),
        ("1b", "IS consecutive; IS classic and td, as FT above"),
        ("2", ""),
        ("3a", "two draws of each mapping; IS as above"),
        ("3b", "two draws of each mapping; FT, IS as above"),
        ("3c", "two partitions, one draw of each mapping; BT, FT and IS classic"))],
    ("thesis 3.3 and 3.4", "td-vs-classic", normalized, "5 %", "as in JPDC 1b and 3c"),
    ("DCAI, verdicts", "mesh-2d-or-3d", verdicts, "3 % count as equal",
     "MG on 4x4x4: td is no faster than classic"),
    ("LOC 5 (classes)", "partition-selection",
     lambda: selection("partition-selection/classes.csv"), "5 %", _BPS),
    ("thesis 3.5", "partition-selection",
     lambda: selection("partition-selection/large.csv"), "5 %", _TRACES),
    ("thesis 3.6", "partition-selection",
     lambda: near("partition-selection/break-even.csv", "break-even", "printed", points(10)),
     "10 points", _TRACES),
    ("thesis 3.7, ratios of times", "first-fit", ratios, "a factor of 2",
     "our failing IFF searches examine each row; the paper does not state which rows its searches skip"),
    ("IFF, visited nodes", "first-fit", visits, "a factor of 2",
     "failing searches: the paper states neither their frequency nor the occupancy of the machine"),
    ("MET 2, 2-D correlations", "partition-metrics",
     lambda: near(_METRICS, "r", "published", points(0.1)), "0.1",
     "metrics of the nodes for CG and MG"),
    ("MET 3, 3-D correlations", "partition-metrics",
     lambda: near("partition-metrics-3d/correlations-3d-W.csv", "r", "published", points(0.1)), "0.1",
     "two metrics by little; the printed cells of one application were available"),
    ("thesis 3.9", "quasi-contiguity",
     lambda: exchanged("quasi-contiguity/together.csv"), "10 %", _CHOICE),
    ("JSSPP, thesis 3.10", "quasi-contiguous", speed_ups, "5 points",
     "HPC2N, for an unknown reason; in the paper, backfilling may reserve a number of nodes"),
    ("WADS 1", "allocators",
     lambda: near("allocators/decisions.csv", "ratio", "printed", share(0.02)), "2 %", _T3D),
    ("CLUSTER 1, gains", "allocators",
     partial(gains, "allocators/stream.csv", "torus:8x8,c=4, first four rows"), "a factor of 2", ""),
    ("PSS 6.2, equal choices", "allocators", selections, "1 point", ""),
    ("Marra, section 4", "power", lambda: by_quantity("power/instances.csv"), "exact",
     "the printed energy of test 2 is not that of the printed solution"),
    ("Mendonca 2.2", "two-kinds",
     lambda: near("two-kinds/workers.csv", "greedy", "published", share(0.2)), "20 %",
     "two numbers of workers by little"),
    ("Mendonca 2.4 and 2.5", "two-kinds",
     lambda: near("two-kinds/databases.csv", "greedy", "published", share(0.2)),
     "20 %", "the speed of workers with smaller databases is not published"),
    ("Mendonca 3.1, tasks", "redirection",
     lambda: near("redirection/instances.csv", "tasks", "published", share(0.1)), "10 %", ""),
    ("Mendonca 5.13 to 5.16, orders among rules of one kind", "local-backfilling",
     lambda: orders("local-backfilling/kinds-as-told"), _SIGN,
     "beplat uses fewer clusters than beloc, and on LLNL-Thunder also fewer pieces than becont"),
]  # fmt: skip


def lines() -> Iterator[list[str]]:
    """Yield the rows of the table of the page."""
    for table, page, count, within, why in ROWS:
        met, total, by_constant = score(count())
        differs = why if met < total else ""
        yield [table, f"[{page}]({page}.md)", str(met), by_constant, str(total), within, differs]


def listed() -> pd.DataFrame:
    """Return every cell of the page's table beside ours, with six significant digits."""
    frame = pd.concat([count()[LISTED].assign(table=table) for table, _, count, _, _ in ROWS])
    for name in ("printed", "ours"):
        frame[name] = [value if isinstance(value, str) else f"{value:.6g}" for value in frame[name]]
    return frame[["table", *LISTED]].replace({"matched": {True: "yes", False: "no"}})
