"""Shortest job first."""

from __future__ import annotations

import heapq

from netplace.scheduling.policy.asked import Machine, Running, Waiting

__all__ = ["SjfQueue"]


class SjfQueue:
    """The job with the shortest estimate starts first, then by submission; the first holds up the others."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Waiting]] = []
        self._failed: tuple[int, int] | None = None  # releases, and row of the head that did not fit

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, waiting: Waiting) -> None:
        """Take in a job at the place of its estimate."""
        heapq.heappush(self._heap, (waiting.estimate, waiting.row, waiting))

    def ended(self, running: Running) -> None:
        """Take no note: only the free nodes count."""

    def late(self, running: Running, expected_end: float) -> None:
        """Take no note."""

    def head(self) -> Waiting | None:
        """Return the job with the shortest estimate."""
        return self._heap[0][2] if self._heap else None

    def advance(self, machine: Machine) -> None:
        """Start the shortest jobs as long as they fit."""
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
