"""First come, first served."""

from __future__ import annotations

from collections import deque

from netplace.scheduling.policy.asked import Machine, Running, Waiting

__all__ = ["FcfsQueue"]


class FcfsQueue:
    """Jobs start in the order of their submission; one that does not fit holds up all behind it."""

    def __init__(self) -> None:
        self._line: deque[Waiting] = deque()
        self._failed_at = -1  # releases at which the head did not fit

    def __len__(self) -> int:
        return len(self._line)

    def add(self, waiting: Waiting) -> None:
        """Take in a job at the end."""
        self._line.append(waiting)

    def ended(self, running: Running) -> None:
        """Take no note: only the free nodes count."""

    def late(self, running: Running, expected_end: float) -> None:
        """Take no note."""

    def head(self) -> Waiting | None:
        """Return the first of the queue."""
        return self._line[0] if self._line else None

    def advance(self, machine: Machine) -> None:
        """Start jobs from the front as long as they fit."""
        if machine.releases == self._failed_at:
            return
        line, partitioner = self._line, machine.partitioner
        while line:
            waiting = line[0]
            allocation = partitioner.find(waiting.job) if waiting.job.nodes <= partitioner.free else None
            if allocation is None:
                self._failed_at = machine.releases
                return
            line.popleft()
            machine.start(waiting, allocation)
