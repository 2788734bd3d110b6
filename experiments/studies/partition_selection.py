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
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import pandas as pd

from netplace.experiments.plots.bars import draw_bars
from netplace.experiments.studies.box_times import BEST, BoxTimes, most_cubic, named, run_in_box, shapes
from netplace.experiments.studies.report import Report, ReportTable
from netplace.experiments.studies.schedules import kept_outcomes
from netplace.experiments.studies.selection_cells import (
    DIGITS,
    POINTS,
    break_evens,
    cells_of,
    of_break_evens,
    of_cells,
)
from netplace.experiments.studies.selection_schedules import SCATTERED, Case, Machine, carry_out, key_of
from netplace.experiments.studies.selection_setups import SETUPS
from netplace.experiments.studies.study import Asked, Bench, Row, Study, measured, published
from netplace.scheduling.workload import PUBLISHED_CLASSES, SIZES
from netplace.scheduling.workload.published_classes import published_sizes

__all__ = ["STUDY"]

FULL = Machine("torus:32x32x32", 2000, 512, 5)
SMALL = Machine("torus:8x8x8", 60, 16, 2)
LONGEST = (32, 32, 32)
CHOSEN = ("low", "medium")
STRATEGIES = [(rule, name) for rule in ("CS", "FS") for name in ("CM", "RM", "TDM", "BM")] + [("BPS", "BM")]
SLOWDOWNS = (0, 10, 20, 30, 40, 50, 60)
MIXED = "I-IV"
TABLES = {
    "run-times": "the run-time table: the best box and mapping of each application and size",
    "large": "schedules of all classes, large sizes (thesis, Table 3.5)",
    "medium": "schedules of all classes, medium sizes",
    "small": "schedules of all classes, small sizes",
    "classes": "schedules of each class, medium sizes (J. Supercomput., Table 5)",
    "break-even": "how much slower scattered jobs may be, three sizes (thesis, Table 3.6)",
}
ROUNDED = "-rounded"
PARTS = TABLES | {"classes-rounded": f"{TABLES['classes']}, sizes drawn of all and rounded up"}
PARTS |= {
    f"run-times-{name}": f"{TABLES['run-times']}: {SETUPS[name].title}" for name in SETUPS if name != "plain"
}
PARTS |= {
    f"{table}-{name}{ending}": f"{TABLES[table]}: {SETUPS[name].title}{rounding}"
    for name in SETUPS
    if name != "plain"
    for table in TABLES
    if table != "run-times"
    for ending, rounding in (("", ""), (ROUNDED, "; sizes rounded up"))
}


@dataclass(frozen=True)
class Part:
    """What the name of a part says: its table, the set-up, and whether sizes are rounded up."""

    table: str
    setup: str
    rounded: bool


def read(part: str) -> Part:
    """Return what a part is, as ``"large-insee-rounded"``."""
    name = part.removesuffix(ROUNDED)
    for setup in SETUPS:
        if name.endswith(f"-{setup}"):
            return Part(name.removesuffix(f"-{setup}"), setup, name != part)
    return Part(name, "plain", name != part)


def rows(asked: Asked) -> list[Row]:
    """Return the runs of the run-time tables."""
    return [row for setup in _setups(asked) for row in _rows_of(setup, asked.quick)]


def _setups(asked: Asked) -> list[str]:
    return list(dict.fromkeys(read(part).setup for part in asked.parts))


def _rows_of(setup: str, quick: bool) -> list[Row]:
    chosen = SETUPS[setup]
    return [
        run_in_box(name, intensity, nodes, shape, mapping, chosen.programs.get(name))
        for intensity, name, nodes in _kinds(quick)
        for shape in shapes(nodes, LONGEST, lines=False)
        for mapping in chosen.mappings.values()
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
    for part in map(read, asked.parts):
        if part.table in SIZES:
            made = _strategies(part, part.table, MIXED)
        elif part.table == "classes":
            groups = [name for name in PUBLISHED_CLASSES if name != MIXED]
            made = [case for name in groups for case in _strategies(part, "medium", name)]
        elif part.table == "break-even":
            made = [case for sizes in SIZES for case in _crossing(part, sizes)]
        else:
            made = []
        found |= dict.fromkeys(made)
    return list(found)


def _strategies(part: Part, sizes: str, classes: str) -> list[Case]:
    rules = SETUPS[part.setup].mappings
    return [
        Case(sizes, classes, rule, rules[name], setup=part.setup, rounded=part.rounded)
        for rule, name in STRATEGIES
    ]


def _crossing(part: Part, sizes: str) -> list[Case]:
    """Return boxes under each rule, and scattered jobs at each slowdown."""
    boxes = [Case(sizes, MIXED, rule, BEST) for rule in ("CS", "FS", "BPS")]
    apart = [Case(sizes, MIXED, SCATTERED, BEST, slowdown) for slowdown in SLOWDOWNS]
    return [replace(case, setup=part.setup, rounded=part.rounded) for case in boxes + apart]


def conduct(asked: Asked, bench: Bench) -> Report:
    """Fill the run-time tables, make the schedules, and report."""
    runs = {setup: measured(_rows_of(setup, asked.quick), bench) for setup in _setups(asked)}
    times = {
        setup: {rule: BoxTimes(own, rule, cycle=1.0) for rule in SETUPS[setup].mappings.values()}
        for setup, own in runs.items()
    }
    machine, chosen = _machine(asked.quick), _intensities(asked.quick)
    wanted = {key_of(case, machine, chosen): case for case in cases(asked)}
    make = partial(carry_out, tables=times, machine=machine, intensities=chosen)
    kept = kept_outcomes(wanted, make, asdict, bench).values()
    found = pd.DataFrame({"rounded": False, "setup": "plain"} | one for one in kept)
    tables, told, figures = [], [_ABOUT], {}
    for name in asked.parts:
        part, title = read(name), PARTS[name]
        if part.table == "run-times":
            tables.append(_best_boxes(runs[part.setup], name, title))
            told.append(f"{name}: {_of_boxes(tables[-1].frame)}")
            continue
        own = found[(found["setup"] == part.setup) & (found["rounded"] == part.rounded)]
        if part.table == "break-even":
            cells = break_evens(own[own["classes"] == MIXED])
            tables.append(ReportTable(name, f"{title}, {machine.network}", cells, POINTS))
            told.append(f"{name}: {of_break_evens(cells)}")
            continue
        one = own["classes"] != MIXED
        if part.table != "classes":
            one = ~one & (own["sizes"] == part.table) & (own["selection"] != SCATTERED)
        cells = cells_of(own[one], _printed(part.table, asked.quick))
        tables.append(ReportTable(name, f"{title}, FCFS on {machine.network}", cells, DIGITS))
        told += [f"{name}: {sentence}" for sentence in of_cells(cells)]
        figures[name] = partial(_draw, cells=cells, title=title)
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


def _best_boxes(runs: pd.DataFrame, name: str, title: str) -> ReportTable:
    """Return the best box and mapping of each application and size, and what others take beside it."""
    found = []
    for (app, intensity, nodes), group in runs.groupby(["application", "intensity", "nodes"], sort=False):
        least = group.loc[group["cycles"].idxmin()]
        boxes = group.groupby("shape")["cycles"].min()
        rules = group[group["shape"] == least["shape"]].set_index("mapping")["cycles"]
        found.append(
            {
                "application": app,
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
    what = "the worst box with its best mapping, and the worst mapping, relative to it"
    return ReportTable(name, f"{title}; {what}", pd.DataFrame(found), digits)


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
    usual=tuple(TABLES),
    conduct=conduct,
)
