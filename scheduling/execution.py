"""What runs jobs on the nodes that they got, and says when they end.

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
from netplace.scheduling.times.asked import RunTimes

__all__ = ["Ends", "Execution", "Losing", "TimedExecution"]


@dataclass(frozen=True)
class Ends:
    """Attempts that end together.

    Attributes
    ----------
    time : float
        When, in seconds of the scheduler's clock.
    attempts : tuple of int
        Which, by the numbers with which they were begun.
    failed : bool
        Whether they ended without result.
    """

    time: float
    attempts: tuple[int, ...]
    failed: bool = False


@runtime_checkable
class Execution(Protocol):
    """Runs jobs, each *attempt* under a number of its own: a job that was put back gets another one.

    Times never go back: each call is at or after the time of the one before, and after `next_end` was asked
    up to that time.
    """

    def begin(self, attempt: int, job: Job, allocation: Allocation, now: float) -> float | None:
        """Begin a job on its nodes at `now`.

        Returns
        -------
        float or None
            Seconds that it runs unless it is stopped, where nothing that comes later can change them; None:
            not known yet, `next_end` will tell.

        Raises
        ------
        LookupError
            If its run time is not known; the sentence names what is missing.
        """

    def stop(self, attempt: int, now: float) -> None:
        """Stop an attempt at `now`, before its end."""

    def next_end(self, until: float) -> Ends | None:
        """Return the next end, not later than `until`, of attempts whose run time was not known at the start.

        None: there is none up to then. Every end is told once. ``inf`` asks for the next end whenever it is.
        """

    def longest(self, job: Job) -> float:
        """Return the run time in seconds that a user who knows the job estimates, whichever its nodes."""


@runtime_checkable
class Losing(Protocol):
    """What an execution also does on a machine whose nodes may be lost for good."""

    @property
    def loses(self) -> bool:
        """Whether that may happen at all."""

    def lost(self, now: float) -> NDArray[np.int64]:
        """Return the nodes that have been lost up to `now`, each once: jobs get them no more."""

    def refused(self, job: Job, why: str) -> None:
        """Record that a job that waited finds no place any more on what is left."""


@dataclass(frozen=True)
class TimedExecution:
    """Jobs whose run times are known when they start: rules and tables.

    Attributes
    ----------
    times : RunTimes
        How long jobs run where they are.
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
        """Do nothing: what has been stopped is not asked for again."""

    @checked
    def next_end(self, until: float) -> None:
        """Return None: all ends are known from the start."""

    @checked
    def longest(self, job: Job) -> float:
        """Return the longest run time in seconds that the job may have."""
        return self.times.longest(job)
