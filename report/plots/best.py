"""Which of several means is the least by more than chance."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

__all__ = ["clear_best"]

_LEVEL = 0.05
_SAME = 1e-9  # relative: what counts as equal


def clear_best(mean: ArrayLike, std: ArrayLike, count: ArrayLike) -> int | None:
    """Return the place of the least mean if it is less than every other one by more than chance.

    Each other mean is compared with the least by Welch's test, two-sided, at the level 0.05. A mean of a
    single value has no spread of its own: it is given the largest relative one of the others. Where nothing
    spreads, chance had no part and the least is the best. Ties have none.

    Parameters
    ----------
    mean, std : array_like of float, shape (bars,)
        Means and sample standard deviations; a mean that is NaN takes no part.
    count : array_like of int, shape (bars,)
        Values behind each mean.

    Returns
    -------
    int or None
        None if there is no such place, or nothing to compare with.
    """
    means, counts = np.asarray(mean, float), np.asarray(count, float)
    spread = np.where(counts > 1, np.nan_to_num(np.asarray(std, float)), 0.0)
    known = np.flatnonzero(np.isfinite(means) & (counts > 0))
    if len(known) < 2:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.nan_to_num(spread[known] / np.abs(means[known]), posinf=0.0)
    single = known[counts[known] < 2]
    spread[single] = relative.max() * np.abs(means[single])
    best = int(known[np.argmin(means[known])])
    others = known[known != best]
    return best if all(_less(means, spread, counts, best, int(other)) for other in others) else None


def _less(mean: np.ndarray, spread: np.ndarray, counts: np.ndarray, best: int, other: int) -> bool:
    """Tell whether the first of two means is less by more than chance."""
    gap = mean[other] - mean[best]
    if gap <= _SAME * abs(mean[other]):
        return False
    parts = spread[[best, other]] ** 2 / counts[[best, other]]
    if parts.sum() == 0:
        return True
    freedom = parts.sum() ** 2 / (parts**2 / np.maximum(counts[[best, other]] - 1, 1)).sum()
    return bool(2 * stats.t.sf(gap / np.sqrt(parts.sum()), freedom) < _LEVEL)
