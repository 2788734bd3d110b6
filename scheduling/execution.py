"""The interface of executions, which run jobs on their nodes and report their ends.

The scheduler does not know what a job does there. Run times known from the start are one execution
(`TimedExecution`); a network on which jobs disturb each other is another, in a package above this one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation


class RunTimes(Protocol):
    """Returns the run times of jobs on their nodes.

    To add a rule, write a class with these members and add a line to `netplace.scheduling.times.RUN_TIMES`.
    """

    def seconds(self, job: Job, allocation: Allocation) -> float:
        """Return the run time in seconds; a LookupError names the missing entry if it is unknown."""

    def longest(self, job: Job) -> float:
        """Return the longest run time on any nodes, in seconds: an estimate by a user who knows the job."""


@dataclass(frozen=True)
class Completion:
    """Attempts that end at the same time, given in seconds on the scheduler's clock."""

    time: float
    attempts: tuple[int, ...]
    failed: bool = False


@runtime_checkable
class Execution(Protocol):
    """Runs jobs; each *attempt* has its own number, so a requeued job gets a new one.

    Times never decrease: no call is earlier than the previous one, or than the end that `next_end` returned.
    """

    def begin(self, attempt: int, job: Job, allocation: Allocation, now: float) -> float | None:
        """Start a job on its nodes at `now`; return the seconds until its end, or None.

        A number is final unless the attempt is stopped; None means that `next_end` will report the end. If
        the run time is unknown, raise a LookupError that names the missing entry.
        """

    def stop(self, attempt: int, now: float) -> None:
        """Stop an attempt at `now`, before its end."""

    def next_end(self, until: float) -> Completion | None:
        """Return the next end up to `until` (can be ``inf``) of attempts with run times unknown at the start.

        None means that there is no such end. Every end is reported once.
        """

    def longest(self, job: Job) -> float:
        """Return the estimate, in seconds, by a user who knows the job, whichever nodes it gets."""


@runtime_checkable
class NodeFailures(Protocol):
    """The additional methods of an execution whose machine can lose nodes permanently."""

    @property
    def loses(self) -> bool:
        """Whether nodes can be lost."""

    def lost(self, now: float) -> NDArray[np.int64]:
        """Return the nodes lost up to `now` that no earlier call has returned; no job gets them any more."""

    def refused(self, job: Job, why: str) -> None:
        """Record that a waiting job can no longer be placed."""


@dataclass(frozen=True)
class TimedExecution:
    """Runs jobs whose run times are known at their start, from rules or tables."""

    times: RunTimes

    def begin(self, attempt: int, job: Job, allocation: Allocation, now: float) -> float:
        """Return the run time of the job on its nodes, in seconds."""
        return self.times.seconds(job, allocation)

    def stop(self, attempt: int, now: float) -> None:
        """Do nothing: nothing is asked about a stopped attempt again."""

    def next_end(self, until: float) -> None:
        """Return None, because all ends are known from the start."""

    def longest(self, job: Job) -> float:
        """Return the longest possible run time of the job, in seconds."""
        return self.times.longest(job)
