"""Conservative backfilling whose reservations name processors, and figures of the places."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from netplace.experiments.local_backfilling.simulator.platform import (
    RULES,
    Penalty,
    PlaceRule,
    Platform,
    place,
    read_penalty,
)
from netplace.inputs import check_choice
from netplace.native import experiments as native
from netplace.scheduling import Job, Schedule, State, schedule
from netplace.scheduling.partitioner import Allocation, Nodes, PlainPartitioner
from netplace.scheduling.policy import Booking, ConservativeQueue, Machine, Policy, Running, Waiting
from netplace.scheduling.workload import Workload
from netplace.topologies import Topology, mesh

WEEK = 7 * 24 * 3600.0


def draw_jobs(log: Workload, jobs: int, processors: int, seed: int = 0) -> list[Job]:
    """Return jobs drawn with replacement, all submitted at 0; F. Mendonca, thesis, 2017, section 4.6."""
    able = np.flatnonzero((log.nodes <= processors) & (log.run_time > 0))
    if not len(able):
        raise ValueError(f"log: no job of it runs on {processors:,} processors")
    drawn = np.random.default_rng(seed).choice(able, jobs)
    return [
        Job(number, 0.0, int(log.nodes[row]), float(log.run_time[row]), float(log.run_time[row]))
        for number, row in enumerate(drawn.tolist(), 1)
    ]


def draw_weeks(log: Workload, weeks: int, instances: int, seed: int = 0, minimum: int = 1) -> list[list[Job]]:
    """Return workloads of some successive weeks each, from whole weeks drawn without replacement.

    F. Mendonca, thesis, 2017, sections 5.7.2 and 5.7.3. Workloads of fewer than `minimum` jobs are omitted.
    """
    first, last = float(log.submit[0]), float(log.submit[-1])
    begins = first + WEEK * np.arange(max(int((last - first) // WEEK) - weeks + 1, 0))
    low = np.searchsorted(log.submit, begins, "left")
    high = np.searchsorted(log.submit, begins + weeks * WEEK, "left")
    able = np.flatnonzero(high - low >= minimum)
    if len(able) < instances:
        raise ValueError(
            f"log: has {len(able)} places for {weeks} successive weeks of at least {minimum} jobs, "
            f"{instances} are wanted"
        )
    chosen = np.sort(np.random.default_rng(seed).choice(able, instances, replace=False))
    return [
        [
            replace(job, submit=job.submit - float(begins[week]))
            for job in log[int(low[week]) : int(high[week])]
        ]
        for week in chosen.tolist()
    ]


_LEAST_RUN = 10.0  # seconds: shorter runs count as so long in the stretch


@dataclass(frozen=True)
class PlaceFigures:
    """Figures of a schedule; all jobs count, also those of one processor.

    F. Mendonca, thesis, Université Grenoble Alpes, 2017, sections 4.6.2 and 5.7.5; the sum of stretches as
    in the author's simulator.
    """

    makespan: float
    sum_flow: float
    sum_stretch: float
    contiguity: float
    locality: float
    level: float
    success: int
    contiguous_jobs: int
    local_jobs: int
    locality_ratio: float


def place_figures(schedule: Schedule, platform: Platform) -> PlaceFigures:
    """Return the figures of a schedule that has kept its processors."""
    if schedule.allocations is None or not len(schedule):
        raise ValueError("schedule: the processors of its jobs were not kept")
    nodes = schedule.allocations
    pieces = np.array([_pieces(chosen, platform.processors) for chosen in nodes])
    clusters = np.array([len(np.unique(chosen // platform.cluster)) for chosen in nodes])
    fewest = -(-schedule.nodes // platform.cluster)
    level = np.array([platform.level(chosen) for chosen in nodes])
    minimum = np.array([platform.least_level(int(size)) for size in schedule.nodes])
    flow, run = schedule.end - schedule.submit, schedule.end - schedule.start
    return PlaceFigures(
        makespan=schedule.makespan,
        sum_flow=float(flow.sum()),
        sum_stretch=float(np.maximum(flow / np.maximum(run, _LEAST_RUN), 1.0).sum()),
        contiguity=float(pieces.mean()),
        locality=float((clusters / fewest).mean()),
        level=float((level / minimum).mean()),
        success=int(np.count_nonzero(schedule.state == State.DONE)),
        contiguous_jobs=int(np.count_nonzero(pieces == 1)),
        local_jobs=int(np.count_nonzero(clusters == fewest)),
        locality_ratio=float(clusters.mean() / fewest.mean()),
    )


def _pieces(nodes: Nodes, processors: int) -> int:
    """Return the number of maximal runs; the first and the last count once if they touch both ends."""
    pieces = 1 + int(np.count_nonzero(np.diff(nodes) > 1))
    return pieces - 1 if pieces > 1 and nodes[0] == 0 and nodes[-1] == processors - 1 else pieces


class _Timeline:
    """A plan of sets of free processors over time, searched by the rule of the places."""

    def __init__(self, platform: Platform, rule: PlaceRule, now: float) -> None:
        self._sets = native.Timeline(platform.blocks, rule.kind, rule.forced, now)

    def started(self, running: Running, now: float) -> None:
        self._sets.change(now, running.expected_end, running.allocation.nodes, release=False)

    def ended(self, running: Running, now: float) -> None:
        self._sets.change(now, running.expected_end, running.allocation.nodes, release=True)

    def book(self, booking: Booking) -> None:
        self._change(booking, release=False)

    def cancel(self, booking: Booking) -> None:
        self._change(booking, release=True)

    def _change(self, booking: Booking, release: bool) -> None:
        assert booking.allocation is not None
        self._sets.change(booking.start, booking.end, booking.allocation.nodes, release)

    def earliest(self, waiting: Waiting, machine: Machine) -> Booking:
        """Return a reservation from now on, or from an instant at which another starts or ends."""
        start, nodes = self._sets.earliest(waiting.job.nodes, waiting.estimate, machine.now)
        return Booking(waiting, start, Allocation(nodes))

    def at_once(self, waiting: Waiting, machine: Machine) -> Allocation | None:
        nodes = self._sets.at_once(waiting.job.nodes, waiting.estimate, machine.now)
        return None if nodes is None else Allocation(nodes)


def backfill(
    platform: Platform,
    jobs: Iterable[Job],
    rule: str,
    penalty: str | Penalty = "none",
    *,
    reassign: bool = True,
) -> Schedule:
    """Return the schedule of jobs whose processors are reserved when they are submitted.

    A reservation is a start and processors that are free during all of the wall time from then on, the
    earliest at which `rule` takes any. When jobs have ended, with `reassign`, those that wait are gone
    through once in order of submission, and one that finds processors for its wall time from now on starts at
    once; none moves to another time. A job whose run time, with the penalty of its place, is over its wall
    time (``estimate``) ends there and has failed. Jobs larger than the platform are rejected. F. Mendonca,
    thesis, Université Grenoble Alpes, 2017, algorithm 1 and section 5.5.
    """
    places = RULES[check_choice(rule, RULES, "rule")]
    line = mesh((platform.processors,))
    made = schedule(
        line,
        jobs,
        Policy(
            f"conservative on processors, {rule}",
            lambda: ConservativeQueue(
                moves_up=reassign, plan=lambda machine, _: _Timeline(platform, places, machine.now)
            ),
            "a reservation names its processors",
        ),
        _Places(line, rule, platform),
        _Times(platform, read_penalty(penalty) if isinstance(penalty, str) else penalty),
        estimates="run-time",
        overrun="kill",
        keep_nodes=True,
    )
    if not len(made):
        raise ValueError(f"jobs: none of {len(made.rejected)} fits on platform {platform.text}")
    return replace(made, machine=f"levels:{platform.text}")


class _Places(PlainPartitioner):
    """Gives a job what the rule takes of all free processors."""

    by_count = False

    def __init__(self, line: Topology, rule: str, platform: Platform) -> None:
        super().__init__(line)
        self._rule, self._platform = rule, platform

    def choose(self, job: Job) -> NDArray[np.int64] | None:
        return place(self._rule, self._platform, np.flatnonzero(self.is_free), job.nodes)


@dataclass(frozen=True)
class _Times:
    """Run times of the log, longer by the penalty of a job's place."""

    platform: Platform
    penalty: Penalty

    def seconds(self, job: Job, allocation: Allocation) -> float:
        return self.penalty.seconds(job.run_time, self.platform.above_least(allocation.nodes))

    def longest(self, job: Job) -> float:
        return job.run_time
