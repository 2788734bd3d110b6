"""The interface of executions, which run jobs on their nodes and report their ends.

The scheduler knows nothing of what a job does there. Run times that are known from the start are one
execution (`TimedExecution`); a network on which jobs disturb each other is another, and lives above this
package.
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


@dataclass(frozen=True)
class Ends:
    """Attempts that end at the same time.

    Attributes
    ----------
    time : float
        Time of the end, in seconds of the scheduler's clock.
    attempts : tuple of int
        Numbers of the attempts.
    failed : bool
        Whether they failed.
    """

    time: float
    attempts: tuple[int, ...]
    failed: bool = False


@runtime_checkable
class Execution(Protocol):
    """Runs jobs; each *attempt* has its own number, so that a requeued job gets a new one.

    Times never decrease: each call is at or after the time of the previous one, and after a call of
    `next_end` up to that time.
    """

    def begin(self, attempt: int, job: Job, allocation: Allocation, now: float) -> float | None:
        """Begin a job on its nodes at `now`.

        Returns
        -------
        float or None
            Seconds until its end unless it is stopped, if later events cannot change them; None if they are
            unknown yet and `next_end` reports the end.

        Raises
        ------
        LookupError
            If its run time is unknown; the message names the missing entry.
        """

    def stop(self, attempt: int, now: float) -> None:
        """Stop an attempt at `now`, before its end."""

    def next_end(self, until: float) -> Ends | None:
        """Return the next end, not later than `until`, of attempts with run times unknown at the start.

        The result is None if there is none. Every end is reported once. ``inf`` requests the next end without
        a limit.
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
    """Jobs with run times that are known at their start, by rules and tables.

    Attributes
    ----------
    times : RunTimes
        Run times of jobs on their nodes.
    """

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
