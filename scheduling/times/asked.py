"""The interface of run times of jobs on their nodes."""

from __future__ import annotations

from typing import Protocol

from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation


class RunTimes(Protocol):
    """Returns the run time of a job on its nodes.

    To add one, write a class with these two members in its own file, and a line in
    `netplace.scheduling.times.RUN_TIMES`.
    """

    def seconds(self, job: Job, allocation: Allocation) -> float:
        """Return the run time in seconds.

        Raises
        ------
        LookupError
            If it is unknown; the message names the missing entry.
        """

    def longest(self, job: Job) -> float:
        """Return the longest possible run time of the job in seconds, whichever nodes it gets.

        It is the estimate of a user who knows the job well.
        """
