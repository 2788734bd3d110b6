"""Partition metrics: what foretells run time, the form of a partition or what an application sends in it.

Source: J. A. Pascual, J. A. Lozano and J. Miguel-Alonso, "Application-aware metrics for partition selection
in cube-shaped topologies", tech. report EHU-KAT-IK-05-12, University of the Basque Country, Table 2.

Instances of a 64-task application fill a mesh. In each of 83 configurations every instance has k equal
blocks: k = 1 (8x8), or k = 2, 4, 8, 16 (8x4, 4x4, 4x2, 2x2) dealt out at random, 20 times each; and boxes of
16x4 and of 32x2. On the 8x8x8 mesh these are 82: blocks of 4x4x4 to 2x2x1, and planes. The numbers 83 and 82,
the values of k and the boxes are published; that k counts the blocks of a job, and that there are 20 of each,
is how they come out. A job's nodes are in order block by block, and tasks are mapped consecutively.

A point is a configuration: the mean of a metric over its partitions, and the time of the slowest instance.
"""

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
from netplace.experiments.plots.scatter import draw_scatter
from netplace.experiments.studies.correlations import correlation_summary, correlations
from netplace.experiments.studies.mean_metrics import METRICS, mean_metrics
from netplace.experiments.studies.node_lists import node_lists
from netplace.experiments.studies.report import Report, ReportTable
from netplace.experiments.studies.study import Asked, Row, Study, of_runs, published
from netplace.placement import partition
from netplace.runs import resolve
from netplace.topologies import Topology, parse

__all__ = ["STUDY", "blocks"]

TASKS = 64
APPLICATIONS = ("BT", "LU", "SP", "CG", "MG", "FT", "IS")


@dataclass(frozen=True)
class Part:
    """One table of the study: blocks of each k, and boxes besides; sizes as the rule ``boxes`` takes them."""

    title: str
    network: str
    jobs: int
    problem_class: str
    blocks: dict[int, str]
    boxes: tuple[str, ...]


_FLAT = {1: "8x8", 2: "8x4", 4: "4x4", 8: "4x2", 16: "2x2"}
_SOLID = {1: "4x4x4", 2: "4x4x2", 4: "4x2x2", 8: "2x2x2", 16: "2x2x1"}
PARTS = {
    "2d-W": Part("16 instances, class W, on a 32x32 mesh", "mesh:32x32", 16, "W", _FLAT, ("16x4", "32x2")),
    "2d-A": Part("16 instances, class A, on a 32x32 mesh", "mesh:32x32", 16, "A", _FLAT, ("16x4", "32x2")),
    "3d-W": Part("8 instances, class W, on an 8x8x8 mesh", "mesh:8x8x8", 8, "W", _SOLID, ("8x8x1",)),
    "3d-A": Part("8 instances, class A, on an 8x8x8 mesh", "mesh:8x8x8", 8, "A", _SOLID, ("8x8x1",)),
}


def blocks(topology: Topology, sides: str, jobs: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the nodes of each job when the blocks that tile a grid are dealt out at random.

    Parameters
    ----------
    topology : Topology
        A mesh or torus.
    sides : str
        Sides of a block, as in ``"4x2"``; blocks must tile the grid.
    jobs : int
        How many jobs; each gets the same number of blocks, its own in increasing order.
    rng : numpy.random.Generator
        Where draws come from.

    Returns
    -------
    ndarray of int64, shape (jobs, nodes of a job)
        Block by block, each in row order.
    """
    size = int(np.prod([int(side) for side in sides.split("x")]))
    tiles = np.array(partition(f"boxes:{sides}", topology, [size] * (topology.nodes // size)))
    dealt = np.sort(rng.permutation(len(tiles)).reshape(jobs, -1), axis=1)
    return tiles[dealt].reshape(jobs, -1)


def configurations(part: Part, layouts: int) -> dict[str, str]:
    """Return the partition rule of every configuration, by a name such as ``"k=4 #7"``."""
    topology = parse(part.network)
    found = {box: f"boxes:{box}" for box in (part.blocks[1], *part.boxes)}
    for number in range(layouts):
        for pieces, sides in list(part.blocks.items())[1:]:
            rng = np.random.default_rng([number, pieces])
            found[f"k={pieces} #{number}"] = node_lists(blocks(topology, sides, part.jobs, rng))
    return found


def rows(asked: Asked) -> list[Row]:
    """Return the runs: all applications in a configuration before the next."""
    return [row for name in asked.parts for row in _rows_of(name, asked)]


def _rows_of(name: str, asked: Asked) -> Iterator[Row]:
    part = PARTS[name]
    for configuration, rule in configurations(part, _layouts(asked)).items():
        for app in ("LU",) if asked.quick else APPLICATIONS:
            run = resolve(part.network, [_job(app, part)] * part.jobs, partition=rule)
            yield Row({"table": name, "app": app, "configuration": configuration}, run)


def _layouts(asked: Asked) -> int:
    return asked.partitions or (1 if asked.quick else 20)


def _job(app: str, part: Part) -> dict[str, Any]:
    # One iteration: the others repeat its messages.
    return {"app": app.lower(), "class": part.problem_class, "tasks": TASKS, "iterations": 1}


def report(asked: Asked, runs: pd.DataFrame) -> Report:
    """Return a table of correlations for each part, beside the published, and a picture of the points."""
    printed = published("partition_metric_correlations_2d.csv")
    tables, figures, told = [], {}, []
    for name in asked.parts:
        part = PARTS[name]
        points = _points(runs[runs["table"] == name], part, configurations(part, _layouts(asked)))
        kind, _, nodes = part.network.partition(":")
        own = printed[
            printed["network"].eq(kind)
            & printed["nodes"].eq(nodes)
            & printed["npb_class"].eq(part.problem_class)
        ].set_index(["app", "metric"])["pearson_r"]
        cells = correlations(points, own)
        count = points["configuration"].nunique()
        title = f"{part.title}: Pearson's r with run time over {count} configurations"
        tables += [
            ReportTable(f"correlations-{name}", title, cells, _DIGITS),
            ReportTable(f"points-{name}", f"{part.title}: the points", _means(points), _MEAN_DIGITS),
        ]
        told += [f"{name}: {sentence}" for sentence in correlation_summary(cells)]
        for app, group in points.groupby("app", sort=False):
            figures[f"{name}-{app}"] = partial(_draw, points=group, title=f"{app}, {part.title}")
    return Report(tuple(tables), tuple(told), figures)


_DIGITS = {"r": 2, "p": 4, "published": 2, "difference": 2, "r, mean of jobs": 2}
_MEAN_DIGITS = dict.fromkeys(APPLICATIONS, 2) | dict.fromkeys(("NA", "LA", "AD", "DFC", "Diam"), 1)


def _points(runs: pd.DataFrame, part: Part, rules: dict[str, str]) -> pd.DataFrame:
    """Return a row for each run: its time (slowest job, mean of jobs) in 10,000 cycles, and the metrics."""
    topology, found = parse(part.network), []
    for (configuration, app), own in runs.groupby(["configuration", "app"], sort=False):
        nodes = partition(rules[configuration], topology, [TASKS] * part.jobs)
        found.append(
            {
                "configuration": configuration,
                "app": app,
                "time": float(own["cycles"].iloc[0]) / 1e4,
                "mean time": float(np.mean(own["jobs"].iloc[0])) / 1e4,
                **mean_metrics(topology, nodes, _traffic(str(app), part.problem_class)),
            }
        )
    return pd.DataFrame(found)


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


def _draw(path: Path, points: pd.DataFrame, title: str) -> None:
    """Draw run time against each metric."""
    panels = {name: (points[name], points["time"]) for name in METRICS}
    draw_scatter(path, panels, "", "run time, 10,000 cycles", title)


STUDY = Study(
    name="partition-metrics",
    title="Does a metric of the partition foretell run time?",
    source="Pascual, Lozano and Miguel-Alonso, tech. report EHU-KAT-IK-05-12, Table 2",
    parts={name: part.title for name, part in PARTS.items()},
    usual=("2d-W", "3d-W"),
    conduct=of_runs(rows, report),
    options=("partitions",),
)
