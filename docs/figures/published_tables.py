"""Write docs/studies/published-tables.md from the tables that studies left beside it: which cells are met."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pandas as pd

from netplace.experiments.shared.statistics import constant

STUDIES = Path(__file__).parents[1] / "studies"
PAGE = STUDIES / "published-tables.md"
LIST = STUDIES / "published-cells.csv"
PRINTED = Path(__file__).parents[2] / "experiments" / "published"
HEAD = """# Published tables, cell by cell

This page shows how many cells of each published table on allocation and mapping our results match, and with
which tolerance. *A constant* is the number of cells that the best constant would match: one constant is
chosen for each quantity of a table, with knowledge of the cells. If a study matches no more cells than
this, it does not reproduce the differences between the printed cells. For orders, the baseline is a coin
toss, which matches half of them. [The sources](sources.md) page names the papers that the first column
abbreviates. Each table has one row, for the literal interpretation of the paper, even if another
interpretation matches more cells.
[`published-cells.csv`](published-cells.csv) lists every cell of the first two tables: the printed value,
ours, and whether they match. `docs/figures/published_tables.py` generates the page and the list from tables
in the folders of the studies. The pages of the studies explain why cells differ.

"""
APPENDIX = """
## Other interpretations

The rows in this table are for other possible meanings of the papers, and for assumptions about details that
the papers omit. We tried them after the runs for the table above. They show how much depends on an
interpretation, and are not results: even if an interpretation matches many cells, this is only weak
evidence that it is the right one.

"""
COLUMNS = """| published table | study | matched | a constant | of | tolerance | where cells differ |
|---|---|---:|---:|---:|---|---|
"""
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


def score(found: Cells | Score) -> Score:
    """Return how many cells are met, of how many, and how many one constant a quantity meets."""
    if isinstance(found, tuple):
        return found
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


def best_reading() -> Score:
    """Return the score of the reading of tasks outside the subtree that meets most."""
    files = ("quasi-contiguity-readings/readings.csv", "quasi-contiguity-readings-ft/readings-ft.csv")
    frame = pd.concat([pd.read_csv(STUDIES / file) for file in files])
    sums = frame.groupby("reading")[["met", "of"]].sum()
    best = sums.loc[sums["met"].idxmax()]
    return int(best["met"]), int(best["of"]), score(exchanged("quasi-contiguity/together.csv"))[2]


def programs_of_class_a() -> Score:
    """Return the score of generated programs of class A, neighbors straying together, one level up."""
    frame = pd.read_csv(STUDIES / "quasi-contiguity-programs" / "programs.csv").set_index(
        ["program", "reading"]
    )
    own = frame.loc[("A generated", "leaf, one level, together")]
    return int(own["met"]), int(own["of"]), score(exchanged("quasi-contiguity/together.csv"))[2]


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


def orders(file: str, figures: tuple[str, ...] = ()) -> Cells:
    """Return the published orders that were tried, of all figures or of some."""
    frame = pd.read_csv(STUDIES / f"{file}.csv", dtype=str)
    own = frame[frame["figure"].isin(figures or frame["figure"]) & (frame["verdict"] != "not tried")]
    names = [name for name in ("on", "figure", "metric", "order", "rule", "next") if name in own]
    named = own[names].agg(", ".join, axis=1)
    held = own["verdict"] == "held"
    return Cells(own.assign(cell=named, quantity="order", printed="held", ours=own["verdict"], matched=held))


def class_a() -> Cells:
    """Return correlations that are printed for class A beside ours of class W."""
    keys = ["app", "metric"]
    printed = pd.read_csv(PRINTED / "partition_metric_correlations_2d.csv", keep_default_na=False)
    own = pd.read_csv(STUDIES / _METRICS, keep_default_na=False)[[*keys, "r"]]
    found = own.merge(printed[printed["npb_class"] == "A"], on=keys)
    return cells(found, "r", "pearson_r", points(0.1), names=("app", "metric"))


Count = Callable[[], Cells | Score]
Rows = list[tuple[str, str, Count, str, str]]
_TD = {"1a": "", "1b": "", "2": "", "3a": "-shared", "3b": "-shared", "3c": "-random"}
_METRICS = "partition-metrics/correlations-2d-W.csv"
_BF = "quasi-contiguous-published-bf/published-bf"
_CHOICE = "the paper does not state which tasks were outside"
_TRACES = "the paper states neither the traces of class IV nor the shares of sizes"
_T3D = "best fit along the Hilbert curve; the log of LLNL's T3D is missing"
_SIGN = "sign of the mean and of most weeks"
_PLACES = ("5.13", "5.14", "5.15", "5.16")
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
READINGS: Rows = [
    ("MET 2, correlations printed for class A, ours of class W", "partition-metrics", class_a, "0.1",
     "metrics of the nodes for CG and MG; our runs of class A would take 15 hours"),
    *[(f"Mendonca {table}, knapsack step", "two-kinds",
       partial(near, f"two-kinds/{file}.csv", "knapsack", "published", share(0.2)), "20 %", why)
      for table, file, why in (
        ("2.2", "workers", ""),
        ("2.4 and 2.5", "databases", "the speed of workers with smaller databases is not published"))],
    ("LOC 5, sizes rounded up", "partition-selection",
     lambda: selection("partition-selection-classes/classes-rounded.csv"), "5 %", _BPS),
    ("LOC 5, messages as in INSEE's generators", "partition-selection",
     lambda: selection("partition-selection-insee/classes-insee-rounded.csv"), "5 %",
     "FS for class I, RM and TDM for class III"),
    ("thesis 3.5, class IV longer", "partition-selection",
     lambda: selection("partition-selection-longer/large-longer.csv"), "5 %", _TRACES),
    ("thesis 3.5, messages as in INSEE's generators", "partition-selection",
     lambda: selection("partition-selection-insee/large-insee-rounded.csv"), "5 %",
     "lower utilization with BPS; the paper states neither the GUPS updates nor the shares of sizes"),
    ("thesis 3.5, messages as in INSEE's generators, GUPS updates fitted", "partition-selection",
     lambda: selection("partition-selection-updates/large-updates-rounded.csv"), "5 %",
     "lower utilization with BPS"),
    ("thesis 3.6, class IV longer", "partition-selection",
     lambda: near("partition-selection-longer/break-even-longer.csv", "break-even", "printed", points(10)),
     "10 points", "lower utilization with BPS; the paper does not state the shares of sizes"),
    ("thesis 3.6, messages as in INSEE's generators", "partition-selection",
     lambda: near(
         "partition-selection-insee/break-even-insee-rounded.csv", "break-even", "printed", points(10)
     ),
     "10 points", "lower utilization with BPS"),
    ("thesis 3.6, messages as in INSEE's generators, GUPS updates fitted", "partition-selection",
     lambda: near(
         "partition-selection-updates/break-even-updates-rounded.csv", "break-even", "printed", points(10)
     ), "10 points", "medium sizes, CS-BM"),
    ("thesis 3.9, tasks one level up", "quasi-contiguity",
     lambda: exchanged("quasi-contiguity-one-level/one-level.csv"), "10 %", _CHOICE),
    ("thesis 3.9, the interpretation of twelve that matches most", "quasi-contiguity", best_reading,
     "10 %", _CHOICE),
    ("thesis 3.9, neighbors one level up, generated programs of class A", "quasi-contiguity",
     programs_of_class_a, "10 %", _CHOICE),
    ("thesis 3.9, tasks placed by the published algorithm", "quasi-contiguity",
     lambda: exchanged("quasi-contiguity-readings/first-fit.csv"), "10 %", _CHOICE),
    *[(f"thesis 3.10, backfilling reserves a number of nodes, {after}", "quasi-contiguous",
       partial(near, f"{_BF}{part}.csv", "speed-up needed", "printed", points(5)),
       "5 points", why)
      for after, part, why in (
        ("with force", "-counted", "kills jobs that were probably not killed in the paper"),
        ("with patience", "-patient", ""))],
    *[(f"WADS 1, sizes that are powers of two{also}", "allocators",
       partial(near, f"allocators-powers/decisions-{part}.csv", "ratio", "printed", share(0.02)), "2 %", _T3D)
      for part, also in (("powers", ""), ("both", ", interactive jobs as well"))],
    *[(f"CLUSTER 1, gains, {where}", "allocators",
       partial(gains, "allocators/stream.csv", machine), "a factor of 2", why)
      for where, machine, why in (
        ("every other row", "torus:8x8,c=4, every other row", ""),
        ("one processor per switch, torus", "torus:16x8", ""),
        ("one processor per switch, mesh", "mesh:16x8", "the machine has no idle rows"))],
    ("Mendonca 5.13 to 5.16, orders among all rules", "local-backfilling",
     lambda: orders("local-backfilling/claims_weeks", _PLACES), _SIGN,
     "forced rules rank before best-effort rules"),
    *[(f"Mendonca 5.13 to 5.16, {reading.replace('-', ' ')}", "local-backfilling",
       partial(orders, f"{folder}/kinds-{reading}"), _SIGN, why)
      for reading, folder, why in (
        ("longest-pieces-first", "local-backfilling", "beplat uses fewer clusters than beloc"),
        ("tightest-fit", "local-backfilling-kinds", "beplat uses as few clusters as beloc"))],
]  # fmt: skip


WORDS = """
## Claims in words

This table contains claims that Pascual's thesis and the Compute Process Allocator entry state in words. A
claim *holds* if the stored tables of the studies agree with it to within 10 % for a factor, a factor of two
for a gain, and 5 percentage points for the ends of a range. *By chance* is the number of cases in which
random orders or signs would be expected to agree; *-* means that the claim is not an order.

| claim | printed | ours | verdict | by chance |
|---|---|---|---|---|
"""
Verdict = tuple[str, bool | None, str]  # what is found here, whether it bears the claim out, by chance


def _table(file: str) -> pd.DataFrame:
    return pd.read_csv(STUDIES / f"{file}.csv")


def _at_most(files: tuple[str, ...], most: float) -> Verdict:
    worst = max(float(_table(file)["to best"].max()) for file in files)
    return f"{worst:.1f}", worst <= most, "-"


def _torus() -> Verdict:
    worst = float(_table("placement-effects/torus-16-times")["to best"].max())
    return f"{worst:.1f}", abs(worst / 8.5 - 1) <= 0.1, "-"


def _boxes() -> Verdict:
    own = _table("partition-selection-alone/boxes-alone")
    worst = float(own[own["application"] == "3d-mesh"]["to best"].max())
    return f"{worst:.1f}", worst > 6, "-"


def _utilization(column: str, strategy: str) -> Verdict:
    own = _table("partition-selection-longer/break-even-longer")
    values = own[own["strategy"] == strategy][column]
    held = bool((values < 0.8).all() if column == "util. boxes" else (abs(values - 0.99) <= 0.01).all())
    return f"{values.min():.3f} to {values.max():.3f}", held, "-"


def _speed_up(log: str, least: float, most: float) -> Verdict:
    own = _table("quasi-contiguous-published/published")
    values = own[own["workload"] == log]["speed-up needed"]
    held = bool((values - least).abs().min() <= 5 and (values - most).abs().min() <= 5)
    return f"{values.max():.0f} down to {values.min():.0f}", held, "-"


def _first_fit(search: str, sets: tuple[int, ...], seconds: float) -> Verdict:
    own = _table("first-fit/torus")
    own = own[(own["search"] == search) & own["set"].isin(sets)]
    values = own[[column for column in own if column.startswith("ms ")]].max(axis=1) / 1000
    held = bool((values <= seconds).all() if search == "IFF" else (values > seconds).all())
    return f"{values.min():.3g} to {values.max():.3g} s", held, "-"


def _stream() -> pd.Series:
    own = _table("allocators/stream")
    return own[own["machine"] == "torus:8x8,c=4, first four rows"].set_index("partition")["ratio"]


def _gain(of: str, over: str, printed: float) -> Verdict:
    own = _stream()
    gain = 100 * (1 - own[f"curve:{of}"] / own[f"curve:{over}"])
    return f"{gain:.0f} %", bool(0.5 * printed <= gain <= 2 * printed), "-"


def _overlap() -> Verdict:
    own = _table("allocators/overlap").dropna()
    own = own[own["columns"] == "every other"]
    values = own[["first", "second"]].to_numpy()
    return f"{values.min():.2f} to {values.max():.2f}", bool((abs(values / 2 - 1) <= 0.1).all()), "-"


def _scattering() -> Verdict:
    most = float(_table("non-contiguous-break-even/fcfs")["turnaround"].max())
    return f"{1 + most / 100:.2f}", 1 + most / 100 >= 2, "-"


def _decisions() -> Verdict:
    own = _table("allocators/decisions").pivot(index="situation", columns="decision", values="ratio")
    ranked = own[["mm+inc", "mm", "mc1x1", "curve:hilbert"]].to_numpy()
    held = int(((ranked[:, 1:] >= ranked[:, :-1]).all(axis=1)).sum())
    return f"in {held} of {len(own)} situations", held == len(own), f"{len(own) / 24:.1f} situations"


def _hops() -> Verdict:
    own = _table("allocators/hops")
    hops, span = own["r, hops"], own["r, ring span"]
    held = (hops > 0) & (span > 0) & (hops > span)
    return f"on {held.sum()} of {len(own)} machines", bool(held.all()), f"{len(own) / 8:.1f} machines"


def _intervals() -> Verdict:
    own = _stream()[[f"curve:hilbert,{rule}" for rule in ("first-fit", "best-fit", "sum-of-squares")]]
    apart = float(own.max() / own.min() - 1)
    return f"{100 * apart:.1f} % apart", apart <= 0.03, "-"


def _waits() -> Verdict:
    own = _table("allocators/stream")
    own = own[own["machine"] == "torus:8x8,c=4, first four rows"]
    large, small = (
        float(own["ratio"].corr(own[f"wait of {who}"], "spearman")) for who in ("largest", "others")
    )
    return f"rank correlation {large:.2f}, of smaller jobs {small:.2f}", large > 0.9 and small < 0.5, "0.00"


_ROWS_NOT = "the stored tables do not contain these runs: `netplace study placement-effects --table"
# A claim by the row of its file: what gives the verdict, or why there is none.
CLAIMS: dict[str, list[Callable[[], Verdict] | str]] = {
    "pascual_claims.csv": [
        lambda: _at_most(("placement-effects/torus-1-times", "placement-effects/tree-1-times"), 2.5),
        f"{_ROWS_NOT} tree-4`",
        _torus,
        f"{_ROWS_NOT} torus-4`",
        _boxes,
        lambda: _utilization("util. scattered", "CS-BM"),
        lambda: _utilization("util. boxes", "BPS-BM"),
        "the stored tables contain turnarounds, but no waiting times",
        lambda: _speed_up("HPC2N", 10, 25),
        lambda: _speed_up("LLNL-Thunder", 5, 30),
        lambda: _first_fit("IFF", (1, 2, 3, 4, 5), 0.015),
        lambda: _first_fit("NFF", (4, 5), 10),
    ],
    "cpa_claims.csv": [
        lambda: _gain("hilbert,free-list", "row,free-list", 14),
        lambda: _gain("hilbert,best-fit", "hilbert,free-list", 11),
        lambda: _gain("hilbert,best-fit", "row,free-list", 23),
        _overlap,
        _scattering,
        "in our study, runs with the same seed are identical",
        _decisions,
        _hops,
        _intervals,
        _waits,
    ],
}


def claims() -> pd.DataFrame:
    """Return the claims in words with what the stored tables say of each."""
    rows = []
    for file, verdicts in CLAIMS.items():
        printed = pd.read_csv(PRINTED / file, keep_default_na=False, dtype=str)
        for row, verdict in zip(printed.to_dict("records"), verdicts, strict=True):
            value = row.get("value") or " to ".join(dict.fromkeys(filter(None, (row["low"], row["high"]))))
            here, held, chance = ("", None, "") if isinstance(verdict, str) else verdict()
            word = f"not tried: {verdict}" if held is None else "holds" if held else "does not hold"
            rows.append((row["claim"], value, here, word, chance))
    return pd.DataFrame(rows, columns=["claim", "printed", "ours", "verdict", "by chance"])


def lines(rows: Rows) -> Iterator[str]:
    """Yield the rows of a table of the page."""
    for table, page, count, within, why in rows:
        met, total, by_constant = score(count())
        differs = why if met < total else ""
        yield f"| {table} | [{page}]({page}.md) | {met} | {by_constant} | {total} | {within} | {differs} |"


def listed() -> pd.DataFrame:
    """Return every cell of both tables of the page beside ours, with six significant digits."""
    parts = [(table, count()) for table, _, count, _, _ in ROWS + READINGS]
    frame = pd.concat(
        [own[LISTED].assign(table=table) for table, own in parts if isinstance(own, pd.DataFrame)]
    )
    for name in ("printed", "ours"):
        frame[name] = [value if isinstance(value, str) else f"{value:.6g}" for value in frame[name]]
    return frame[["table", *LISTED]].replace({"matched": {True: "yes", False: "no"}})


def page() -> str:
    """Return the page."""
    said, tried = ("\n".join(lines(rows)) + "\n" for rows in (ROWS, READINGS))
    words = claims()
    counts = words["verdict"].str.split(":").str[0].value_counts()
    counted = f"\n{counts.get('holds', 0)} claims hold, {counts.get('does not hold', 0)} do not hold, "
    counted += f"and {counts.get('not tried', 0)} were not tried.\n"
    spoken = "".join(f"| {' | '.join(row)} |\n" for row in words.to_numpy())
    return HEAD + COLUMNS + said + APPENDIX + COLUMNS + tried + WORDS + spoken + counted


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    listed().to_csv(LIST, index=False, lineterminator="\n")
