"""The choice of a box for a job and of the mapping in it: ``docs/studies/partition-selection.md``."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from netplace.experiments.partition_selection.box_times import run_in_box, run_times, shapes
from netplace.experiments.partition_selection.cells import (
    DIGITS,
    POINTS,
    best_boxes,
    break_evens,
    cells_of,
    of_boxes,
    of_break_evens,
    of_cells,
    printed_classes,
    printed_large,
)
from netplace.experiments.partition_selection.schedules import (
    FULL,
    SCATTERED,
    SMALL,
    Machine,
    SelectionCase,
    run_case,
)
from netplace.experiments.partition_selection.setups import SETUPS, short
from netplace.experiments.shared.statistics import relative
from netplace.placement import partition
from netplace.placement.metrics import average_pairwise_distance
from netplace.report.plots import write_figure
from netplace.report.plots.charts import marked_figure
from netplace.report.studies import Report, ReportTable, Row, Study, StudyContext, StudyRequest, measured
from netplace.report.studies.schedules import case_outcomes
from netplace.runs import resolve
from netplace.runs.file_times import BEST_KNOWN
from netplace.runs.tables import run_table
from netplace.scheduling.workload import INTENSITIES, PUBLISHED_CLASSES, SIZES
from netplace.scheduling.workload.applications import published_sizes
from netplace.topologies import parse

ALONE = {
    "boxes-alone": "six applications of 64 tasks in six boxes under three mappings (figure 4)",
    "scattered-alone": "eight jobs on random nodes of a 16x16x16 mesh, by average distance (figure 5)",
}
_APPS = ("all-to-all", "all-to-one", "2d-mesh", "3d-mesh", "binary-tree", "butterfly")
_MAPPINGS = ("consecutive", "random", "td:iterations=1000")
_TASKS, _JOBS, _MESH = 64, 8, "mesh:16x16x16"
# The boxes and mappings that the text calls best.
_BEST = {
    "all-to-all": ("4x4x4", ("td", "random")),
    "all-to-one": ("4x4x4", ("td",)),
    "2d-mesh": ("8x8x1", ("consecutive",)),
    "3d-mesh": ("4x4x4", ("consecutive",)),
    "butterfly": ("4x4x4", ("consecutive", "td")),
}


def alone(context: StudyContext, quick: bool) -> tuple[ReportTable, str]:
    """Return times over the best of each application, and which published verdicts hold."""
    runs = measured(_in_boxes(quick), context)
    minimum = runs.groupby("application")["cycles"].transform("min")
    frame = runs[["application", "shape", "mapping", "cycles"]].assign(to_best=runs["cycles"] / minimum)
    frame["mapping"] = frame["mapping"].str.partition(":")[0]
    frame = frame.rename(columns={"shape": "box", "to_best": "to best"})
    held, chance = [], 0.0
    for app, (box, mappings) in _BEST.items():
        own = frame[frame["application"] == app]
        best = own[own["to best"] <= 1.02]  # within 2 %: as good
        if len(own):
            held.append(bool(((best["box"] == box) & best["mapping"].isin(mappings)).any()))
            chance += len(mappings) * len(best) / len(own)
    worst = frame[frame["application"] == "3d-mesh"]["to best"].max()
    sentence = (
        f"boxes-alone: a published best box and mapping is best here in {sum(held)} of {len(held)} "
        f"applications (by chance at most {chance:.1f}); the worst of the 3-D mesh takes {worst:.1f} times "
        "the best (published: over 6)."
    )
    title = f"{ALONE['boxes-alone']}: cycles, and over those of the best"
    return ReportTable("boxes-alone", title, frame, {"cycles": 0, "to best": 2}), sentence


def _in_boxes(quick: bool) -> list[Row]:
    return [
        run_in_box(app, "low", _TASKS, shape, mapping)
        for app in (_APPS[3:4] if quick else _APPS)
        for shape in shapes(_TASKS)
        for mapping in _MAPPINGS
    ]


def scattered(context: StudyContext, quick: bool) -> tuple[ReportTable, str]:
    """Return times on random nodes over that in a cube, and their correlation with the average distance."""
    apps, draws = (_APPS[3:4], 2) if quick else (_APPS, 10)
    cube = measured([row for row in _in_boxes(quick) if row.labels["shape"] == "4x4x4"], context)
    base = cube.groupby("application")["cycles"].min()
    machine = parse(_MESH)
    rows = []
    for app in apps:
        job = {"app": app, "bytes": INTENSITIES["low"], "tasks": _TASKS, "mapping": "consecutive"}
        rows += [
            Row(
                {"application": app, "draw": draw},
                resolve(_MESH, [job] * _JOBS, partition="random", seed=draw),
            )
            for draw in range(draws)
        ]
    runs = measured(rows, context)
    distance = {
        draw: [
            average_pairwise_distance(machine, nodes)
            for nodes in partition("random", machine, [_TASKS] * _JOBS, seed=draw)
        ]
        for draw in range(draws)
    }
    lines: list[dict[str, Any]] = []
    for app, own in runs.groupby("application", sort=False):
        times = np.concatenate(own["jobs"].tolist()) / base[app]
        far = np.concatenate([distance[draw] for draw in own["draw"]])
        lines.append(
            {
                "application": app,
                "mean": times.mean(),
                "least": times.min(),
                "most": times.max(),
                "r, distance": np.corrcoef(times, far)[0, 1] if np.ptp(times) else 0.0,
            }
        )
    frame = pd.DataFrame(lines)
    r = frame.set_index("application")["r, distance"]
    sentence = (
        f"scattered-alone: jobs on random nodes take {frame['mean'].min():.1f} to {frame['mean'].max():.1f} "
        f"times as long as in a 4x4x4 box; times and average distances correlate by {r.min():.2f} "
        f"({r.idxmin()}) to {r.max():.2f} ({r.idxmax()}) (published: a trend for all-to-all alone)."
    )
    title = f"{ALONE['scattered-alone']}: time over that in a 4x4x4 box with the best mapping"
    return ReportTable("scattered-alone", title, frame, dict.fromkeys(frame.columns[1:], 2)), sentence


RULES = ("CS", "FS", "BPS")
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
    "spaced": "total time by load, jobs submitted at exponential intervals (figure 11)",
    "streams": "five random streams: best mappings of classes I and II, medium; CS of all classes, large",
    "traffic": "three random streams: boxes and mappings by WTAD or by run time, all classes and II, medium",
}
ON_REQUEST = ("streams", "traffic")
LOADS = (0.5, 0.7)
ROUNDED = "-rounded"
PARTS = {
    f"{table}{'' if name == 'plain' else f'-{name}'}{ending}": f"{label}: {setup.title}{rounding}"
    for name, setup in SETUPS.items()
    for table, label in TABLES.items()
    for ending, rounding in (("", ""), (ROUNDED, "; sizes rounded up"))
    if table != "run-times" or not ending
} | ALONE


@dataclass(frozen=True)
class Part:
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


def rows(request: StudyRequest) -> list[Row]:
    return [row for setup in _setups(request) for row in _rows_of(setup, request.quick)]


def _setups(request: StudyRequest) -> list[str]:
    return list(dict.fromkeys(read(part).setup for part in request.parts))


def _rows_of(setup: str, quick: bool) -> list[Row]:
    chosen = SETUPS[setup]
    return [
        run_in_box(name, intensity, nodes, shape, mapping, chosen.programs.get(name))
        for intensity, name, nodes in _kinds(setup, quick)
        for shape in shapes(nodes)
        for mapping in chosen.mappings.values()
        if mapping != BEST_KNOWN
    ]


def _kinds(setup: str, quick: bool) -> Iterator[tuple[str, str, int]]:
    """Yield intensity, application and size of all jobs, the cheapest first."""
    for intensity, name in itertools.product(intensities_of(setup, quick), PUBLISHED_CLASSES[MIXED]):
        yield from (
            (intensity, name, nodes) for nodes in published_sizes(name) if nodes <= _machine(quick).largest
        )


def intensities_of(setup: str, quick: bool = False) -> tuple[str, ...]:
    chosen = SETUPS[setup].intensities
    return chosen[:1] if quick else chosen


def _machine(quick: bool) -> Machine:
    return SMALL if quick else FULL


def cases(request: StudyRequest) -> list[SelectionCase]:
    return list(
        dict.fromkeys(case for part in request.parts for case in _cases_of(read(part), request.quick))
    )


def _cases_of(part: Part, quick: bool) -> list[SelectionCase]:
    made: list[SelectionCase] = []
    if part.table in SIZES:
        made = _strategies(part, part.table, MIXED)
    elif part.table == "classes":
        groups = [name for name in PUBLISHED_CLASSES if name != MIXED]
        made = [case for name in groups for case in _strategies(part, "medium", name)]
    elif part.table == "streams":
        every = [SelectionCase("medium", name, rule, BEST_KNOWN) for name in ("I", "II") for rule in RULES]
        every += [case for case in _strategies(part, "large", MIXED) if case.selection == "CS"]
        made = [replace(case, seed=seed) for seed in range(2 if quick else 5) for case in every]
    elif part.table == "traffic":
        kinds = itertools.product(range(2 if quick else 3), (MIXED, "II"), (*RULES, "WTAD"))
        made = [SelectionCase("medium", name, rule, BEST_KNOWN, seed=seed) for seed, name, rule in kinds]
    elif part.table == "break-even":
        made = [case for sizes in SIZES for case in _crossing(sizes)]
    elif part.table == "spaced":
        spaced = itertools.product(SIZES, LOADS[:1] if quick else LOADS, RULES)
        made = [SelectionCase(sizes, MIXED, rule, BEST_KNOWN, load=load) for sizes, load, rule in spaced]
    machine, drawn = _machine(quick), intensities_of(part.setup, quick)
    return [
        replace(case, setup=part.setup, rounded=part.rounded, machine=machine, intensities=drawn)
        for case in made
    ]


def _strategies(part: Part, sizes: str, classes: str) -> list[SelectionCase]:
    rules = SETUPS[part.setup].mappings
    return [SelectionCase(sizes, classes, rule, rules[name]) for rule, name in STRATEGIES]


def _crossing(sizes: str) -> list[SelectionCase]:
    """Return boxes under each rule, and scattered jobs at each slowdown."""
    boxes = [SelectionCase(sizes, MIXED, rule, BEST_KNOWN) for rule in RULES]
    return boxes + [SelectionCase(sizes, MIXED, SCATTERED, BEST_KNOWN, slowdown) for slowdown in SLOWDOWNS]


def run(request: StudyRequest, context: StudyContext) -> Report:
    apart = [
        made(context, request.quick)
        for name, made in zip(ALONE, (alone, scattered), strict=True)
        if name in request.parts
    ]
    first, remarks = [table for table, _ in apart], [sentence for _, sentence in apart]
    request = replace(request, parts=tuple(name for name in request.parts if name not in ALONE))
    if not request.parts:
        return Report(tuple(first), tuple(remarks))
    runs, times = {}, {}
    for setup in _setups(request):
        own = _rows_of(setup, request.quick)
        runs[setup] = measured(own, context)
        frame = run_table(context.store.rows([row.run for row in own]))
        times[setup] = {rule: run_times(frame, rule) for rule in SETUPS[setup].mappings.values()}
    machine = _machine(request.quick)
    kept = dict(case_outcomes(cases(request), context, partial(run_case, tables=times)))
    tables, sentences, figures = first, remarks, {}
    for name in request.parts:
        part, title = read(name), PARTS[name]
        if part.table == "run-times":
            tables.append(best_boxes(runs[part.setup], name, title))
            sentences.append(f"{name}: {of_boxes(tables[-1].frame)}")
            continue
        own = pd.DataFrame([vars(case) | kept[case] for case in _cases_of(part, request.quick)])
        own["strategy"] = own["selection"] + "-" + own["mapping"].map(short)
        if part.table in _COLUMNS:
            own["total / run"] = own["total"] / own["run"]
            cells = own[_COLUMNS[part.table]].rename(columns={"classes": "class"})
            tables.append(ReportTable(name, f"{title}, FCFS on {machine.network}", cells, _PLACES))
            sentences.append(f"{name}: {_SAID[part.table](cells)}.")
            continue
        if part.table == "break-even":
            cells = break_evens(own)
            tables.append(ReportTable(name, f"{title}, {machine.network}", cells, POINTS))
            sentences.append(f"{name}: {of_break_evens(cells)}")
            continue
        cells = cells_of(own, _printed(part.table, request.quick))
        tables.append(ReportTable(name, f"{title}, FCFS on {machine.network}", cells, DIGITS))
        sentences += [f"{name}: {sentence}" for sentence in of_cells(cells)]
        figures[name] = partial(_draw, cells=cells, title=title)
    return Report(tuple(tables), tuple(sentences), figures, notes=(_ABOUT,))


_COLUMNS = {
    "spaced": ["sizes", "load", "strategy", "run", "total", "utilisation", "total / run"],
    "streams": ["sizes", "classes", "strategy", "seed", "started", "head_wait", "run"],
    "traffic": ["classes", "strategy", "seed", "started", "head_wait", "run", "utilisation"],
}


def most_started(cells: pd.DataFrame) -> str:
    """Return how many more jobs the best strategy starts than the next one, class by class."""
    said = []
    for name, own in cells.groupby("class", sort=False):
        jobs = own.pivot(index="seed", columns="strategy", values="started")
        second, best = jobs.mean().sort_values().index[-2:]
        more = relative(jobs[best] / jobs[second], "streams")
        said.append(f"class {name}: {best} starts the most jobs, {more} against {second}")
    return "; ".join(said)


def by_wtad(cells: pd.DataFrame) -> str:
    """Return how many more jobs start in boxes of least WTAD than under each other rule, class by class."""
    said = []
    for name, own in cells.groupby("class", sort=False):
        jobs = own.pivot(index="seed", columns="strategy", values="started")
        more = (
            f"{relative(jobs['WTAD-BM'] / jobs[f'{rule}-BM'], 'streams')} against {rule}" for rule in RULES
        )
        said.append(f"class {name}: WTAD starts {', '.join(more)}")
    return "; ".join(said)


_SAID: dict[str, Callable[[pd.DataFrame], str]] = {
    "spaced": lambda cells: f"total time is up to {cells['total / run'].max():.1f} times the run time",
    "streams": most_started,
    "traffic": by_wtad,
}

_PLACES = {"load": 1, "started": 0, "head_wait": 1, "run": 0, "total": 0, "utilisation": 3, "total / run": 3}
_ABOUT = (
    "Times are in cycles, jobs of 10^7 cycles. `/ CS-BM`: relative to CS with the best mapping of the same "
    "class, for our results and for the printed ones. `*` marks the most jobs of a class, `=` results that "
    "do not differ from it significantly (Kruskal-Wallis over batches, 0.05, Holm's correction)."
)


def _printed(part: str, quick: bool) -> dict[tuple[str, str, str], float]:
    """Return what is printed of a part; nothing for the quick version, whose machine is too small."""
    known = {"classes": printed_classes, "large": printed_large}
    return {} if quick or part not in known else known[part]()


def _draw(path: Path, cells: pd.DataFrame, title: str) -> None:
    """Draw the jobs of each strategy relative to CS-BM, a group for each class."""
    groups = list(dict.fromkeys(cells["class"]))
    series = {}
    for rule, name in STRATEGIES:
        own = cells[cells["strategy"] == f"{rule}-{name}"].set_index("class")
        series[f"{rule}-{name}"] = own["started / CS-BM"][groups].tolist()
    write_figure(path, marked_figure(title, groups, series, unit="jobs / those of CS-BM"))


STUDY = Study(
    name="partition-selection",
    title="Which box and mapping are best for the whole machine?",
    source="Pascual, Miguel-Alonso and Lozano, J. Supercomput. 71 (2015) 966-994; Pascual, thesis, 2013",
    parts=PARTS,
    default=tuple(name for name in TABLES if name not in ON_REQUEST),
    run=run,
)
