"""The boxes of the study, and the run times of jobs in them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from netplace.netsim import Config
from netplace.report.studies import Row
from netplace.runs import resolve
from netplace.runs.programs import request_of
from netplace.runs.run_times import RunTimeTable
from netplace.scheduling import Allocation, Job
from netplace.scheduling.partitioner.contiguous import Shape, factorisations
from netplace.scheduling.workload import INTENSITIES
from netplace.topologies import parse

LONGEST = (32, 32, 32)
CONFIG = Config(cycle_ns=1e9)  # sums of whole seconds are exact, so what ends together does


def shapes(nodes: int) -> list[Shape]:
    """Return the boxes of so many nodes but lines, the longest side first; rotations take the same time."""
    return [
        shape
        for shape in factorisations(nodes, LONGEST)
        if list(shape) == sorted(shape, reverse=True) and shape[1] > 1
    ]


def most_cubic(nodes: int) -> Shape:
    return min(shapes(nodes), key=lambda shape: (sum(shape), shape))


def named(shape: Shape) -> str:
    return "x".join(map(str, shape))


def run_in_box(
    name: str, intensity: str, nodes: int, shape: Shape, mapping: str, program: str | None = None
) -> Row:
    """Return the labeled run of an application alone in a box; `program` may be another one."""
    request = request_of(f"{program or name},bytes={INTENSITIES[intensity]}")
    return Row(
        {
            "application": name,
            "intensity": intensity,
            "nodes": nodes,
            "shape": named(shape),
            "mapping": mapping,
        },
        resolve(
            "mesh:" + "x".join(str(side) for side in shape if side > 1),
            request | {"tasks": nodes, "mapping": mapping},
            config=CONFIG,
        ),
    )


def run_times(frame: pd.DataFrame, mapping: str) -> RunTimeTable:
    """Return the run times of a table of runs in boxes, where a second is a cycle.

    The boxes are those of a mesh, which minimal routes do not leave.
    """
    machine = parse(f"mesh:{named(LONGEST)}")
    return RunTimeTable(machine, frame, CONFIG, mapping, separate=True, equal_rotations=True)


def fastest(times: RunTimeTable, job: Job) -> float:
    """Return the run time of a job in its best box."""
    shape, mapping = times.ranking(job)[0]
    return times.seconds(job, Allocation(np.arange(job.nodes), shape, mapping))
