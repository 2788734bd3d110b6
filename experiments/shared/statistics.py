"""Statistics of studies: tests, points where curves cross, and fronts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from netplace.scheduling.metrics import holm
from netplace.scheduling.metrics.interval import half_width

LEVEL = 0.05
Sample = Sequence[float]


def constant(minimum: ArrayLike, maximum: ArrayLike) -> tuple[float, int]:
    """Return the value that meets most printed cells, bounds included, and how many: a baseline.

    It is chosen with the cells known, so that a study that meets fewer says less than the printed mean.
    """
    low, high = np.asarray(minimum, float), np.asarray(maximum, float)
    if not low.size:
        return float("nan"), 0
    met = ((low <= low[:, None] + 1e-9) & (low[:, None] <= high + 1e-9)).sum(axis=1)  # at every lower bound
    at = int(met.argmax())
    inside = (low <= low[at] + 1e-9) & (low[at] <= high + 1e-9)
    return float((low[inside].max() + high[inside].min()) / 2), int(met[at])


def p_value(first: Sample, other: Sample) -> float:
    """Return the probability of so large a difference by chance.

    Two samples that vary are compared by the test of Kruskal and Wallis, one that varies with one that does
    not by the t-test for a single sample; of two that do not vary it is 1 if they are the same, else 0.
    """
    varies = [bool(np.ptp(sample) > 0) for sample in (first, other)]
    if all(varies):
        return float(stats.kruskal(first, other).pvalue)
    if not any(varies):
        return float(first[0] == other[0])
    sample, fixed = (first, other) if varies[0] else (other, first)
    return float(stats.ttest_1samp(sample, fixed[0]).pvalue)


def best(samples: Mapping[str, Sample], tie: float = 0.0) -> list[str]:
    """Return the name of the least mean, then those longer by at most `tie` or not significantly.

    The tests of the least mean against all others are corrected by Holm's method.
    """
    means = {name: float(np.mean(sample)) for name, sample in samples.items()}
    first = min(means, key=lambda name: means[name])
    others = [name for name in samples if name != first]
    corrected = holm([p_value(samples[first], samples[name]) for name in others])
    return [
        first,
        *(
            name
            for name, p in zip(others, corrected, strict=True)
            if means[name] <= means[first] * (1 + tie) or p > LEVEL
        ),
    ]


def spread(sample: Sample) -> tuple[float, float]:
    return float(np.mean(sample)), float(np.std(sample, ddof=1)) if len(sample) > 1 else 0.0


def relative(ratios: ArrayLike, unit: str) -> str:
    """Return by how much the geometric mean of ratios differs from 1, with a 95 % interval, as a text."""
    logs = np.log(np.asarray(ratios, float))
    half = half_width(logs)
    mean, low, high = (f"{100 * math.expm1(logs.mean() + side):+.1f}" for side in (0.0, -half, half))
    if len(logs) < 2:
        return f"{mean} % (from one alone, without an interval)"
    return f"{mean} % (95 % interval {low} to {high} %, {len(logs)} {unit})"


@dataclass(frozen=True)
class Point:
    """What several seeds say of a crossing."""

    # Mean over the seeds, and half of its confidence interval; NaN if some seed does not cross, the width
    # also if there is one seed alone.
    mean: float
    half_width: float
    # Seeds that cross at the first abscissa already, and those that have not crossed at the last.
    at_start: int
    beyond: int


def crossing(x: Sequence[float], ratio: ArrayLike) -> float:
    """Return the least abscissa at which a ratio has come up to 1; infinite if it stays below.

    Between two increasing abscissas the logarithm of the ratio is taken to be a straight line.
    """
    gap = np.log(np.asarray(ratio, float))
    reached = np.flatnonzero(gap >= 0)
    if not len(reached):
        return math.inf
    after = int(reached[0])
    if after == 0:
        return float(x[0])
    share = gap[after - 1] / (gap[after - 1] - gap[after])
    return float(x[after - 1] + share * (x[after] - x[after - 1]))


def point_of(sample: Sequence[float]) -> Point:
    """Return the mean crossing of several seeds, with a 95 % confidence interval by Student's t."""
    values = np.asarray(sample, float)
    beyond = int(np.count_nonzero(np.isinf(values)))
    at_start = int(np.count_nonzero(values == 0.0))
    if beyond:
        return Point(math.nan, math.nan, at_start, beyond)
    return Point(float(values.mean()), half_width(values), at_start, 0)


def front(cost: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which points no other beats in both: less of one cost, and no more of the other.

    Examples
    --------
    >>> front(np.array([1.0, 2.0, 3.0]), np.array([3.0, 4.0, 1.0])).tolist()
    [True, False, True]
    """
    no_more = (cost[None, :] <= cost[:, None]) & (other[None, :] <= other[:, None])
    less = (cost[None, :] < cost[:, None]) | (other[None, :] < other[:, None])
    return np.logical_not((no_more & less).any(axis=1))


def with_front(frame: pd.DataFrame, by: list[str], cost: str, other: str) -> pd.DataFrame:
    """Return the table with a column that marks what none of its group beats."""
    marked = frame.assign(front="")
    for _, group in frame.groupby(by, sort=False):
        best = front(group[cost].to_numpy(), group[other].to_numpy())
        marked.loc[group.index[best], "front"] = "*"
    return marked
