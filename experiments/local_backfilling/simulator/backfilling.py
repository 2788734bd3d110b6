"""Conservative backfilling whose reservations name processors that are free for the whole window."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.checks import check_choice
from netplace.experiments.local_backfilling.simulator.penalty import Penalty, read_penalty
from netplace.experiments.local_backfilling.simulator.platform import Platform
from netplace.experiments.local_backfilling.simulator.rules import RULES
from netplace.experiments.local_backfilling.simulator.timeline import Set, Timeline
from netplace.experiments.local_backfilling.simulator.waiting import WaitingLine
from netplace.scheduling import Job, Schedule, State
from netplace.scheduling.estimates import estimate_rule
from netplace.scheduling.partitioner import Nodes
from netplace.scheduling.schedule import Cost, Kills, Rows
from netplace.scheduling.times import LogTimes

__all__ = ["backfill"]

_EVERY = 1000


def backfill(
    platform: Platform,
    jobs: Iterable[Job],
    rule: str,
    penalty: str | Penalty = "none",
    *,
    reassign: bool = True,
    estimates: str = "run-time",
    tell: Callable[[int, float], None] | None = None,
) -> Schedule:
    """Return the schedule of jobs whose processors are reserved when they are submitted.

    A reservation is a start and processors that are free during all of the wall time from then on, the
    earliest at which `rule` takes any. When jobs have ended, those that wait are gone through once in order
    of submission, and one that finds processors for its wall time from now on starts at once; none moves to
    another time. A job whose run time, with the penalty of its place, is over its wall time ends there and
    has failed. F. Mendonca, thesis, Université Grenoble Alpes, 2017, algorithm 1 and section 5.5.

    Parameters
    ----------
    platform : Platform
        The machine.
    jobs : iterable of Job
        In order of submission; ``estimate`` is the wall time.
    rule : str
        Key of `RULES`.
    penalty : str or Penalty
        See `read_penalty`; worked out for the processors on which a job starts.
    reassign : bool
        Whether jobs move up when others end.
    estimates : str
        Wall time of jobs without one, see `netplace.scheduling.ESTIMATES`; they are counted.
    tell : callable, optional
        Function that is called from time to time with the number of jobs that have ended, and the time.

    Returns
    -------
    Schedule
        With the processors of each job; jobs larger than the platform are rejected.
    """
    check_choice(rule, RULES, "rule")
    chosen = read_penalty(penalty) if isinstance(penalty, str) else penalty
    rule_for = estimate_rule(estimates, LogTimes())
    taken, rejected, unknown = [], [], 0
    for job in _checked(jobs):
        if job.nodes > platform.processors:
            reason = f"it needs more than the {platform.processors} processors of the machine"
            rejected.append((job.number, job.nodes, reason))
            continue
        unknown += job.estimate is None
        taken.append(_Wanted(job, _wall(job, rule_for(job))))
    if not taken:
        raise ValueError(f"jobs: none of {len(rejected)} fits on platform {platform.text}")
    return _Backfilling(platform, taken, rule, chosen, reassign, tell).run(
        tuple(rejected), unknown, estimates
    )


@dataclass(slots=True)
class _Wanted:
    """A job and its wall time, and later its processors."""

    job: Job
    wall: float
    start: float = math.nan
    promised: float = math.nan
    end: float = math.nan
    held: Set | None = None
    failed: bool = False
    overtook: bool = False


class _Backfilling:
    """One run: jobs, the timeline, and what is to happen when."""

    def __init__(
        self,
        platform: Platform,
        wanted: list[_Wanted],
        rule: str,
        penalty: Penalty,
        reassign: bool,
        tell: Callable[[int, float], None] | None,
    ) -> None:
        self._platform, self._wanted, self._penalty = platform, wanted, penalty
        self._rule, self._reassigns, self._tell = rule, reassign, tell
        self._time = Timeline(platform, RULES[rule], wanted[0].job.submit)
        self._line = WaitingLine(self._time.words)
        self._starts: list[tuple[float, int]] = []
        self._ends: list[tuple[float, int]] = []
        self._allocations: list[Nodes] = [np.empty(0, np.int64)] * len(wanted)
        self._passes = self._ended = 0

    def run(self, rejected: tuple[tuple[int, int, str], ...], unknown: int, estimates: str) -> Schedule:
        """Process all events, instant by instant."""
        arrived, jobs = 0, self._wanted
        while arrived < len(jobs) or self._ends or self._starts:
            now = min(
                jobs[arrived].job.submit if arrived < len(jobs) else math.inf,
                self._ends[0][0] if self._ends else math.inf,
                self._next_start(),
            )
            if now == math.inf:
                break
            self._passes += 1
            ended = self._end_jobs(now)
            self._start_due(now)
            if ended and self._reassigns:
                self._reassign(now)
            while arrived < len(jobs) and jobs[arrived].job.submit <= now:
                self._reserve(arrived, now)
                arrived += 1
        return self._schedule(rejected, unknown, estimates)

    def _next_start(self) -> float:
        """Return when the next reservation starts; those of jobs that have started are forgotten."""
        while self._starts and not math.isnan(self._wanted[self._starts[0][1]].start):
            heapq.heappop(self._starts)
        return self._starts[0][0] if self._starts else math.inf

    def _end_jobs(self, now: float) -> bool:
        ended = False
        while self._ends and self._ends[0][0] <= now:
            wanted = self._wanted[heapq.heappop(self._ends)[1]]
            assert wanted.held is not None
            self._time.release(now, wanted.start + wanted.wall, wanted.held)
            wanted.held = None
            ended = True
            self._ended += 1
            if self._tell is not None and self._ended % _EVERY == 0:
                self._tell(self._ended, now)
        return ended

    def _start_due(self, now: float) -> None:
        while self._next_start() <= now:
            row = heapq.heappop(self._starts)[1]
            place = self._line.place(row)
            _, held = self._line.remove(place)
            self._start(row, held, now, overtakes=place > 0)

    def _reassign(self, now: float) -> None:
        line, begin = self._line, 0
        while len(line):
            place, held = self._time.first_now(line, begin, now)
            if place < 0:
                return
            row = line.row(place)
            start, reserved = line.remove(place)
            wall = self._wanted[row].wall
            self._time.release(start, start + wall, reserved)
            self._time.hold(now, now + wall, held)
            self._start(row, held, now, overtakes=place > 0)
            begin = place

    def _reserve(self, row: int, now: float) -> None:
        wanted = self._wanted[row]
        start, held = self._time.earliest(wanted.job.nodes, wanted.wall, now)
        self._time.hold(start, start + wanted.wall, held)
        wanted.promised = start
        if start <= now:
            self._start(row, held, now, overtakes=len(self._line) > 0)
            return
        self._line.add(row, wanted.job.nodes, wanted.wall, start, held)
        heapq.heappush(self._starts, (start, row))

    def _start(self, row: int, held: Set, now: float, overtakes: bool) -> None:
        wanted = self._wanted[row]
        nodes = self._time.unpacked(held)
        seconds = self._penalty.seconds(wanted.job.run_time, self._platform.above_least(nodes))
        wanted.failed = seconds > wanted.wall
        wanted.start, wanted.held, wanted.overtook = now, held, overtakes
        wanted.end = now + min(seconds, wanted.wall)
        self._allocations[row] = nodes
        heapq.heappush(self._ends, (wanted.end, row))

    def _schedule(self, rejected: tuple[tuple[int, int, str], ...], unknown: int, estimates: str) -> Schedule:
        """Return what came of the jobs."""
        rows = Rows()
        for wanted, nodes in zip(self._wanted, self._allocations, strict=True):
            row, job = rows.append(), wanted.job
            for name, value in {
                "number": job.number,
                "submit": job.submit,
                "start": wanted.start,
                "end": wanted.end,
                "nodes": job.nodes,
                "held": len(nodes),
                "nominal": job.run_time,
                "estimate": wanted.wall,
                "promised": wanted.promised,
                "state": State.FAILED if wanted.failed else State.DONE,
                "contiguous": nodes[-1] - nodes[0] + 1 == len(nodes),
                "backfilled": wanted.overtook,
            }.items():
                rows[name][row] = value
        columns = rows.columns()
        none: NDArray[np.int64] = np.empty(0, np.int64)
        return Schedule(
            machine=f"levels:{self._platform.text}",
            machine_nodes=self._platform.processors,
            policy=f"conservative on processors, {self._rule}",
            estimates=estimates,
            overrun="kill",
            **columns,
            killed=Kills(none, none.astype(float), none.astype(float), none),
            rejected=rejected,
            without_estimate=unknown,
            busy=float((columns["held"] * (columns["end"] - columns["start"])).sum()),
            blocked=math.nan,
            allocations=tuple(self._allocations),
            cost=Cost(self._passes, 0, 0, math.nan),
            power=None,
        )


def _checked(jobs: Iterable[Job]) -> Iterable[Job]:
    """Yield jobs, each checked against the one before."""
    last = -math.inf
    for job in jobs:
        if not last <= job.submit < math.inf:
            raise ValueError(f"job {job.number}: submitted at {job.submit:g}, expected at or after {last:g}")
        if job.nodes < 1 or not 0 <= job.run_time < math.inf:
            raise ValueError(
                f"job {job.number}: {job.nodes} processors for {job.run_time:g} s, "
                "expected at least 1 for 0 s"
            )
        last = job.submit
        yield job


def _wall(job: Job, wall: float) -> float:
    if not 0 < wall < math.inf:
        raise ValueError(f"job {job.number}: wall time {wall:g} s, expected a finite number over 0")
    if job.submit + wall == job.submit:
        raise ValueError(f"job {job.number}: wall time {wall:g} s is too short beside time {job.submit:g} s")
    return wall
