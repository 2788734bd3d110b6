"""How much slower scattered jobs may be: ``docs/studies/non-contiguous-break-even.md``."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from netplace.experiments.shared.statistics import crossing, point_of
from netplace.report.plots import write_figure
from netplace.report.plots.points import line_figure
from netplace.report.studies import Report, ReportTable, Study, StudyContext, StudyRequest
from netplace.report.studies.schedules import outcomes, turnaround
from netplace.runs.plan import Plan, make_plan
from netplace.runs.schedule_figures import ScheduleFigures

PUBLISHED = (25.0, 45.0)  # percent
SATURATED = 2.0  # the load at which the queue never runs empty
SCATTERED = "non-contiguous"
USUAL = "fs"
SHAPES = {  # text form of the partitioner by what is tried
    "fs": "contiguous:fs,round-up",
    "cubic": "contiguous:cubic,round-up",
    "cubic, not turned": "contiguous:cubic,fixed,round-up",
}
PARTS = {
    "fcfs": "first come, first served, several loads",
    "easy": "EASY backfilling, several loads",
    "shapes": "break-even by policy, kind of jobs and shapes of boxes, saturated machine",
}


@dataclass(frozen=True)
class Size:
    machine: str
    jobs: int
    seeds: int
    slowdowns: tuple[int, ...]  # percent
    loads: tuple[float, ...]
    kinds: tuple[str, ...]


FULL = Size(
    machine="mesh:16x16x16",
    jobs=5000,
    seeds=5,
    slowdowns=tuple(range(0, 65, 5)),
    loads=(0.3, 0.5, 0.7, 0.9, SATURATED),
    kinds=("batch", "interactive", "both"),
)
QUICK = Size("mesh:8x8x8", 400, 2, (0, 20, 40, 60), (0.5, SATURATED), ("batch", "interactive"))


@dataclass(frozen=True)
class BreakEvenCase:
    """One schedule of the study; without a shape its jobs are scattered, and slower by a share in percent."""

    part: str
    policy: str
    load: float
    kind: str
    seed: int
    shape: str = ""
    slowdown: int = 0

    def plan(self, size: Size) -> Plan:
        factor = 1 + self.slowdown / 100  # of every job that is not of one node, wherever it lies
        given = {
            "machine": size.machine,
            "workload": "lublin",
            "jobs": size.jobs,
            "load": self.load,
            "kind": self.kind,
            "policy": self.policy,
            "partition": SHAPES[self.shape] if self.shape else SCATTERED,
            "times": f"factors:{factor:g},{factor:g}" if self.slowdown else "log",
        }
        return make_plan(given, self.seed)


def cases(request: StudyRequest) -> list[BreakEvenCase]:
    return [case for part in request.parts for case in _cases_of(part, _size(request))]


def _size(request: StudyRequest) -> Size:
    return QUICK if request.quick else FULL


def _cases_of(part: str, size: Size) -> Iterator[BreakEvenCase]:
    if part == "shapes":
        groups = itertools.product(("fcfs", "easy"), (SATURATED,), size.kinds)
        shapes = list(SHAPES)
    else:
        groups = itertools.product((part,), size.loads, ("batch",))
        shapes = [USUAL]
    for (policy, load, kind), seed in itertools.product(groups, range(size.seeds)):
        for shape in shapes:
            yield BreakEvenCase(part, policy, load, kind, seed, shape)
        for slowdown in size.slowdowns:
            yield BreakEvenCase(part, policy, load, kind, seed, slowdown=slowdown)


def run(request: StudyRequest, context: StudyContext) -> Report:
    size, wanted = _size(request), cases(request)
    kept = outcomes([case.plan(size) for case in wanted], context)
    made = pd.DataFrame([vars(case) | _figures(own) for case, own in zip(wanted, kept, strict=True)])
    tables, figures, sentences = [], {}, []
    for part in request.parts:
        own = made[made["part"] == part]
        cells = break_evens(own, size)
        tables.append(ReportTable(part, f"{PARTS[part]}, {size.machine}", _shown(part, cells), _DIGITS))
        sentences += _summary(part, cells)
        if part != "shapes":
            title = f"{PARTS[part].split(',')[0]}: scattered against contiguous, {size.machine}"
            figures[part] = partial(_draw, runs=own, title=title)
    return Report(tuple(tables), tuple(sentences), figures, notes=(_ABOUT,))


_ABOUT = (
    "Break-even: the slowdown of scattered jobs, in percent of their run time, at which the mean turnaround "
    "(or the makespan) is that of contiguous allocation; mean over the seeds with its 95 % interval (±). A "
    "seed in which contiguous is no worse even without a slowdown counts as 0 (column `at 0`). Where seeds "
    "have not broken even at the largest slowdown (column `beyond`), there is no mean. The published figures "
    "are of other jobs: their set-up is the part break-even of the study partition-selection."
)


def _figures(figures: ScheduleFigures) -> dict[str, float]:
    return {
        "turnaround": turnaround(figures),
        "makespan": figures.metrics.makespan,
        "utilisation": figures.metrics.utilisation,
    }


def break_evens(runs: pd.DataFrame, size: Size) -> pd.DataFrame:
    """Return a row for each policy, load, kind of jobs and shape: the break-evens of both measures."""
    rows = []
    for (policy, load, kind), group in runs.groupby(["policy", "load", "kind"], sort=False):
        scattered = group[group["shape"] == ""]
        boxes = group[group["shape"] != ""]
        row = {"policy": policy, "load": load, "kind": kind}
        row["util. scattered"] = scattered.loc[scattered["slowdown"] == 0, "utilisation"].mean()
        for shape, own in boxes.groupby("shape", sort=False):
            points = {"shapes": shape, "util. contiguous": own["utilisation"].mean()}
            for measure in ("turnaround", "makespan"):
                # Before saturation it is the arrivals that say when the last job ends.
                if measure == "turnaround" or load == SATURATED:
                    point = point_of(_crossings(scattered, own, measure, size))
                    points[measure] = point.mean
                    points[f"{measure} ±"] = point.half_width
                    points[f"{measure} at 0"] = point.at_start
                    points[f"{measure} beyond"] = point.beyond
            rows.append(row | points)
    return pd.DataFrame(rows)


def _crossings(scattered: pd.DataFrame, boxes: pd.DataFrame, measure: str, size: Size) -> list[float]:
    """Return the break-even of each seed, whose jobs are the same in both."""
    curves = scattered.pivot(index="seed", columns="slowdown", values=measure)[list(size.slowdowns)]
    levels = boxes.set_index("seed")[measure]
    return [crossing(size.slowdowns, curves.loc[seed] / levels[seed]) for seed in curves.index]


def _shown(part: str, cells: pd.DataFrame) -> pd.DataFrame:
    table = cells.copy()
    table["load"] = ["saturated" if load == SATURATED else f"{load:g}" for load in cells["load"]]
    table["published"] = f"{PUBLISHED[0]:g} to {PUBLISHED[1]:g}"
    first = ["policy", "kind", "shapes"] if part == "shapes" else ["load"]
    left_out = {"policy", "kind", "shapes", "load"} - set(first)
    rest = [name for name in table if name not in left_out and name not in first]
    return table[first + rest]


_COUNTS = {f"{measure} {label}": 0 for measure in ("turnaround", "makespan") for label in ("at 0", "beyond")}
_DIGITS = {
    "util. scattered": 3, "util. contiguous": 3, "turnaround": 1, "turnaround ±": 1, "makespan": 1,
    "makespan ±": 1, **_COUNTS,
}  # fmt: skip


def _summary(part: str, cells: pd.DataFrame) -> list[str]:
    """Return sentences on where it pays, and whether that is as published."""
    sentences = []
    for policy, own in cells.groupby("policy", sort=False):
        name = str(policy).upper() if part != "shapes" else f"{str(policy).upper()}, saturated, all kinds"
        for measure in ("turnaround", "makespan"):
            if measure in own and own[measure].notna().any():
                sentences.append(f"{name}: {_range(own, measure)}")
    return sentences


def _range(cells: pd.DataFrame, measure: str) -> str:
    known = cells[cells[measure].notna()]
    beyond = int((cells.get(f"{measure} beyond", 0) > 0).sum())
    inside = int(known[measure].between(*PUBLISHED).sum())
    minimum, maximum = f"{known[measure].min():.0f}", f"{known[measure].max():.0f}"
    text = f"break-even of the {measure} at {minimum if minimum == maximum else f'{minimum} to {maximum}'} %"
    text += f", larger than the largest slowdown in {beyond} rows" if beyond else ""
    return (
        f"{text}; {inside} of {len(known) + beyond} rows within the published "
        f"{PUBLISHED[0]:g} to {PUBLISHED[1]:g} %."
    )


def _draw(path: Path, runs: pd.DataFrame, title: str) -> None:
    slowdowns = sorted(runs["slowdown"].unique())
    panels: dict[str, dict[str, list[float]]] = {"mean turnaround": {}, "makespan": {}}
    for load, group in runs.groupby("load", sort=False):
        name = "saturated" if load == SATURATED else f"load {load:g}"
        for panel, measure in (("mean turnaround", "turnaround"), ("makespan", "makespan")):
            boxes = group[group["shape"] != ""].set_index("seed")[measure]
            scattered = group[group["shape"] == ""].pivot(index="seed", columns="slowdown", values=measure)
            ratio = np.exp(np.log(scattered.div(boxes, axis=0)).mean())
            panels[panel][name] = ratio[slowdowns].tolist()
    figure = line_figure(
        title,
        panels,
        slowdowns,
        "slowdown of scattered jobs (%); gray: published break-even",
        "scattered / contiguous",
        band=PUBLISHED,
    )
    write_figure(path, figure)


STUDY = Study(
    name="non-contiguous-break-even",
    title="How much slower may scattered jobs run before boxes are better?",
    source="Pascual and others: break-even at a slowdown of 25 to 45 %",
    parts=PARTS,
    run=run,
)
