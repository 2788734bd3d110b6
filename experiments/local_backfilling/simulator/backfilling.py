"""Conservative backfilling in which a reservation names its processors, free during all of its window."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from netplace.checks import check_choice
from netplace.experiments.local_backfilling.simulator.platform import (
    RULES,
    Penalty,
    PlaceRule,
    Platform,
    place,
    read_penalty,
)
from netplace.native import experiments as native
from netplace.scheduling import Job, Schedule, schedule
from netplace.scheduling.partitioner import Allocation, PlainPartitioner
from netplace.scheduling.policy import Machine, Policy, Running, Waiting
from netplace.topologies import Topology, mesh


class WaitingLine:
    def __init__(self, words: int) -> None:
        self.sizes = np.zeros(64, np.int64)
        self.walls, self.starts = np.zeros(64), np.full(64, math.inf)
        self.sets: NDArray[np.uint64] = np.zeros((64, words), np.uint64)
        self._slots, self._rows = np.zeros(64, np.int64), np.zeros(64, np.int64)
        self._unused = list(range(63, -1, -1))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def slots(self) -> NDArray[np.int64]:
        """Slots in order of submission."""
        return self._slots[: self._count]

    def row(self, place: int) -> int:
        return int(self._rows[place])

    def place(self, row: int) -> int:
        return int(np.searchsorted(self._rows[: self._count], row))

    def add(self, row: int, size: int, wall: float, start: float, held: NDArray[np.uint64]) -> None:
        if not self._unused:
            self._grow()
        slot = self._unused.pop()
        self.sizes[slot], self.walls[slot], self.starts[slot], self.sets[slot] = size, wall, start, held
        self._slots[self._count], self._rows[self._count] = slot, row
        self._count += 1

    def remove(self, place: int) -> tuple[float, NDArray[np.uint64]]:
        slot, last = int(self._slots[place]), self._count - 1
        for column in (self._slots, self._rows):
            column[place:last] = column[place + 1 : last + 1]
        self._count = last
        self._unused.append(slot)
        return float(self.starts[slot]), self.sets[slot].copy()

    def _grow(self) -> None:
        old = len(self.sizes)
        for name in ("sizes", "walls", "starts", "sets", "_slots", "_rows"):
            column = getattr(self, name)
            setattr(self, name, np.concatenate([column, np.zeros_like(column)]))
        self._unused = list(range(2 * old - 1, old - 1, -1))


Set = NDArray[np.uint64]  # shape (words,): processor p is bit p % 64 of word p // 64


class Timeline:
    """Sets of free processors over time, and the searches of conservative backfilling in them."""

    def __init__(self, platform: Platform, rule: PlaceRule, now: float) -> None:
        self.words = -(-platform.processors // 64)
        self._searched = native.Timeline(platform.blocks, rule.kind, rule.forced, now)

    def unpacked(self, held: Set) -> NDArray[np.int64]:
        """Return the processors of a set, in increasing order."""
        return np.flatnonzero(np.unpackbits(held.view(np.uint8), bitorder="little"))

    def hold(self, begin: float, end: float, held: Set) -> None:
        self._searched.change(begin, end, held, release=False)

    def release(self, begin: float, end: float, held: Set) -> None:
        self._searched.change(begin, end, held, release=True)

    def earliest(self, size: int, wall: float, now: float) -> tuple[float, Set]:
        """Return the first start from `now` on at which the rule finds processors for a job, and these.

        Candidates are `now` and all later instants at which a reservation starts or ends.
        """
        return self._searched.earliest(size, wall, now)

    def first_now(self, line: WaitingLine, begin: int, now: float) -> tuple[int, Set]:
        """Return the place, from `begin` on, of the first job that can start now, or -1; and its set.

        A job can if it could without its own reservation.
        """
        return self._searched.first_now(
            line.slots, line.sizes, line.walls, line.starts, line.sets, begin, now
        )


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
    earliest at which `rule` takes any. When jobs have ended, with `reassign`, those that wait are gone
    through once in order of submission, and one that finds processors for its wall time from now on starts at
    once; none moves to another time. A job whose run time, with the penalty of its place, is over its wall
    time (``estimate``) ends there and has failed. Jobs larger than the platform are rejected. F. Mendonca,
    thesis, Université Grenoble Alpes, 2017, algorithm 1 and section 5.5.
    """
    check_choice(rule, RULES, "rule")
    line = mesh((platform.processors,))
    made = schedule(
        line,
        jobs,
        Policy(
            f"conservative on processors, {rule}",
            lambda: _Reservations(platform, rule, reassign),
            "a reservation names its processors",
        ),
        _Places(line, rule, platform),
        _Times(platform, read_penalty(penalty) if isinstance(penalty, str) else penalty),
        estimates=estimates,
        overrun="kill",
        keep_nodes=True,
        tell=tell,
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


class _Reservations:
    """The jobs that wait, each with a start and processors, and until when those that run hold theirs."""

    def __init__(self, platform: Platform, rule: str, reassigns: bool) -> None:
        self._platform, self._rule, self._reassigns = platform, rule, reassigns
        self._time: Timeline | None = None
        self._waiting: dict[int, Waiting] = {}
        self._new: list[Waiting] = []
        self._starts: list[tuple[float, int]] = []
        self._held: dict[int, tuple[float, Set]] = {}
        self._freed: list[Running] = []

    def __len__(self) -> int:
        return len(self._waiting) + len(self._new)

    def add(self, waiting: Waiting) -> None:
        job, wall = waiting.job, waiting.estimate
        if not 0 < wall < math.inf:
            raise ValueError(f"job {job.number}: wall time {wall:g} s, expected a finite number over 0")
        if job.submit + wall == job.submit:
            raise ValueError(
                f"job {job.number}: wall time {wall:g} s is too short compared with time {job.submit:g} s"
            )
        self._new.append(waiting)

    def ended(self, running: Running) -> None:
        self._freed.append(running)

    def late(self, running: Running, expected_end: float) -> None:
        """Not called: a job is ended at its wall time."""

    def head(self) -> Waiting | None:
        return next(iter(self._waiting.values()), self._new[0] if self._new else None)

    def advance(self, machine: Machine) -> None:
        if self._time is None:
            self._time = Timeline(self._platform, RULES[self._rule], machine.now)
            self._line = WaitingLine(self._time.words)
        for running in self._freed:
            end, held = self._held.pop(running.order)
            self._time.release(machine.now, end, held)
        freed = bool(self._freed)
        self._freed.clear()
        while self._next_start() <= machine.now:
            row = heapq.heappop(self._starts)[1]
            place_in_line = self._line.place(row)
            _, held = self._line.remove(place_in_line)
            self._start(self._waiting[row], held, machine, overtakes=place_in_line > 0)
        if freed and self._reassigns:
            self._move_up(machine)
        for waiting in self._new:
            self._reserve(waiting, machine)
        self._new.clear()
        self._wake(machine)

    def _next_start(self) -> float:
        while self._starts and self._starts[0][1] not in self._waiting:
            heapq.heappop(self._starts)
        return self._starts[0][0] if self._starts else math.inf

    def _wake(self, machine: Machine) -> None:
        """Ask to be called when the next reservation starts, exactly then: a sum may be rounded up."""
        start, now = self._next_start(), machine.now
        if start < math.inf:
            machine.wake(start if now + (start - now) == start else math.nextafter(start, -math.inf))

    def _move_up(self, machine: Machine) -> None:
        """Go through the jobs that wait once, in order, and start those that can start now."""
        assert self._time is not None
        begin = 0
        while len(self._line):
            begin, held = self._time.first_now(self._line, begin, machine.now)
            if begin < 0:
                return
            waiting = self._waiting[self._line.row(begin)]
            start, reserved = self._line.remove(begin)
            self._time.release(start, start + waiting.estimate, reserved)
            self._time.hold(machine.now, machine.now + waiting.estimate, held)
            self._start(waiting, held, machine, overtakes=begin > 0)

    def _reserve(self, waiting: Waiting, machine: Machine) -> None:
        assert self._time is not None
        start, held = self._time.earliest(waiting.job.nodes, waiting.estimate, machine.now)
        self._time.hold(start, start + waiting.estimate, held)
        waiting.promised = start
        self._waiting[waiting.row] = waiting
        if start <= machine.now:
            self._start(waiting, held, machine, overtakes=len(self._line) > 0)
            return
        self._line.add(waiting.row, waiting.job.nodes, waiting.estimate, start, held)
        heapq.heappush(self._starts, (start, waiting.row))

    def _start(self, waiting: Waiting, held: Set, machine: Machine, overtakes: bool) -> None:
        assert self._time is not None
        del self._waiting[waiting.row]
        allocation = Allocation(self._time.unpacked(held))
        running = machine.start(waiting, allocation, backfilled=overtakes)
        self._held[running.order] = machine.now + waiting.estimate, held
