"""The box and mapping with which a machine does most work: ``docs/studies/selection-by-makespan.md``."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from netplace.experiments.partition_selection.cells import best_boxes
from netplace.experiments.shared.box_times import (
    BEST,
    LONGEST,
    BoxTimes,
    most_cubic,
    named,
    run_in_box,
    shapes,
)
from netplace.experiments.shared.relative_bars import draw_relative
from netplace.experiments.shared.statistics import best, spread
from netplace.report.studies import Report, ReportTable, Row, Study, StudyContext, StudyRequest, measured
from netplace.report.studies.schedules import CachedCase, case_outcomes
from netplace.scheduling import Job, schedule
from netplace.scheduling.metrics import measure
from netplace.scheduling.partitioner.contiguous import SEARCHES, BestShapes, Boxes, Factors, Ranking
from netplace.scheduling.workload import CLASSES, SIZES, applications
from netplace.topologies import Grid, parse

MACHINE = "torus:32x32x32"
CHOSEN = ("low", "medium")  # intensities; of "high" 512 tasks that send to each other take minutes a run
MAPPINGS = ("consecutive", "random", "td")
HOURS = (1.0, 10.0)  # shortest and longest job, in the most cubic box with the consecutive mapping
SELECTIONS = {
    "CS": "the most cubic box",
    "FS": "boxes in increasing average pairwise distance",
    "BPS": "boxes in the order of the application's run times in them",
}
PARTS = {
    "run-times": "the run-time table: the best box and mapping of each application and size",
    **{name: f"schedules of jobs of {name} sizes, five class mixes" for name in SIZES},
}


def rows(request: StudyRequest) -> list[Row]:
    return [
        run_in_box(name, intensity, nodes, shape, mapping)
        for nodes, name, intensity in _kinds(request.quick)
        for shape in shapes(nodes)
        for mapping in MAPPINGS
    ]


def _kinds(quick: bool) -> Iterator[tuple[int, str, str]]:
    sizes = sorted({size for mix in SIZES.values() for size in mix})
    for nodes in sizes:
        if not quick or nodes <= 16:
            yield from ((nodes, name, level) for name in CLASSES["mixed"] for level in CHOSEN)


@dataclass(frozen=True)
class MakespanCase(CachedCase):
    study: ClassVar[str] = "selection-by-makespan"

    sizes: str
    classes: str
    selection: str
    mapping: str
    seed: int
    jobs: int
    quick: bool = False


def cases(request: StudyRequest) -> list[MakespanCase]:
    jobs, seeds = (600, 2) if request.quick else (4000, 5)
    return [
        MakespanCase(sizes, classes, selection, mapping, seed, jobs, request.quick)
        for sizes in request.parts
        if sizes in SIZES
        for classes in CLASSES
        for seed in range(seeds)
        for selection, mapping in itertools.product(SELECTIONS, (*MAPPINGS, BEST))
    ]


def jobs_of(case: MakespanCase, nodes: int, times: BoxTimes) -> list[Job]:
    """Return the jobs of a case, for sizes up to `nodes`, all submitted at once.

    Each repeats its application as often as it takes to run for so many hours in the most cubic box with the
    consecutive mapping; the hours are drawn, so that each order of magnitude is equally likely.
    """
    drawn = applications(nodes, case.jobs, case.seed, case.classes, case.sizes, CHOSEN, repeats=(1, 1))
    least, most = map(math.log, HOURS)
    hours = np.exp(np.random.default_rng([case.seed, 1]).uniform(least, most, len(drawn)))
    return [
        replace(job, repeats=max(1, round(3600 * length / times.nominal(job))))
        for job, length in zip(drawn, hours.tolist(), strict=True)
    ]


def run_case(case: MakespanCase, tables: Mapping[str, BoxTimes]) -> dict[str, Any]:
    times = tables[case.mapping]
    machine = parse("mesh:16x16x16" if case.quick else MACHINE)
    assert isinstance(machine, Grid)
    workload = jobs_of(case, 16 if case.quick else machine.nodes, times)
    boxes = Boxes(machine, SEARCHES["contiguous"], _shapes_of(case, times, machine))
    metrics = measure(schedule(machine, workload, "fcfs", boxes, times))
    return {
        "makespan": metrics.makespan,
        "turnaround": metrics.per_job["turnaround"].mean,
        "run": metrics.per_job["run"].mean,
        "utilisation": metrics.utilisation,
    }


def _shapes_of(case: MakespanCase, times: BoxTimes, machine: Grid) -> Ranking:
    if case.selection == "BPS":
        return BestShapes(machine, times.ranking, others=True)
    inner = parse("mesh:" + "x".join(map(str, LONGEST)))
    assert isinstance(inner, Grid)
    return Factors(inner, cubic=case.selection == "CS")


def run(request: StudyRequest, context: StudyContext) -> Report:
    runs = measured(rows(request), context)
    times = {mapping: BoxTimes(runs, mapping) for mapping in (*MAPPINGS, BEST)}
    tables, summary, figures = [], [], {}
    if "run-times" in request.parts:
        tables.append(best_boxes(runs, "run-times", "Best box and mapping"))
        summary.append(_of_boxes(tables[0].frame))
    if kept := case_outcomes(cases(request), context, partial(run_case, tables=times)):
        frame = pd.DataFrame([vars(case) | outcome for case, outcome in kept])
        for sizes, group in frame.groupby("sizes", sort=False):
            cells = _cells(group)
            title = f"{sizes} sizes: FCFS on {MACHINE}, times relative to CS with the consecutive mapping"
            tables.append(ReportTable(str(sizes), title, cells, _DIGITS))
            figures[str(sizes)] = partial(_draw, cells=cells, title=f"jobs of {sizes} sizes")
            summary += _of_cells(str(sizes), cells)
    summary.append("No numbers from the published study were available for comparison.")
    return Report(tuple(tables), tuple(summary), figures)


def _of_boxes(frame: pd.DataFrame) -> str:
    cubic = [named(most_cubic(nodes)) for nodes in frame["nodes"]]
    same = (frame["best box"] == cubic).mean()
    return (
        f"Of {len(frame)} kinds of jobs, {same:.0%} are fastest in the most cubic box; the worst box costs "
        f"{frame['worst box'].median() - 1:.0%} (median), the worst mapping "
        f"{frame['worst mapping'].median() - 1:.0%}."
    )


_DIGITS = {"makespan": 3, "std": 3, "turnaround": 3, "run": 3, "utilisation": 3}


def _cells(runs: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each class mix, selection and mapping; the mean over seeds, of ratios seed by seed."""
    cells = []
    for classes, group in runs.groupby("classes", sort=False):
        base = group[(group["selection"] == "CS") & (group["mapping"] == "consecutive")].set_index("seed")
        samples, figures = {}, {}
        for (selection, mapping), own in group.groupby(["selection", "mapping"], sort=False):
            by_seed = own.set_index("seed")
            name = f"{selection} {mapping}"
            samples[name] = (by_seed["makespan"] / base["makespan"]).tolist()
            figures[name] = {
                "turnaround": float((by_seed["turnaround"] / base["turnaround"]).mean()),
                "run": float((by_seed["run"] / base["run"]).mean()),
                "utilisation": float(by_seed["utilisation"].mean()),
            }
        winners = best(samples)
        for name, sample in samples.items():
            mean, deviation = spread(sample)
            selection, mapping = name.split()
            mark = "*" if name == winners[0] else "=" if name in winners else ""
            cells.append(
                {"classes": classes, "selection": selection, "mapping": mapping, "makespan": mean}
                | {"std": deviation, **figures[name], "best": mark}
            )
    return pd.DataFrame(cells)


def _of_cells(sizes: str, cells: pd.DataFrame) -> list[str]:
    mean = cells.groupby(["selection", "mapping"])["makespan"].mean()
    least = str(" with ".join(mean.idxmin()))
    return [
        f"{sizes} sizes: the makespan, relative to CS with the consecutive mapping, is least with {least} "
        f"({mean.min():.3f} on average over the class mixes); with the best mapping it is "
        + ", ".join(f"{mean[selection, BEST]:.3f} with {selection}" for selection in SELECTIONS)
        + f"; CS with the random mapping {mean['CS', 'random']:.3f}."
    ]


def _draw(path: Path, cells: pd.DataFrame, title: str) -> None:
    drawn = cells[cells["mapping"] != "random"].rename(columns={"best": "winner"})
    named = drawn.assign(rule=drawn["selection"] + " " + drawn["mapping"], mean=drawn["makespan"])
    draw_relative(
        path, named, title, "rule", "makespan", "CS consecutive", group="classes", measure="makespan"
    )


STUDY = Study(
    name="selection-by-makespan",
    title="Which box and mapping are best for jobs that run for several hours?",
    source="none available; after Pascual, Miguel-Alonso and Lozano, J. Supercomput. 71 (2015) 966-994",
    parts=PARTS,
    run=run,
)
