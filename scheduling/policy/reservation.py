"""The reservation of the head of the queue, and which jobs may start without delaying it.

If every job fits that needs no more than the free nodes, counting them is enough. Otherwise the reservation
is a copy of the partitioner as it will be when the head starts: without the running jobs that end before by
their estimates, with those that the policy has started since. As long as the head finds a place in that copy,
the promise holds.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Iterator
from itertools import groupby

from netplace.scheduling.partitioner.allocation import Allocation, Foreseeing
from netplace.scheduling.policy.asked import Machine, Running, Waiting


class ExpectedEnds:
    """Running jobs, the one expected to end next in front, ties by the order of their starts."""

    def __init__(self) -> None:
        self._keys: list[tuple[float, int]] = []
        self._jobs: dict[int, Running] = {}

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[Running]:
        jobs = self._jobs
        return (jobs[order] for _, order in self._keys)

    def add(self, running: Running) -> None:
        insort(self._keys, (running.expected_end, running.order))
        self._jobs[running.order] = running

    def remove(self, running: Running) -> None:
        del self._keys[bisect_left(self._keys, (running.expected_end, running.order))]
        del self._jobs[running.order]

    def move(self, running: Running, expected_end: float) -> None:
        self.remove(running)
        running.expected_end = expected_end
        self.add(running)


class CountReservation:
    """A start that depends on the number of free nodes alone; an infinite `time` admits no job."""

    def __init__(self, head: Waiting, ends: ExpectedEnds, machine: Machine) -> None:
        wanted, free = head.job.nodes, machine.partitioner.free
        self.time, self.spare = math.inf, 0
        if free >= wanted:  # enough of them, but not in one place
            self.time, self.spare = machine.now, free - wanted
        for running in ends:
            if running.expected_end > self.time or running.expected_end == math.inf:
                break
            free += len(running.allocation.nodes)
            if free >= wanted:
                self.time, self.spare = running.expected_end, free - wanted

    def admits(self, allocation: Allocation, end: float) -> bool:
        """Return whether a job may start on `allocation` now, expected until `end`; if so it is counted."""
        if end <= self.time < math.inf:
            return True
        if len(allocation.nodes) > self.spare:
            return False
        self.spare -= len(allocation.nodes)
        return True

    def close(self, machine: Machine) -> None:
        """Nothing is to be accounted for."""


class PlaceReservation:
    """A start that depends on which nodes are free."""

    def __init__(self, head: Waiting, ends: ExpectedEnds, machine: Machine) -> None:
        self._head = head.job
        self._future = machine.trial()
        self.time = self._first_place(ends)

    @property
    def spare(self) -> int:
        """Most nodes that a job may hold at that time."""
        return self._future.free - self._head.nodes if self.time < math.inf else 0

    def _first_place(self, ends: ExpectedEnds) -> float:
        """Let jobs end, all of an instant at once, until the head finds a place."""
        instants = groupby(ends, key=lambda running: running.expected_end)
        if isinstance(self._future, Foreseeing):
            known = [
                (at, [running.allocation for running in ending]) for at, ending in instants if at < math.inf
            ]
            count = self._future.release_until(self._head, [ending for _, ending in known])
            return math.inf if count is None else float(known[count - 1][0])
        for instant, together in instants:
            if instant == math.inf:
                break
            for running in together:
                self._future.release(running.allocation)
            if self._fits():
                return float(instant)
        return math.inf

    def _fits(self) -> bool:
        future = self._future
        return self._head.nodes <= future.free and future.find(self._head) is not None

    def admits(self, allocation: Allocation, end: float) -> bool:
        """Return whether a job may start on `allocation` now, expected until `end`; if so it is placed."""
        if self.time == math.inf:
            return False
        if end <= self.time:
            return True
        self._future.take(allocation)
        if self._fits():
            return True
        self._future.release(allocation)
        return False

    def close(self, machine: Machine) -> None:
        machine.spent(self._future)


Reservation = CountReservation | PlaceReservation


def reserve(head: Waiting, ends: ExpectedEnds, machine: Machine) -> Reservation:
    kind = CountReservation if machine.partitioner.by_count else PlaceReservation
    return kind(head, ends, machine)
