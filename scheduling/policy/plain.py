"""A queue to build a user's policy on: what is left to say is which jobs start."""

from __future__ import annotations

import bisect

from netplace.scheduling.policy.asked import Machine, Running, Waiting

__all__ = ["PlainQueue"]


class PlainQueue:
    """Waiting jobs in the order of their submission; a policy says in `advance` which of them start.

    Attributes
    ----------
    waiting : list of Waiting
        The jobs.
    """

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
