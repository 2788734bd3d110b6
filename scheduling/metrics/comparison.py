"""Significance of differences between contestants: paired differences, intervals, and verdicts in words.

The two values of a pair come from the same jobs (one seed, or one batch of a schedule), so the effect of
those jobs cancels: common random numbers. A. Law and W. Kelton, "Simulation modeling and analysis", sections
10.2 and 11.2.

Examples
--------
>>> easy, fcfs = [10.0, 21.0, 33.0, 40.0], [12.0, 24.0, 35.0, 43.0]
>>> difference = paired(easy, fcfs)
>>> round(difference.mean, 2), round(difference.half_width, 2), round(difference.p_value, 4)
(2.5, 0.92, 0.0032)
>>> [judgement.words for judgement in judged([difference])]
['clearly more']
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from netplace.inputs import check_float
from netplace.scheduling.metrics.interval import IN_TIME, LEVEL, Estimate, estimate

_MANY, _MOST_DRAWS = 10_000, 1 << 30  # draws
_SHARES, _FAR = 200, 30.0  # of a distribution of spreads; standard errors
_ROUNDING = 1e-9  # relative: differences of no more are none

# What a verdict says, for legends and help.
MEANINGS = {
    "clearly less": "significantly less: the p value, corrected for all comparisons, is below 0.05",
    "clearly more": "likewise more",
    "within chance": "not significant: chance alone can explain the difference",
    "equal": "no pair differs",
    "one run": "a difference of which it is not known how much is chance: of a single pair, or of too few "
    "jobs or jobs that hang together",
}

# What the difference of two contestants is, and of which means.
SCALES = {"difference": "mean", "ratio": "mean", "geometric": "geometric mean"}


@dataclass(frozen=True)
class Paired:
    """The difference between a second contestant and a first one.

    Attributes
    ----------
    mean : float
        Mean of the second contestant minus mean of the first, or the logarithm of their ratio.
    half_width : float
        Half-width of the 95 % confidence interval of `mean`; NaN if unknown.
    p_value : float
        Two-sided probability of a difference at least this large by chance; NaN if unknown.
    count : float
        Number of independent pairs; smaller than the number of given pairs if these are correlated.
    first : float
        Mean of the first contestant.
    scale : str
        What `mean` is: a key of `SCALES`.
    """

    mean: float
    half_width: float
    p_value: float
    count: float
    first: float
    scale: str = "difference"

    @property
    def equal(self) -> bool:
        """Whether the values of every pair are equal."""
        return self.mean == 0 and self.half_width == 0

    @property
    def second(self) -> float:
        """Mean of the second contestant."""
        return self.first + self.mean if self.scale == "difference" else self.first * math.exp(self.mean)

    @property
    def share(self) -> float | None:
        """The difference as a share of the first mean; None if this mean is 0."""
        return self._share(self.mean)

    @property
    def share_interval(self) -> tuple[float, float] | None:
        """Both ends of the 95 % confidence interval of `share`; None if unknown."""
        low, high = (self._share(self.mean + side) for side in (-self.half_width, self.half_width))
        return None if low is None or high is None or math.isnan(low) else (low, high)

    def _share(self, mean: float) -> float | None:
        if self.scale != "difference":
            return math.expm1(mean)
        return mean / abs(self.first) if self.first else None

    @property
    def share_half_width(self) -> float | None:
        """Half-width of `share`."""
        return self.half_width / abs(self.first) if self.first else None


@dataclass(frozen=True)
class Judgement:
    """A verdict (a key of `MEANINGS`) on one of a family of differences, with its Holm-corrected p value."""

    words: str
    p_value: float

    @property
    def clear(self) -> bool:
        """Whether the difference is larger than chance explains."""
        return self.words.startswith("clearly")


def paired(first: ArrayLike, second: ArrayLike, unit: str = "seeds") -> Paired:
    """Return the difference between a second contestant and a first one, by the paired Student's t-test.

    Values with the same index belong to the same seed, draw, job or batch: `unit` says which, as in
    `netplace.scheduling.metrics.estimate`.
    """
    baseline, other = np.asarray(first, float), np.asarray(second, float)
    if baseline.shape != other.shape or not baseline.size:
        raise ValueError(
            f"pairs: {baseline.size} and {other.size} values, expected the same number of both, at least one"
        )
    gaps = other - baseline
    size = float(np.abs(baseline).max() + np.abs(other).max())
    if np.abs(gaps).max() <= _ROUNDING * size:
        return Paired(0.0, 0.0, 1.0, len(gaps), float(baseline.mean()))
    if not np.ptp(baseline) and not np.ptp(other):  # chance had no part: the same pair over again
        gaps = gaps[:1]
    found = estimate(gaps, unit)
    half = found.half_width
    if not half and found.p_value >= 1 - LEVEL:  # too few equal differences to tell anything
        half = math.nan
    return Paired(found.mean, half, found.p_value, found.count, float(baseline.mean()))


def paired_ratio(first: ArrayLike, second: ArrayLike, unit: str = "seeds") -> Paired:
    """Return the ratio of a second contestant's mean to a first one's, tested on its logarithm.

    The means are geometric, so that a pair of large values does not decide alone. Values in time, and those
    that are not all positive, have plain means, with a logarithm that is linear about them (W. Cochran,
    "Sampling techniques", section 6); where a mean is not positive, the result is that of `paired`. Both can
    have a row for each case over which means are taken.
    """
    cases = [np.atleast_2d(np.asarray(side, float)) for side in (first, second)]
    plain = [side.mean(axis=0) for side in cases]
    found = paired(plain[0], plain[1], unit)
    means = [float(side.mean()) for side in plain]
    if found.equal or min(means) <= 0:
        return found
    scale = "ratio" if unit in IN_TIME or min(side.min() for side in cases) <= 0 else "geometric"
    if scale == "ratio":
        logs = [side / mean - 1 + math.log(mean) for side, mean in zip(plain, means, strict=True)]
    else:
        logs = [np.log(side).mean(axis=0) for side in cases]
    return replace(paired(logs[0], logs[1], unit), first=math.exp(logs[0].mean()), scale=scale)


def unpaired(
    first: tuple[float, float, int], second: tuple[float, float, int], *, known: bool = False
) -> Paired:
    """Return the difference between a second contestant and a first one with other jobs, by Welch's t-test.

    Parameters
    ----------
    first, second : (float, float, int)
        Mean and standard deviation of the sample, and number of values.
    known : bool
        Whether values without spread are certain; otherwise, they give no information about chance.
    """
    (mean_first, spread_first, n_first), (other, spread_other, n_other) = first, second
    mean = other - mean_first
    if abs(mean) <= _ROUNDING * (abs(mean_first) + abs(other)):
        return Paired(0.0, 0.0, 1.0, min(n_first, n_other), mean_first)
    parts = np.array([spread_first**2 / n_first, spread_other**2 / n_other])
    total = float(parts.sum())
    if not total:
        return Paired(mean, 0.0 if known else math.nan, 0.0 if known else math.nan, 1, mean_first)
    freedom = total**2 / float((parts**2 / np.maximum([n_first - 1, n_other - 1], 1)).sum())
    found = Estimate(mean, math.sqrt(total), freedom + 1)
    return Paired(mean, found.half_width, found.p_value, found.count, mean_first)


def draws_needed(
    spread: float,
    difference: float,
    power: float = 0.8,
    *,
    apart: bool = False,
    pilot: int = 0,
    tests: int = 1,
) -> int:
    """Return how many draws show a difference: the smallest number with which Student's t has the power.

    Parameters
    ----------
    spread : float
        Standard deviation of a draw.
    apart : bool
        Whether the draws of the contestants are independent, rather than pairs.
    pilot : int
        Draws from which `spread` was computed; 0 means that it is known. The power is then a mean over the
        standard deviations that such a pilot can come from.
    tests : int
        Number of differences that are tested together, at the level of 0.05 divided by it.
    """
    from scipy import special

    check_float(spread, "spread", 0.0)
    check_float(difference, "difference", 1e-300)
    check_float(power, "power", 0.05, 1 - 1e-9)
    spreads = np.array([spread])
    if pilot > 1:  # at the middles of shares of equal probability
        free = pilot - 1
        spreads = spread * np.sqrt(free / special.chdtri(free, (np.arange(_SHARES) + 0.5) / _SHARES))

    def suffice(draws: int) -> bool:
        freedom = 2 * draws - 2 if apart else draws - 1
        far = difference / spreads * math.sqrt(draws / 2 if apart else draws)
        limit = float(special.stdtrit(freedom, 1 - (1 - LEVEL) / 2 / tests))
        if freedom > _MANY:  # the normal distribution
            return float(special.ndtr(far - limit).mean()) >= power
        missed = special.nctdtr(freedom, np.minimum(far, limit + _FAR), limit)  # NaN where SciPy has too much
        return float(1 - missed.mean()) >= power

    if spread == 0:
        return 2
    draws = 2 + bisect_left(range(2, _MOST_DRAWS), True, key=suffice)
    if draws == _MOST_DRAWS:
        raise ValueError(f"difference: {difference:g} is too small to detect with a spread of {spread:g}")
    return draws


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p values, corrected for their number; NaN does not count as a test and stays NaN.

    If nothing differs, no more than 5 % of families contain a p value below 0.05. S. Holm, "A simple
    sequentially rejective multiple test procedure", 1979.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p_values, float)
    order = np.argsort(values, kind="stable")[: int(np.isfinite(values).sum())]
    corrected = np.full(len(values), math.nan)
    corrected[order] = np.minimum(1, np.maximum.accumulate(values[order] * np.arange(len(order), 0, -1)))
    return [float(value) for value in corrected]


def judged(differences: Sequence[Paired]) -> list[Judgement]:
    """Return a verdict on each of a family of differences.

    A difference is *clear* if its p value, corrected by Holm's method for the whole family, is below 0.05.
    Equal contestants need no test: they do not belong to the family, and their p value is 1.
    """
    tested = [math.nan if difference.equal else difference.p_value for difference in differences]
    return [
        Judgement("equal", 1.0) if difference.equal else Judgement(_words(difference, p), p)
        for difference, p in zip(differences, holm(tested), strict=True)
    ]


def _words(difference: Paired, p_value: float) -> str:
    if math.isnan(p_value):
        return "one run"
    if p_value >= 1 - LEVEL:
        return "within chance"
    return "clearly less" if difference.mean < 0 else "clearly more"


def clear_best(mean: ArrayLike, std: ArrayLike, count: ArrayLike) -> int | None:
    """Return the place of the mean that is significantly less than all others (Welch, Holm), or None."""
    means, counts = np.asarray(mean, float), np.asarray(count, float)
    spread = np.where(counts > 1, np.fmax(0.0, np.asarray(std, float)), 0.0)  # 0 where it is not known
    known = np.flatnonzero(np.isfinite(means) & (counts > 0))
    if len(known) < 2 or counts[known].max() < 2:  # of single runs nothing is known
        return None
    sizes = np.abs(means[known])
    relative = np.divide(spread[known], sizes, out=np.zeros(len(known)), where=sizes > 0)
    single = known[counts[known] < 2]
    spread[single] = relative.max() * np.abs(means[single])
    best = int(known[np.argmin(means[known])])
    moments = [(float(means[place]), float(spread[place]), int(counts[place])) for place in known]
    own = (float(means[best]), float(spread[best]), int(counts[best]))
    others = [moment for place, moment in zip(known, moments, strict=True) if place != best]
    verdicts = judged([unpaired(own, other, known=True) for other in others])
    return best if all(verdict.words == "clearly more" for verdict in verdicts) else None
