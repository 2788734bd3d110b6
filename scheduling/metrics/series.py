"""The state of a machine over time, recomputed from the rows of a schedule, and means over intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import check_int
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


def allocated_nodes(schedule: Schedule) -> Steps:
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


# Batch means by time. Under saturation, all jobs are submitted at the beginning and the last ones never start
# in the measured time, so batches of jobs do not measure throughput; batches of time do. J. A. Pascual,
# thesis, UPV/EHU 2013: after a warm-up, 30 batches of 10^7 cycles.

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TimeBatches:
    """Figures for intervals of equal length, each of shape (batches,), in the schedule's unit of time.

    Attributes
    ----------
    length : float
        Length of an interval.
    started : ndarray of float64
        Number of jobs that start in the interval.
    head_wait, wait, run, turnaround : ndarray of float64
        Means over the jobs that start in the interval; nan if none does.
    utilisation : ndarray of float64
        Share of the machine that is held by jobs.
    """

    length: float
    started: Floats
    head_wait: Floats
    wait: Floats
    run: Floats
    turnaround: Floats
    utilisation: Floats

    def mean(self, name: str) -> float:
        """Return the mean of one of the figures over the batches in which a job starts."""
        return float(np.nanmean(getattr(self, name)))


def time_batches(
    schedule: Schedule, length: float, batches: int = 30, warmup: float | None = None
) -> TimeBatches:
    """Return the figures for intervals of equal length after a warm-up.

    `length` and `warmup` are in the schedule's unit of time. The warm-up begins at the first submission and,
    by default, lasts one interval. There must be at least 2 `batches`.
    """
    check_int(batches, "batches", 2)
    if not 0 < length < np.inf:
        raise ValueError(f"length of batches: {length:g} is invalid, expected a time greater than 0")
    ahead = length if warmup is None else warmup
    if not 0 <= ahead < np.inf:
        raise ValueError(f"warmup of batches: {ahead:g} is invalid, expected a time of at least 0")
    first = schedule.submit[0] + ahead
    edges = first + length * np.arange(batches + 1)
    if schedule.start.max() < edges[-1]:
        raise ValueError(
            f"batches: {batches} of {length:g} end at {edges[-1]:g}, after the last start at "
            f"{schedule.start.max():g}, expected more jobs"
        )
    place = np.searchsorted(edges, schedule.start, side="right") - 1
    inside = (place >= 0) & (place < batches)
    started = np.bincount(place[inside], minlength=batches).astype(float)

    def means(values: Floats) -> Floats:
        sums = np.bincount(place[inside], values[inside], minlength=batches)
        return np.asarray(np.divide(sums, started, out=np.full(batches, np.nan), where=started > 0))

    return TimeBatches(
        length=length,
        started=started,
        head_wait=means(schedule.head_wait),
        wait=means(schedule.start - schedule.submit),
        run=means(schedule.end - schedule.start),
        turnaround=means(schedule.end - schedule.submit),
        utilisation=allocated_nodes(schedule).means(edges) / schedule.machine_nodes,
    )
