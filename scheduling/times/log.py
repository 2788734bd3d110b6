"""Run times as the log or the model has them."""

from __future__ import annotations

from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation

__all__ = ["LogTimes"]


class LogTimes:
    """Every job runs as long as it did in its log, wherever it is."""

    def seconds(self, job: Job, allocation: Allocation) -> float:
        """Return the run time of the log in seconds."""
        return job.run_time

    def longest(self, job: Job) -> float:
        """Return the run time of the log in seconds."""
        return job.run_time
