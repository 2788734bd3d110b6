"""The mean of a sample and its confidence interval; the unit of sampling decides how it is computed.

Consecutive jobs wait for the same reasons, so their values are not independent. Values in time are therefore
combined into batches, whose means are less correlated. The correlation of adjacent batches determines to how
many independent values they are equivalent; if these are fewer than ten, there is no interval. A. Law and W.
Kelton, "Simulation modeling and analysis", sections 4.4 and 9.5.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import check_choice, check_int
from netplace.scheduling.metrics.per_job import PER_JOB, per_job
from netplace.scheduling.metrics.series import allocated_nodes
from netplace.scheduling.schedule import Schedule

__all__ = [
    "BATCHES",
    "LEAST_EFFECTIVE",
    "LEVEL",
    "UNITS",
    "Estimate",
    "estimate",
    "half_width",
    "half_width_of",
    "of_draws",
    "pooled",
    "quantile",
]

LEVEL = 0.95  # of every interval, unless another is asked for
BATCHES = 20  # into which values in time are joined
LEAST_EFFECTIVE = 10  # independent values that the batches must be worth
_WORTH = 2  # draws that a deviation known before counts for
_LEAST_DEVIATION = 0.015  # share; draws of jobs that meet rarely can all be the same by chance
# What a value can be of, and how it is called. Batches and jobs follow each other in time; draws are few.
UNITS = {"seeds": "seeds", "draws": "draws", "batches": "batches of jobs", "jobs": "jobs in 20 batches"}
IN_TIME = ("batches", "jobs")

_ROUNDING = 1e-9  # relative: deviations of no more are none

Values = Sequence[float] | NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Estimate:
    """The mean of a sample, and its precision.

    Attributes
    ----------
    error : float
        Standard error of `mean`; NaN if unknown.
    count : float
        Number of independent values to which the sample is equivalent; 1 if `error` is unknown.
    unit : str
        What each value is of: a key of `UNITS`.
    """

    mean: float
    error: float
    count: float
    unit: str = "seeds"

    @property
    def half_width(self) -> float:
        """Half-width of the 95 % confidence interval of `mean`; NaN if unknown."""
        return self.half_width_at(LEVEL)

    @property
    def share_half_width(self) -> float:
        """Half-width as a share of the mean; 0 if the mean is 0."""
        return self.half_width / abs(self.mean) if self.mean else 0.0

    @property
    def p_value(self) -> float:
        """Two-sided probability of a mean at least this far from 0 by chance; NaN if unknown."""
        from scipy import special

        if not self.error:  # values of one size: as likely as that all signs agree
            return 0.0 if not self.mean else float(2.0 ** (1 - self.count))
        return 2 * float(special.stdtr(self.count - 1, -abs(self.mean) / self.error))

    def half_width_at(self, confidence: float) -> float:
        """Return the half-width of the confidence interval of `mean` at a level between 0 and 1."""
        return quantile(self.count, confidence) * self.error if self.error > 0 else self.error


def estimate(values: Values, unit: str = "seeds") -> Estimate:
    """Return the mean of one or more values with its standard error; `unit` is a key of `UNITS`.

    Batches and jobs follow each other in time. They are combined into 20 batches, and the error is computed
    as if the correlation of the batches were one standard error above the measured one. The error is NaN if
    the batches are equivalent to fewer than 10 independent values.
    """
    in_time = unit in IN_TIME
    sample = np.asarray(values, float)
    mean, count = float(sample.mean()), len(sample)
    if in_time and count > BATCHES:
        sample = np.array([part.mean() for part in np.array_split(sample, BATCHES)])
    size = len(sample)
    if size < (LEAST_EFFECTIVE if in_time else 2):
        return Estimate(mean, math.nan, 1, unit)
    deviation = float(sample.std(ddof=1))
    if not in_time:
        return Estimate(mean, deviation / math.sqrt(size), size, unit)
    alike = _correlation(sample)
    effective = min(float(size), size * (1 - alike) / (1 + alike))
    if effective < LEAST_EFFECTIVE:
        return Estimate(mean, math.nan, 1, unit)
    cautious = max(0.0, alike + 1 / math.sqrt(size))
    error = deviation * math.sqrt((1 + cautious) / (1 - cautious) / size)
    return Estimate(mean, error, effective, unit)


def of_draws(mean: float, deviation: float, draws: int, prior: float) -> Estimate:
    """Return the mean of few draws, which can miss rare events, as an estimate.

    The variance of the draws is combined with that of the standard deviation `prior`, which counts as much as
    two draws: G. Smyth, "Linear models and empirical Bayes methods", 2004. The error of a single draw is NaN.
    """
    if draws < 2:
        return Estimate(mean, math.nan, 1, "draws")
    joined = ((draws - 1) * deviation**2 + _WORTH * prior**2) / (draws - 1 + _WORTH)
    return Estimate(mean, math.sqrt(joined / draws), draws + _WORTH, "draws")


def pooled(values: NDArray[np.float64], over: NDArray[np.float64] | None = None) -> list[Estimate]:
    """Return the estimate of each row of few draws: of its mean, or of the ratio of its mean to another.

    `values` and `over`, shape (rows, draws), are the values of each row by draw, and the denominators with
    the same random numbers. The error of a ratio is that of the differences from it: W. Cochran, "Sampling
    techniques", section 6. The prior deviation of all rows, as a share of their means, is the root of the
    mean variance of the rows that vary; at least 1.5 %.
    """
    mean = values.mean(axis=1)
    ratio = mean if over is None else _divided(mean, over.mean(axis=1), 1.0)
    gaps = values - (mean[:, None] if over is None else ratio[:, None] * over)
    deviation = _divided(gaps.std(axis=1, ddof=1), mean, 0.0) if values.shape[1] > 1 else 0.0 * mean
    varying = deviation[deviation > _ROUNDING]
    prior = max(_LEAST_DEVIATION, math.sqrt(np.mean(varying**2)) if len(varying) else 0.0)
    return [
        of_draws(found, found * share, values.shape[1], found * prior)
        for found, share in zip(ratio.tolist(), deviation.tolist(), strict=True)
    ]


def _divided(values: Any, by: Any, otherwise: float) -> NDArray[np.float64]:
    return np.asarray(np.divide(values, by, out=np.full(len(by), otherwise), where=by > 0))


@lru_cache
def quantile(count: float, confidence: float = LEVEL) -> float:
    """Return the half-width of a confidence interval in standard errors of `count` values, by Student's t.

    `count` is at least 2, and need not be whole if values are correlated; `confidence` is between 0 and 1.

    With t = sqrt(f) tan(a), the share of values within t is in proportion to the integral of cos^(f-1) from 0
    to a, which is concave: Newton's steps from 0 approach its inverse from below.
    """
    from numpy.polynomial.legendre import leggauss

    places, weights = leggauss(32)
    free, angle, step = count - 1, 0.0, 1.0
    wanted = confidence * math.sqrt(math.pi) / 2 * math.exp(math.lgamma(free / 2) - math.lgamma(count / 2))
    while step > 1e-15 * angle:
        covered = angle / 2 * float(weights @ np.cos(angle / 2 * (1 + places)) ** (free - 1))
        step = (wanted - covered) / math.cos(angle) ** (free - 1)
        angle += step
    return math.sqrt(free) * math.tan(angle)


def half_width_of(std: float, count: int) -> float:
    """Return the half-width of the 95 % interval of the mean of `count` values of standard deviation `std`.

    The result is NaN for fewer than two values.
    """
    return quantile(count) * std / math.sqrt(count) if count > 1 else math.nan


def half_width(values: Values, confidence: float = LEVEL) -> float:
    """Return the half-width of the confidence interval of the mean of independent `values`, by Student's t.

    The result is NaN for fewer than two values.

    Examples
    --------
    >>> round(half_width([1.0, 2.0, 3.0]), 3)
    2.484
    """
    return estimate(values).half_width_at(confidence) if len(values) else math.nan


def _correlation(values: NDArray[np.floating[Any]]) -> float:
    """Return the correlation of neighbors; the estimate from few is too low by about 1 / count."""
    off = values - values.mean()
    total = float(off @ off)
    return min((float(off[:-1] @ off[1:]) / total if total else 0.0) + 1 / len(values), 0.95)


STEADY = ("utilisation", *PER_JOB)


@dataclass(frozen=True)
class SteadyMean:
    """A mean over batches and its precision."""

    mean: float
    half_width: float  # of the confidence interval; NaN if batches are too few or too strongly correlated
    confidence: float  # level of the interval
    batches: int


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
        return allocated_nodes(schedule).means(edges) / schedule.machine_nodes
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
    found = estimate(means, "batches")
    return SteadyMean(found.mean, found.half_width_at(confidence), confidence, batches)
