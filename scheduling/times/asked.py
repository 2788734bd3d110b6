"""How long a job runs where it is."""

from __future__ import annotations

from typing import Protocol

from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation

__all__ = ["RunTimes"]


class RunTimes(Protocol):
    """Answers how long a job takes on the nodes that it got.

    A new one is a class with these two members, in a file of its own, and a line in
    `netplace.scheduling.times.RUN_TIMES`.
    """

    def seconds(self, job: Job, allocation: Allocation) -> float:
        """Return the run time in seconds.

        Raises
        ------
        LookupError
            If it is not known; the sentence names what is missing.
        """

    def longest(self, job: Job) -> float:
        """Return the longest run time in seconds that the job may have, whichever nodes it gets.

        It is what a user who knows the job well would estimate.
        """
