"""Schedules of the study of partition selection: FCFS on a 32x32x32 torus.

J. A. Pascual, thesis, UPV/EHU 2013, sections on partition selection and on non-contiguous allocation; times
are in cycles. Boxes are not turned and lines are omitted. CS gives the most cubic box; FS the first free one
in increasing average pairwise distance; BPS the one box, with its mapping, in which this application of this
size and intensity runs fastest alone, for which the job waits; WTAD the one box, with its mapping, in which
the metric WTAD of its messages (tech. report EHU-KAT-IK-05-12) is least. Scattered jobs get the first free
nodes, and run longer by a share than under BPS, whatever box they would have had.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from netplace.experiments.partition_selection.box_times import by_traffic, fastest
from netplace.experiments.partition_selection.setups import SETUPS
from netplace.placement.rule import grid_of
from netplace.report.studies.schedules import CachedCase
from netplace.runs.file_times import BEST_KNOWN
from netplace.runs.run_times import RunTimeTable
from netplace.scheduling import Allocation, Job, Schedule, make_partitioner, schedule
from netplace.scheduling.metrics import time_batches
from netplace.scheduling.partitioner.contiguous import SEARCHES, BestShapes, Boxes, Factors, Ranking
from netplace.scheduling.workload import PUBLISHED_CLASSES, SIZES, Workload, applications
from netplace.scheduling.workload.applications import published_sizes
from netplace.topologies import Grid, parse

BATCHES = 30
SCATTERED = "scattered"
_MORE = 13  # tenths of the jobs that start in all batches of a full machine: some are there to the end
_MOST = 8 * _MORE
MEASURES = ("started", "head_wait", "run", "utilisation")


@dataclass(frozen=True)
class Machine:
    network: str  # the torus
    jobs: int  # about how many jobs start in a batch; its length follows, rounded to one digit
    largest: int  # largest job
    warmup: int  # batches that are omitted at the beginning


FULL = Machine("torus:32x32x32", 2000, 512, 5)
SMALL = Machine("torus:8x8x8", 60, 16, 2)


@dataclass(frozen=True)
class SelectionCase(CachedCase):
    study: ClassVar[str] = "partition-selection, published"

    # Keys of the workload.
    sizes: str
    classes: str
    selection: str  # a key of `SELECTIONS`, or ``"scattered"``
    mapping: str  # one of the table, or ``"best-known"``
    slowdown: int = 0  # by how many percent scattered jobs run longer
    seed: int = 0  # of the workload
    setup: str = "plain"  # a key of `netplace.experiments.partition_selection.setups.SETUPS`
    # Whether a size is drawn of all and rounded up to one that the application has, instead of being drawn of
    # those that it has.
    rounded: bool = False
    machine: Machine = FULL
    intensities: tuple[str, ...] = ("low", "medium")
    load: float = 0.0  # of jobs submitted at exponential intervals; 0: all are there from the beginning


class ScatteredTimes:
    """Run times of scattered jobs: that of the best box, longer by `slowdown` percent."""

    def __init__(self, times: RunTimeTable, slowdown: int) -> None:
        self._times, self._factor = times, 1 + slowdown / 100

    def seconds(self, job: Job, allocation: Allocation) -> float:
        """Return the run time wherever the nodes are."""
        return fastest(self._times, job) * self._factor

    def longest(self, job: Job) -> float:
        return fastest(self._times, job) * self._factor


def run_case(case: SelectionCase, tables: Mapping[str, Mapping[str, RunTimeTable]]) -> dict[str, Any]:
    """Return the means of the batches, with jobs started as of 10^7 cycles.

    Where jobs run out before the last batch ends, twice as many are drawn again.
    """
    machine = case.machine
    grid = grid_of(parse(machine.network), "partition selection")
    best, times = tables[case.setup][BEST_KNOWN], tables[case.setup][case.mapping]
    wanted, more = (BATCHES + machine.warmup) * machine.jobs, _MORE
    while True:
        jobs = jobs_of(case, more * wanted // 10)
        length = _length(machine.jobs * _work(jobs[:2000], best) / grid.nodes)
        if case.load:
            gap = _work(jobs, best) / grid.nodes / case.load
            gaps = np.random.default_rng([case.seed, 2]).exponential(gap, len(jobs))
            jobs = replace(jobs, submit=np.cumsum(gaps))
        made = _schedule(case, grid, jobs, times, best)
        # A length that was rounded up takes more jobs than were drawn.
        if more >= _MOST or made.start.max() > (BATCHES + machine.warmup) * length:
            break
        more *= 2
    batches = time_batches(made, length, BATCHES, machine.warmup * length)
    figures = {name: batches.mean(name) for name in MEASURES}
    scale = 1e7 / length
    return {
        **figures,
        "started": figures["started"] * scale,
        "length": length,
        "total": batches.mean("wait") + batches.mean("run"),
        "batches": (batches.started * scale).tolist(),
        "node_time": float((made.nodes * (made.end - made.start)).mean()),
    }


def jobs_of(case: SelectionCase, count: int) -> Workload:
    largest, mix = case.machine.largest, (case.classes, case.sizes, case.intensities)
    jobs = applications(largest, count, case.seed, *mix, repeats=(1, 1))
    if case.rounded:
        jobs = replace(jobs, nodes=rounded_up(jobs, SIZES[case.sizes], case.seed))
    fourth = [
        at for at, (name, _) in enumerate(jobs.kinds) if name.partition(",")[0] in PUBLISHED_CLASSES["IV"]
    ]
    setup = SETUPS[case.setup]
    texts = [(name.partition(",")[0], name.partition(",")[2]) for name, _ in jobs.kinds]
    kinds = tuple((f"{setup.programs.get(name, name)},{options}", 0) for name, options in texts)
    return replace(jobs, kinds=kinds, repeats=np.where(np.isin(jobs.kind, fourth), setup.repeats, 1))


def _schedule(
    case: SelectionCase, grid: Grid, jobs: Workload, times: RunTimeTable, best: RunTimeTable
) -> Schedule:
    if case.selection == SCATTERED:
        return schedule(
            grid, jobs, "fcfs", make_partitioner("non-contiguous", grid), ScatteredTimes(best, case.slowdown)
        )
    rule = SELECTIONS[case.selection](case, grid, times)
    return schedule(grid, jobs, "fcfs", Boxes(grid, SEARCHES["contiguous"], rule), times)


def _factors(grid: Grid, cubic: bool) -> Factors:
    inner = grid_of(parse("mesh:" + "x".join(map(str, grid.sizes))), "partition selection")
    return Factors(inner, cubic=cubic, rotations=False, lines=False)


def _least_traffic(setup: str) -> Ranking:
    mappings = tuple(rule for rule in SETUPS[setup].mappings.values() if rule != BEST_KNOWN)
    return lambda job: by_traffic(job.program, job.nodes, mappings)


SELECTIONS: dict[str, Callable[[SelectionCase, Grid, RunTimeTable], Ranking]] = {
    "CS": lambda case, grid, times: _factors(grid, cubic=True),
    "FS": lambda case, grid, times: _factors(grid, cubic=False),
    "BPS": lambda case, grid, times: BestShapes(grid, times.ranking, rotations=False),
    "WTAD": lambda case, grid, times: BestShapes(grid, _least_traffic(case.setup), rotations=False),
}


def rounded_up(jobs: Workload, weights: Mapping[int, int], seed: int) -> NDArray[np.int64]:
    """Return sizes drawn from all sizes up to an application's largest, rounded up to an existing size."""
    assert jobs.kind is not None, "jobs of applications have kinds"
    rng = np.random.default_rng([seed, 1])
    nodes = np.empty(len(jobs), np.int64)
    names = np.array([name.partition(",")[0] for name, _ in jobs.kinds])[jobs.kind]
    for name in dict.fromkeys(names.tolist()):
        own, sizes = names == name, np.array(published_sizes(name))
        usable = {size: weight for size, weight in weights.items() if size <= sizes[-1]}
        shares = np.array(list(usable.values())) / sum(usable.values())
        drawn = rng.choice(list(usable), int(own.sum()), p=shares)
        nodes[own] = sizes[np.searchsorted(sizes, drawn)]
    return nodes


def _work(jobs: Iterable[Job], times: RunTimeTable) -> float:
    return float(np.mean([job.nodes * fastest(times, job) for job in jobs]))


def _length(exact: float) -> float:
    """Return the length of a batch, to one digit."""
    digit = 10.0 ** math.floor(math.log10(exact))
    return round(exact / digit) * digit
