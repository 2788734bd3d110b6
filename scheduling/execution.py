"""The interface of executions, which run jobs on their nodes and report their ends.

The scheduler does not know what a job does there. Run times known from the start are one execution
(`TimedExecution`); a network on which jobs disturb each other is another, in a package above this one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from netplace.checks.calls import check_fields, checked
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation


class RunTimes(Protocol):
    """Returns the run time of a job on its nodes.

    To add one, write a class with these members and a line in `netplace.scheduling.times.RUN_TIMES`.
    """

    def seconds(self, job: Job, allocation: Allocation) -> float:
        """Return the run time in seconds; LookupError names the missing entry if it is unknown."""

    def longest(self, job: Job) -> float:
        """Return the longest run time on any nodes, in seconds: the estimate of a user who knows the job."""


@dataclass(frozen=True)
class Ends:
    """Attempts that end at the same time, in seconds of the scheduler's clock."""

    time: float
    attempts: tuple[int, ...]
    failed: bool = False


@runtime_checkable
class Execution(Protocol):
    """Runs jobs; each *attempt* has its own number, so a requeued job gets a new one.

    Times never decrease: no call is earlier than the previous one, or than the end that `next_end` returned.
    """

    def begin(self, attempt: int, job: Job, allocation: Allocation, now: float) -> float | None:
        """Begin a job on its nodes at `now`; return the seconds until its end, or None.

        A number is final unless the attempt is stopped; None means that `next_end` will report the end.
        LookupError names the missing entry if the run time is unknown.
        """

    def stop(self, attempt: int, now: float) -> None:
        """Stop an attempt at `now`, before its end."""

    def next_end(self, until: float) -> Ends | None:
        """Return the next end by `until` (can be ``inf``) of attempts with run times unknown at the start.

        None: there is none. Every end is reported once.
        """

    def longest(self, job: Job) -> float:
        """Return the estimate in seconds of a user who knows the job, whichever nodes it gets."""


@runtime_checkable
class Losing(Protocol):
    """The additional methods of an execution whose machine can lose nodes permanently."""

    @property
    def loses(self) -> bool:
        """Whether nodes can be lost."""

    def lost(self, now: float) -> NDArray[np.int64]:
        """Return the nodes lost up to `now`, each once; no job gets them any more."""

    def refused(self, job: Job, why: str) -> None:
        """Record that no place is left for a waiting job."""


@dataclass(frozen=True)
class TimedExecution:
    """Jobs with run times that are known at their start, by rules and tables."""

    times: RunTimes

    def __post_init__(self) -> None:
        check_fields(self)

    @checked
    def begin(self, attempt: int, job: Job, allocation: Allocation, now: float) -> float:
        """Return how long the job runs on its nodes, in seconds."""
        return self.times.seconds(job, allocation)

    @checked
    def stop(self, attempt: int, now: float) -> None:
        """Do nothing, because a stopped attempt is not queried again."""

    @checked
    def next_end(self, until: float) -> None:
        """Return None: all ends are known from the start."""

    @checked
    def longest(self, job: Job) -> float:
        """Return the longest possible run time of the job, in seconds."""
        return self.times.longest(job)
