"""Means of the steady state with confidence intervals, by batch means.

Consecutive jobs wait for the same reasons, so their values are not independent; the means of long batches of
them nearly are. A. Law and W. Kelton, "Simulation modeling and analysis", section 9.5.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.checks import check_choice, check_int
from netplace.scheduling.metrics.interval import estimate
from netplace.scheduling.metrics.per_job import PER_JOB, per_job
from netplace.scheduling.metrics.series import held_nodes
from netplace.scheduling.schedule import Schedule

STEADY = ("utilisation", *PER_JOB)


@dataclass(frozen=True)
class SteadyMean:
    """A mean over batches and its precision.

    Attributes
    ----------
    half_width : float
        Half-width of the confidence interval; NaN if batches are too few or too strongly correlated.
    confidence : float
        Level of the confidence interval.
    """

    mean: float
    half_width: float
    confidence: float
    batches: int


@dataclass(frozen=True)
class Difference:
    """H of a Kruskal-Wallis test, and the probability of an H at least this large if schedules are equal."""

    statistic: float
    p_value: float


def batch_means(
    schedule: Schedule,
    measure: str = "wait",
    warmup: float = 0.1,
    batches: int = 20,
    counted: NDArray[np.bool_] | None = None,
) -> NDArray[np.float64]:
    """Return the means of batches of equal size, after the machine has filled.

    Parameters
    ----------
    measure : str
        One of `STEADY`. Batches consist of jobs in order of submission; for the utilization, they are
        intervals of time up to the last submission.
    warmup : float
        Share that is omitted at the beginning, from 0 to less than 1.
    batches : int
        Number of batches, at least 2.
    counted : ndarray of bool, shape (jobs,), optional
        Jobs that enter the means, except for the utilization; the division of jobs into batches does not
        depend on this.
    """
    check_choice(measure, STEADY, "measure")
    check_int(batches, "batches", 2)
    if not 0 <= warmup < 1:
        raise ValueError(f"warmup: {warmup:g} is invalid, expected a share from 0 to less than 1")
    first = math.ceil(warmup * len(schedule))
    if len(schedule) - first < batches:
        raise ValueError(
            f"batches: {batches} are more than the {len(schedule) - first} jobs after the warm-up"
        )
    if measure == "utilisation":
        edges = np.linspace(schedule.submit[first], schedule.submit[-1], batches + 1)
        if edges[0] == edges[-1]:
            raise ValueError("utilization: all jobs are submitted at once, so there is no steady state")
        return held_nodes(schedule).means(edges) / schedule.machine_nodes
    values = per_job(schedule, measure)
    if counted is not None:
        values = np.where(counted, values, np.nan)
    parts = np.array_split(values[first:], batches)
    if not all(np.isfinite(part).any() for part in parts):
        raise ValueError("batches: no job counts in one of them")
    return np.array([np.nanmean(part) for part in parts])


def steady_mean(
    schedule: Schedule,
    measure: str = "wait",
    warmup: float = 0.1,
    batches: int = 20,
    confidence: float = 0.95,
    counted: NDArray[np.bool_] | None = None,
) -> SteadyMean:
    """Return the mean in the steady state with its confidence interval, by Student's t.

    The other parameters and the errors are those of `batch_means`; `confidence` is between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence: {confidence:g} is not between 0 and 1")
    means = batch_means(schedule, measure, warmup, batches, counted)
    found = estimate(means, in_time=True)
    return SteadyMean(found.mean, found.half_width_at(confidence), confidence, batches)


def kruskal_wallis(groups: Mapping[str, NDArray[np.float64]]) -> Difference:
    """Return whether the batch means of two or more schedules differ by more than chance explains."""
    from scipy import stats

    if len(groups) < 2 or not all(len(values) for values in groups.values()):
        raise ValueError(f"Kruskal-Wallis: {len(groups)} groups, expected at least two that are not empty")
    values = list(groups.values())
    if len({float(value) for group in values for value in group}) == 1:
        return Difference(0.0, 1.0)  # ranks of equal values say nothing
    test = stats.kruskal(*values)
    return Difference(float(test.statistic), float(test.pvalue))
