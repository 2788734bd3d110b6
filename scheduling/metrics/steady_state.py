"""Means of the steady state with confidence intervals, by batch means.

Jobs that follow each other wait for the same reasons, so their values are no independent sample. The means of
long batches of them are, nearly. A. Law and W. Kelton, "Simulation modeling and analysis", section 9.5.
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
    """A mean and how sure it is.

    Attributes
    ----------
    mean : float
        Of all batches.
    half_width : float
        The confidence interval is ``mean`` plus and minus this; NaN if the batches are too few, or hang
        together too much.
    confidence : float
        Its level.
    batches : int
        How many there were.
    """

    mean: float
    half_width: float
    confidence: float
    batches: int


@dataclass(frozen=True)
class Difference:
    """Outcome of a Kruskal-Wallis test.

    Attributes
    ----------
    statistic : float
        H.
    p_value : float
        Probability of batches that differ so much where schedules do not.
    """

    statistic: float
    p_value: float


def batch_means(
    schedule: Schedule,
    measure: str = "wait",
    warmup: float = 0.1,
    batches: int = 20,
    counted: NDArray[np.bool_] | None = None,
) -> NDArray[np.float64]:
    """Return the means of batches of equal size, once the machine has filled.

    Parameters
    ----------
    schedule : Schedule
        The schedule.
    measure : str
        One of `STEADY`. Batches are of jobs in order of submission; those of the utilization are stretches of
        time, up to the last submission.
    warmup : float
        Share left out at the beginning, 0 to less than 1.
    batches : int
        How many, at least 2.
    counted : ndarray of bool, shape (jobs,), optional
        Which jobs count, but for the utilization; by default all. Batches have the same jobs whatever counts.
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
    """Return the mean of the steady state with its confidence interval, by Student's t.

    Parameters and errors are those of `batch_means`.

    Parameters
    ----------
    confidence : float
        Level of the interval, between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence: {confidence:g} is not between 0 and 1")
    means = batch_means(schedule, measure, warmup, batches, counted)
    found = estimate(means, in_time=True)
    return SteadyMean(found.mean, found.half_width_at(confidence), confidence, batches)


def kruskal_wallis(groups: Mapping[str, NDArray[np.float64]]) -> Difference:
    """Return whether the batch means of several schedules differ by more than chance.

    Parameters
    ----------
    groups : mapping
        Batch means by the name of their schedule, at least two.
    """
    from scipy import stats

    if len(groups) < 2 or not all(len(values) for values in groups.values()):
        raise ValueError(f"Kruskal-Wallis: {len(groups)} groups, expected at least two that are not empty")
    values = list(groups.values())
    if len({float(value) for group in values for value in group}) == 1:
        return Difference(0.0, 1.0)  # ranks of equal values say nothing
    test = stats.kruskal(*values)
    return Difference(float(test.statistic), float(test.pvalue))
