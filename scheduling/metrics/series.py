"""The state of a machine over time, recomputed from the rows of a schedule."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.records import freeze_arrays
from netplace.scheduling.schedule import Schedule


@dataclass(frozen=True, eq=False)
class Steps:
    """A step function of time: ``value[i]`` from ``time[i]`` to ``time[i + 1]``, and 0 outside.

    Times are increasing and in seconds; the last value is 0.
    """

    time: NDArray[np.float64]
    value: NDArray[np.int64]

    def __post_init__(self) -> None:
        freeze_arrays(self)

    def until(self, moments: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the integral from the beginning to each of `moments`."""
        sums = np.concatenate([[0.0], np.cumsum(self.value[:-1] * np.diff(self.time))])
        return np.asarray(np.interp(moments, self.time, sums))

    def means(self, edges: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean in each of the windows between `edges`, which are increasing."""
        return np.asarray(np.diff(self.until(edges)) / np.diff(edges))


def held_nodes(schedule: Schedule) -> Steps:
    """Return how many nodes are held over time, including those of killed attempts."""
    killed = schedule.killed
    return _steps(
        np.concatenate([schedule.start, killed.start]),
        np.concatenate([schedule.end, killed.end]),
        np.concatenate([schedule.held, killed.held]),
    )


def running_jobs(schedule: Schedule) -> Steps:
    """Return how many jobs run over time, not counting killed attempts."""
    return _steps(schedule.start, schedule.end, np.ones(len(schedule), np.int64))


def waiting_jobs(schedule: Schedule) -> Steps:
    """Return how many jobs wait over time. A requeued job counts as waiting until its last start."""
    return _steps(schedule.submit, schedule.start, np.ones(len(schedule), np.int64))


def _steps(begin: NDArray[np.float64], end: NDArray[np.float64], size: NDArray[np.int64]) -> Steps:
    moments, place = np.unique(np.concatenate([begin, end]), return_inverse=True)
    change = np.zeros(len(moments), np.int64)
    np.add.at(change, place, np.concatenate([size, -size]))
    return Steps(moments, np.cumsum(change))
