"""Which box a job should get, and how its tasks should sit in it: the published study of a 3-D torus.

Sources: J. A. Pascual, J. Miguel-Alonso and J. A. Lozano, "Locality-aware policies to improve job scheduling
on 3D tori", J. Supercomput. 71 (2015) 966-994; J. A. Pascual, thesis, UPV/EHU 2013, Tables 3.5 and 3.6.

Seventeen applications of four classes in the published sizes run their messages once, in boxes of the
published shapes, under three mappings and the best of them. Means are those of 30 batches of time, on a
saturated machine. What intensities, in packets a message, were used is not told, nor what the shares of the
sizes are: our times have another scale, so that cells are compared relative to CS with the best mapping of
the same workload.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from netplace.experiments.plots.bars import draw_bars
from netplace.experiments.studies.box_times import BEST, BoxTimes, most_cubic, named, run_in_box, shapes
from netplace.experiments.studies.crossing import crossing
from netplace.experiments.studies.report import Report, ReportTable
from netplace.experiments.studies.schedules import kept_outcomes
from netplace.experiments.studies.selection_schedules import MEASURES, Case, Machine, carry_out, key_of
from netplace.experiments.studies.statistics import best
from netplace.experiments.studies.study import Asked, Bench, Row, Study, measured, published
from netplace.scheduling.workload import PUBLISHED_CLASSES, SIZES
from netplace.scheduling.workload.published_classes import published_sizes

__all__ = ["STUDY"]

FULL = Machine("torus:32x32x32", 2000, 512, 5)
SMALL = Machine("torus:8x8x8", 60, 16, 2)
LONGEST = (32, 32, 32)
CHOSEN = ("low", "medium")
MAPPINGS = {"CM": "consecutive", "RM": "random", "TDM": "td:iterations=1000", "BM": BEST}
STRATEGIES = [(rule, name) for rule in ("CS", "FS") for name in MAPPINGS] + [("BPS", "BM")]
SLOWDOWNS = (0, 10, 20, 30, 40, 50, 60)
MIXED = "I-IV"
# What a printed job of a mixed workload takes, in nodes times cycles, says that class IV runs far longer than
# its traces do here, as if its messages were sent so many times; more of them change little.
LONGER = 100
PARTS = {
    "run-times": "the run-time table: the best box and mapping of each application and size",
    "large": "schedules of all classes, large sizes (thesis, Table 3.5)",
    "medium": "schedules of all classes, medium sizes",
    "small": "schedules of all classes, small sizes",
    "classes": "schedules of each class, medium sizes (J. Supercomput., Table 5)",
    "classes-rounded": "as classes, sizes drawn of all and rounded up (J. Supercomput., Table 5)",
    "break-even": "how much slower scattered jobs may be, three sizes (thesis, Table 3.6)",
    "large-longer": f"as large, class IV {LONGER} times as long (thesis, Table 3.5)",
    "break-even-longer": f"as break-even, class IV {LONGER} times as long (thesis, Table 3.6)",
}
ALIKE = 0.05  # share by which a ratio may differ, and difference of a utilisation
NEAR = 10.0  # points by which a break-even may differ


def rows(asked: Asked) -> list[Row]:
    """Return the runs of the run-time table."""
    return [
        run_in_box(name, intensity, nodes, shape, mapping)
        for intensity, name, nodes in _kinds(asked.quick)
        for shape in shapes(nodes, LONGEST, lines=False)
        for mapping in MAPPINGS.values()
        if mapping != BEST
    ]


def _kinds(quick: bool) -> Iterator[tuple[str, str, int]]:
    """Yield intensity, application and size of all jobs, the cheapest first."""
    for intensity, name in itertools.product(_intensities(quick), PUBLISHED_CLASSES[MIXED]):
        yield from (
            (intensity, name, nodes) for nodes in published_sizes(name) if nodes <= _machine(quick).largest
        )


def _intensities(quick: bool) -> tuple[str, ...]:
    return CHOSEN[:1] if quick else CHOSEN


def _machine(quick: bool) -> Machine:
    return SMALL if quick else FULL


def cases(asked: Asked) -> list[Case]:
    """Return the schedules that are asked for."""
    found: dict[Case, None] = {}
    for part in asked.parts:
        name, longer = _read(part)
        if name in SIZES:
            found |= dict.fromkeys(_strategies(name, MIXED, longer))
        elif name.startswith("classes"):
            groups = [name for name in PUBLISHED_CLASSES if name != MIXED]
            rounded = name != "classes"
            found |= dict.fromkeys(
                replace(case, rounded=rounded) for name in groups for case in _strategies("medium", name)
            )
        elif name == "break-even":
            for sizes in SIZES:
                boxes = [Case(sizes, MIXED, rule, BEST, longer=longer) for rule in ("CS", "FS", "BPS")]
                apart = [Case(sizes, MIXED, "scattered", BEST, slowdown, 0, longer) for slowdown in SLOWDOWNS]
                found |= dict.fromkeys([*boxes, *apart])
    return list(found)


def _read(part: str) -> tuple[str, int]:
    """Return what a part is, and how many times jobs of class IV run their messages in it."""
    name = part.removesuffix("-longer")
    return name, 1 if name == part else LONGER


def _strategies(sizes: str, classes: str, longer: int = 1) -> list[Case]:
    return [Case(sizes, classes, rule, MAPPINGS[name], longer=longer) for rule, name in STRATEGIES]


def conduct(asked: Asked, bench: Bench) -> Report:
    """Fill the run-time table, make the schedules, and report."""
    runs = measured(rows(asked), bench)
    times = {mapping: BoxTimes(runs, mapping, cycle=1.0) for mapping in MAPPINGS.values()}
    machine, chosen = _machine(asked.quick), _intensities(asked.quick)
    tables, told, figures = [], [_ABOUT], {}
    if "run-times" in asked.parts:
        tables.append(_best_boxes(runs))
        told.append(_of_boxes(tables[0].frame))
    wanted = {key_of(case, machine, chosen): case for case in cases(asked)}
    make = partial(carry_out, tables=times, machine=machine, intensities=chosen)
    found = pd.DataFrame(
        {"rounded": False} | one for one in kept_outcomes(wanted, make, asdict, bench).values()
    )
    for part in asked.parts:
        name, longer = _read(part)
        mixed = found[(found["classes"] == MIXED) & (found["longer"] == longer)] if len(found) else found
        if name in SIZES:
            own = mixed[(mixed["sizes"] == name) & (mixed["selection"] != "scattered")]
            cells = cells_of(own, _printed(name, asked.quick))
        elif name.startswith("classes"):
            own = found[(found["classes"] != MIXED) & (found["rounded"] == (name != "classes"))]
            cells = cells_of(own, _printed("classes", asked.quick))
        elif name == "break-even":
            cells = break_evens(mixed)
            tables.append(ReportTable(part, f"{PARTS[part]}, {machine.network}", cells, _POINTS))
            told.append(f"{part}: {_of_break_evens(cells)}")
            continue
        else:
            continue
        tables.append(ReportTable(part, f"{PARTS[part]}, FCFS on {machine.network}", cells, _DIGITS))
        told += [f"{part}: {sentence}" for sentence in _of_cells(cells)]
        figures[part] = partial(_draw, cells=cells, title=PARTS[part])
    return Report(tuple(tables), tuple(told), figures)


_ABOUT = (
    "Times are in cycles, jobs of 10^7 cycles. `/ CS-BM`: relative to CS with the best mapping of the same "
    "class; beside it what the printed cells give. `*` marks the most jobs of a class, `=` what cannot be "
    "told from it (Kruskal-Wallis over batches, 0.05)."
)


def _printed(part: str, quick: bool) -> pd.DataFrame:
    """Return what is printed of a part; nothing for the quick version, whose machine is too small."""
    table = published("pascual_selection_medium_by_class.csv")
    if part != "classes":
        table = published("pascual_selection_large_mixed.csv")
        table = table[table["sizes"] == part].assign(**{"class": MIXED})
    return table.iloc[:0] if quick else table


def cells_of(found: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each class and strategy: our figures, and ratios to CS-BM beside the printed ones."""
    names = {mapping: name for name, mapping in MAPPINGS.items()}
    theirs = printed.set_index(["class", "strategy", "measure"])["value"]
    made = []
    for classes, group in found.groupby("classes", sort=False):
        own = group.assign(strategy=group["selection"] + "-" + group["mapping"].map(names))
        own = own.set_index("strategy")
        winners = best({name: [-jobs for jobs in own.at[name, "batches"]] for name in own.index})
        for strategy in own.index:
            row: dict[str, Any] = {"class": classes, "strategy": strategy}
            for name in MEASURES:
                row[name] = float(own.at[strategy, name])
                if name == "utilisation":
                    row["printed utilisation"] = theirs.get((classes, strategy, name), float("nan"))
                    continue
                row[f"{name} / CS-BM"] = row[name] / float(own.at["CS-BM", name])
                base, cell = (
                    theirs.get((classes, key, _PRINTED[name]), float("nan")) for key in ("CS-BM", strategy)
                )
                row[f"printed {name} / CS-BM"] = cell / base
            row["most"] = "*" if strategy == winners[0] else "=" if strategy in winners else ""
            made.append(row)
    return pd.DataFrame(made)


_PRINTED = {"started": "jobs_per_1e7_cycles", "head_wait": "head_waiting_cycles", "run": "run_cycles"}
_DIGITS = {"started": 0, "head_wait": 1, "run": 0, "utilisation": 3, "printed utilisation": 2} | {
    f"{origin}{name} / CS-BM": 3 for origin in ("", "printed ") for name in _PRINTED
}


def _of_cells(cells: pd.DataFrame) -> list[str]:
    told = []
    compared, near = 0, 0
    for name in _PRINTED:
        theirs = cells[f"printed {name} / CS-BM"]
        use = theirs.notna() & (cells["strategy"] != "CS-BM")
        off = (cells.loc[use, f"{name} / CS-BM"] / theirs[use] - 1).abs()
        compared, near = compared + len(off), near + int((off <= ALIKE).sum())
    level = cells["printed utilisation"].notna()
    off = (cells.loc[level, "utilisation"] - cells.loc[level, "printed utilisation"]).abs()
    compared, near = compared + len(off), near + int((off <= ALIKE).sum())
    if compared:
        told.append(f"{near} of {compared} printed cells (ratios to CS-BM, utilisations) within {ALIKE:.0%}.")
    product = cells["started"] * cells["head_wait"] / 1e7
    told.append(
        f"jobs times mean head waiting is {product.min():.3f} to {product.max():.3f} of 10^7 cycles "
        "(printed: 1)."
    )
    for classes, own in cells.groupby("class", sort=False):
        first = own.loc[own["started"].idxmax(), "strategy"]
        told.append(f"class {classes}: most jobs with {first}.")
    return told


def break_evens(found: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each mix of sizes and rule: the slowdown at which as many scattered jobs start."""
    printed = published("pascual_break_even_percent.csv").set_index(["sizes", "strategy"])["slowdown_percent"]
    made = []
    for sizes, group in found.groupby("sizes", sort=False):
        apart = group[group["selection"] == "scattered"].sort_values("slowdown")
        if apart.empty:
            continue
        jobs = apart["started"].to_numpy()
        boxes = group[(group["selection"] != "scattered") & (group["mapping"] == BEST)].set_index("selection")
        ideal = float(boxes.at["BPS", "node_time"])
        for rule, own in boxes.iterrows():
            strategy = f"{rule}-BM"
            held = float(apart["utilisation"].iloc[0])
            closed = held / own["utilisation"] * own["node_time"] / ideal - 1
            point = crossing(apart["slowdown"].tolist(), own["started"] / jobs)
            theirs = printed.get((sizes, strategy), float("nan"))
            made.append(
                {
                    "sizes": sizes,
                    "strategy": strategy,
                    "util. scattered": held,
                    "util. boxes": own["utilisation"],
                    "break-even": point,
                    "closed form": 100 * closed,
                    "printed": theirs,
                    "difference": point - theirs,
                }
            )
    return pd.DataFrame(made)


_POINTS = {
    "util. scattered": 3, "util. boxes": 3, "break-even": 1, "closed form": 1, "printed": 0, "difference": 1,
}  # fmt: skip


def _of_break_evens(cells: pd.DataFrame) -> str:
    known = cells[cells["printed"].notna()]
    near = int((known["difference"].abs() <= NEAR).sum())
    spread = f"{cells['break-even'].min():.0f} to {cells['break-even'].max():.0f} %"
    return (
        f"{spread}; {near} of {len(known)} printed cells within {NEAR:g} points. The closed form "
        "is (utilisation scattered / in boxes) x (node-time in boxes / under BPS) - 1."
    )


def _best_boxes(runs: pd.DataFrame) -> ReportTable:
    """Return the best box and mapping of each application and size, and what others take beside it."""
    found = []
    for (name, intensity, nodes), group in runs.groupby(["application", "intensity", "nodes"], sort=False):
        least = group.loc[group["cycles"].idxmin()]
        boxes = group.groupby("shape")["cycles"].min()
        rules = group[group["shape"] == least["shape"]].set_index("mapping")["cycles"]
        found.append(
            {
                "application": name,
                "intensity": intensity,
                "nodes": nodes,
                "best box": least["shape"],
                "best mapping": least["mapping"].partition(":")[0],
                "cycles": least["cycles"],
                "worst box": boxes.max() / least["cycles"],
                "worst mapping": rules.max() / least["cycles"],
            }
        )
    digits = {"nodes": 0, "cycles": 0, "worst box": 2, "worst mapping": 2}
    title = "Best box and mapping; the worst box with its best mapping, and the worst mapping, relative to it"
    return ReportTable("run-times", title, pd.DataFrame(found), digits)


def _of_boxes(frame: pd.DataFrame) -> str:
    cubic = [named(most_cubic(nodes)) for nodes in frame["nodes"]]
    same = (frame["best box"] == cubic).mean()
    third = frame[frame["application"].isin(PUBLISHED_CLASSES["III"])]
    kept = [
        box == named(most_cubic(nodes)) and mapping == "consecutive"
        for box, nodes, mapping in zip(third["best box"], third["nodes"], third["best mapping"], strict=True)
    ]
    return (
        f"Of {len(frame)} kinds of jobs, {same:.0%} are fastest in the most cubic box. The cube with the "
        f"consecutive mapping is best for {sum(kept)} of {len(kept)} of class III (published: all)."
    )


def _draw(path: Path, cells: pd.DataFrame, title: str) -> None:
    """Draw the jobs of each strategy relative to CS-BM, a group for each class."""
    groups = list(dict.fromkeys(cells["class"]))
    series = {}
    for rule, name in STRATEGIES:
        own = cells[cells["strategy"] == f"{rule}-{name}"].set_index("class")
        series[f"{rule}-{name}"] = [(float(own.at[group, "started / CS-BM"]), 0.0) for group in groups]
    draw_bars(path, groups, series, title, "jobs / those of CS-BM")


STUDY = Study(
    name="partition-selection",
    title="Shapes of partitions and mappings, and what they give the whole machine",
    source="Pascual, Miguel-Alonso and Lozano, J. Supercomput. 71 (2015) 966-994; Pascual, thesis, 2013",
    parts=PARTS,
    usual=tuple(PARTS),
    conduct=conduct,
)
