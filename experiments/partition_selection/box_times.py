"""The boxes of the study, and the run times of jobs in them."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pandas as pd

from netplace.netsim import Config
from netplace.placement.metrics import metrics
from netplace.report.studies import Row
from netplace.runs import resolve
from netplace.runs.job_programs import programs_of
from netplace.runs.placing import places_of
from netplace.runs.programs import request_of
from netplace.runs.run_times import RunTimeTable
from netplace.runs.spec import Run
from netplace.scheduling import Allocation, Job
from netplace.scheduling.partitioner.contiguous import Choices, Shape, factorisations
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
    kind: dict[str, str | float] = {"application": name, "intensity": intensity, "nodes": nodes}
    run = _run(f"{program or name},bytes={INTENSITIES[intensity]}", nodes, shape, mapping)
    return Row(kind | {"shape": named(shape), "mapping": mapping}, run)


def _run(program: str, nodes: int, shape: Shape, mapping: str) -> Run:
    network = "mesh:" + "x".join(str(side) for side in shape if side > 1)
    return resolve(network, request_of(program) | {"tasks": nodes, "mapping": mapping}, config=CONFIG)


@cache
def by_traffic(program: str, nodes: int, mappings: tuple[str, ...]) -> Choices:
    """Return the boxes with each of the mappings, the least WTAD of the program's tasks first."""

    def traffic(box: tuple[Shape, str]) -> float:
        run = _run(program, nodes, *box)
        [own], [place] = programs_of(run), places_of(run, programs_of(run))
        return metrics(parse(run.network), place, own.traffic().W).WTAD or 0.0

    return sorted(itertools.product(shapes(nodes), mappings), key=traffic)


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
