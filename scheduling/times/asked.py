"""How long a job runs where it is."""

from __future__ import annotations

from typing import Protocol

from scheduling.job import Job
from scheduling.partitioner.allocation import Allocation

__all__ = ["RunTimes"]


class RunTimes(Protocol):
    """Answers how long a job takes on the nodes that it got."""

    def seconds(self, job: Job, allocation: Allocation) -> float:
        """Return the run time in seconds.

        Raises
        ------
        LookupError
            If it is not known; the sentence names what is missing.
        """
