"""Whether the form of a partition predicts run time: ``docs/studies/partition-metrics.md``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from netplace.apps import application
from netplace.experiments.partition_metrics.measures import (
    METRICS,
    block_sets,
    correlation_summary,
    correlations,
    mean_metrics,
    pieces,
)
from netplace.experiments.published import grid
from netplace.placement import partition
from netplace.placement.rule import grid_of, node_lists
from netplace.report.plots import write_figure
from netplace.report.plots.points import scatter_figure
from netplace.report.studies import Report, ReportTable, Row, Study, StudyRequest, of_runs
from netplace.runs import resolve
from netplace.topologies import parse

TASKS = 64
APPLICATIONS = ("BT", "LU", "SP", "CG", "MG", "FT", "IS")
DRAWS = 80  # configurations by chance


@dataclass(frozen=True)
class Part:
    """One table of the study: blocks, sharers k, and boxes; sizes as the rule ``boxes`` takes them."""

    title: str
    network: str
    jobs: int
    problem_class: str
    boxes: tuple[str, ...]
    sharers: tuple[int, ...]
    sets: str = "compact"


def _flat(problem_class: str, sets: str = "compact", sharers: tuple[int, ...] = (2, 4, 8, 16)) -> Part:
    title = f"16 instances, class {problem_class}, on a 32x32 mesh{_form(sets, sharers)}"
    return Part(title, "mesh:32x32", 16, problem_class, ("8x8", "4x16", "2x32"), sharers, sets)


def _solid(problem_class: str, sets: str = "compact", sharers: tuple[int, ...] = (2, 4, 8)) -> Part:
    title = f"8 instances, class {problem_class}, on an 8x8x8 mesh{_form(sets, sharers)}"
    return Part(title, "mesh:8x8x8", 8, problem_class, ("4x4x4", "8x4x2"), sharers, sets)


def _form(sets: str, sharers: tuple[int, ...]) -> str:
    return ", pairs of blocks anywhere" if sharers == PAIRS else _FORMS[sets]


PAIRS = (2,)
_FORMS = {"compact": "", "anywhere": ", blocks anywhere", "own": ", each instance in pieces of its own"}
PARTS = {
    "2d-W": _flat("W"),
    "2d-A": _flat("A"),
    "3d-W": _solid("W", "anywhere", PAIRS),
    "3d-A": _solid("A", "anywhere", PAIRS),
    "2d-W-anywhere": _flat("W", "anywhere"),
    "2d-W-pairs": _flat("W", "anywhere", PAIRS),
    "3d-W-anywhere": _solid("W", "anywhere"),
    "3d-W-compact": _solid("W"),
    "2d-W-own": _flat("W", "own"),
    "3d-W-own": _solid("W", "own"),
}


def configurations(part: Part, layouts: int | None = None) -> dict[str, str]:
    """Return the partition rule of every configuration; without `layouts`, 80 draws in all."""
    grid = grid_of(parse(part.network), "partition metrics")
    rules = {box: f"boxes:{box}" for box in part.boxes}
    maximum = layouts or -(-DRAWS // len(part.sharers))
    for number in range(maximum):
        for k in part.sharers:
            if layouts is None and len(rules) == DRAWS + len(part.boxes):
                break
            rng = np.random.default_rng([number, k])
            if part.sets == "own":
                nodes = pieces(grid, part.jobs, k, rng)
            else:
                nodes = block_sets(grid, part.boxes[0], k, rng, anywhere=part.sets == "anywhere")
            rules[f"k={k} #{number}"] = node_lists(nodes)
    return rules


def rows(request: StudyRequest) -> list[Row]:
    """Return the runs: all applications in a configuration before the next."""
    return [row for name in request.parts for row in _rows_of(name, request)]


def _rows_of(name: str, request: StudyRequest) -> Iterator[Row]:
    part = PARTS[name]
    for configuration, rule in configurations(part, _layouts(request)).items():
        for app in ("LU",) if request.quick else APPLICATIONS:
            run = resolve(part.network, [_job(app, part)] * part.jobs, partition=rule)
            yield Row({"table": name, "app": app, "configuration": configuration}, run)


def _layouts(request: StudyRequest) -> int | None:
    return request.partitions or (1 if request.quick else None)


def _job(app: str, part: Part) -> dict[str, Any]:
    # One iteration: the others repeat its messages.
    return {"app": app.lower(), "class": part.problem_class, "tasks": TASKS, "iterations": 1}


def report(request: StudyRequest, runs: pd.DataFrame) -> Report:
    tables, figures, every, sentences = [], {}, {}, []
    for name in request.parts:
        part = PARTS[name]
        points = _points(runs[runs["table"] == name], part, configurations(part, _layouts(request)))
        cells = correlations(points, grid("pascual", f"MET table {_PRINTED[name[:4]]}").stack())
        count = points["configuration"].nunique()
        title = f"{part.title}: Pearson's r with run time over {count} configurations"
        tables += [
            ReportTable(f"correlations-{name}", title, cells, _DIGITS),
            ReportTable(f"points-{name}", f"{part.title}: the points", _means(points), _MEAN_DIGITS),
        ]
        sentences += [f"{name}: {sentence}" for sentence in correlation_summary(cells)]
        every[f"runs-{name}"] = points.round(_POINT_DIGITS)
        for app in points["app"].unique():
            figures[f"{name}-{app}"] = partial(draw, points=points, part=name, app=app)
    return Report(tuple(tables), tuple(sentences), figures, every)


_PRINTED = {"2d-W": "2a", "2d-A": "2b", "3d-W": "3a", "3d-A": "3b"}
_DIGITS = {"r": 2, "p": 4, "published": 2, "difference": 2, "r, mean of jobs": 2}
_POINT_DIGITS = 5
_MEAN_DIGITS = dict.fromkeys(APPLICATIONS, 2) | dict.fromkeys(("NA", "LA", "AD", "DFC", "Diam"), 1)


def _points(runs: pd.DataFrame, part: Part, rules: dict[str, str]) -> pd.DataFrame:
    """Return a row for each run: its time (slowest job, mean of jobs) in 10,000 cycles, and the metrics."""
    topology, points = parse(part.network), []
    for (configuration, app), own in runs.groupby(["configuration", "app"], sort=False):
        nodes = partition(rules[configuration], topology, [TASKS] * part.jobs)
        points.append(
            {
                "configuration": configuration,
                "app": app,
                "time": float(own["cycles"].iloc[0]) / 1e4,
                "mean time": float(np.mean(own["jobs"].iloc[0])) / 1e4,
                **mean_metrics(topology, nodes, _traffic(str(app), part.problem_class)),
            }
        )
    return pd.DataFrame(points)


@lru_cache(maxsize=64)
def _traffic(app: str, problem_class: str) -> NDArray[np.float64]:
    program = application(app.lower(), TASKS, problem_class=problem_class, iterations=1)
    return np.asarray(program.traffic().W, float)


def _means(points: pd.DataFrame) -> pd.DataFrame:
    """Return run time by application and the metrics of nodes, on average for each kind of configuration."""
    kind = points["configuration"].str.partition(" ")[0].rename("configuration")
    times = points.pivot_table("time", kind, "app", sort=False)
    dispersion = points.groupby(kind, sort=False)[list(METRICS[:5])].mean()
    return times.join(dispersion).reset_index()


def draw(path: Path, points: pd.DataFrame, part: str, app: str) -> None:
    own = points[points["app"] == app]
    panels = {name: (own[name], own["time"]) for name in METRICS}
    kinds = ["boxes" if kind.isdecimal() else kind for kind in own["configuration"].str.split("[x ]").str[0]]
    title = f"{app}, {PARTS[part].title}"
    write_figure(path, scatter_figure(title, panels, "run time, 10,000 cycles", kinds))


STUDY = Study(
    name="partition-metrics",
    title="Do metrics of a partition predict run time?",
    source="Pascual, Lozano and Miguel-Alonso, tech. report EHU-KAT-IK-05-12, Table 2",
    parts={name: part.title for name, part in PARTS.items()},
    default=("2d-W", "3d-W"),
    run=of_runs(rows, report),
    options=("partitions",),
)
