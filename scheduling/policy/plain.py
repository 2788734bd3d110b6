"""A base class for users' queues, which only decide which jobs start."""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Callable
from typing import Any

from netplace.scheduling.policy.asked import Machine, Running, Waiting


class SortedQueue:
    """The first job by `key` starts first, then by submission; it holds up the others."""

    def __init__(self, key: Callable[[Waiting], Any] = lambda waiting: 0) -> None:
        self._key = key
        self._heap: list[tuple[Any, int, Waiting]] = []
        self._failed: tuple[int, int] | None = None  # releases, and row of the head that did not fit

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, waiting: Waiting) -> None:
        heapq.heappush(self._heap, (self._key(waiting), waiting.row, waiting))

    def ended(self, running: Running) -> None:
        """Take no note: only the free nodes count."""

    def late(self, running: Running, expected_end: float) -> None:
        """Take no note."""

    def head(self) -> Waiting | None:
        return self._heap[0][2] if self._heap else None

    def advance(self, machine: Machine) -> None:
        heap, partitioner = self._heap, machine.partitioner
        while heap:
            waiting = heap[0][2]
            if self._failed == (machine.releases, waiting.row):
                return
            allocation = partitioner.find(waiting.job) if waiting.job.nodes <= partitioner.free else None
            if allocation is None:
                self._failed = machine.releases, waiting.row
                return
            heapq.heappop(heap)
            machine.start(waiting, allocation)


def shortest(waiting: Waiting) -> float:
    return waiting.estimate


def longest(waiting: Waiting) -> float:
    """Return the key of LPT, longest processing time first.

    R. L. Graham, SIAM J. Applied Mathematics 17 (1969): at most ``4/3 - 1/(3 m)`` times the least makespan on
    m nodes, for jobs of one node that are all there at once.
    """
    return -waiting.estimate


def largest(waiting: Waiting) -> tuple[int, float]:
    """Return the key of the queue on Cplant: most nodes, then longest estimate.

    V. J. Leung et al., CLUSTER 2002, section 3; the direction, not printed there, is that of SST's scheduler.
    """
    return -waiting.job.nodes, -waiting.estimate


class PlainQueue:
    """Waiting jobs in the order of their submission; a policy says in `advance` which of them start."""

    def __init__(self) -> None:
        self.waiting: list[Waiting] = []

    def __len__(self) -> int:
        return len(self.waiting)

    def add(self, waiting: Waiting) -> None:
        """Take in a job, at its place by submission."""
        bisect.insort(self.waiting, waiting, key=lambda other: other.row)

    def ended(self, running: Running) -> None:
        """Take no note."""

    def late(self, running: Running, expected_end: float) -> None:
        """Expect the job's end later."""
        running.expected_end = expected_end

    def head(self) -> Waiting | None:
        """Return the first job."""
        return self.waiting[0] if self.waiting else None

    def start(self, waiting: Waiting, machine: Machine) -> bool:
        """Start a job now if there is a place for it, and return whether there was."""
        partitioner = machine.partitioner
        allocation = partitioner.find(waiting.job) if waiting.job.nodes <= partitioner.free else None
        if allocation is None:
            return False
        self.waiting.remove(waiting)
        machine.start(waiting, allocation)
        return True

    def advance(self, machine: Machine) -> None:
        """Start every job that may start now; called after all events of one instant."""
        raise NotImplementedError
