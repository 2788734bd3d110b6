"""The point at which one curve overtakes another, and its uncertainty."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from netplace.scheduling.metrics.interval import half_width

__all__ = ["Point", "crossing", "point_of"]


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
    """Return the least abscissa at which a ratio has come up to 1.

    Between two abscissas the logarithm of the ratio is taken to be a straight line.

    Parameters
    ----------
    x : sequence of float
        Abscissas, increasing.
    ratio : array_like of float, shape (len(x),)
        The ratio there, over 0.

    Returns
    -------
    float
        ``x[0]`` if it is 1 or more there already; infinite if it stays below 1.

    Examples
    --------
    >>> round(crossing([0, 10, 20], [0.25, 0.5, 2.0]), 6)
    15.0
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


def point_of(sample: Sequence[float], start: float = 0.0, confidence: float = 0.95) -> Point:
    """Return what the crossings of several seeds say, with a confidence interval by Student's t.

    `sample`: one value a seed, as `crossing` returns it. `start`: the first abscissa. `confidence`: level of
    the interval.
    """
    values = np.asarray(sample, float)
    beyond = int(np.count_nonzero(np.isinf(values)))
    at_start = int(np.count_nonzero(values == start))
    if beyond:
        return Point(math.nan, math.nan, at_start, beyond)
    return Point(float(values.mean()), half_width(values, confidence), at_start, 0)
