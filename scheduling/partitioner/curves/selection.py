"""Which interval of free nodes along a curve a job gets, and what it gets where none is large enough."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["Selection", "best_fit", "first_fit", "minimum_span", "sum_of_squares"]

_Integers = NDArray[np.int64]
Selection = Callable[[_Integers, int], int]
"""Takes the lengths of the free intervals, in order, and a size that at least one has; returns an index."""


def first_fit(lengths: _Integers, size: int) -> int:
    """Return the first interval that is large enough."""
    return int(np.argmax(lengths >= size))


def best_fit(lengths: _Integers, size: int) -> int:
    """Return the smallest interval that is large enough, the first of several."""
    return int(np.argmin(np.where(lengths >= size, lengths, np.iinfo(np.int64).max)))


def sum_of_squares(lengths: _Integers, size: int) -> int:
    """Return the interval that leaves the free intervals most evenly spread over lengths.

    Among those large enough it is the one after whose use the sum of N(l)**2 over all lengths l > 0 is least,
    the first of several; N(l) is how many free intervals have the length l. Source: J. Csirik et al., "On the
    sum-of-squares algorithm for bin packing", J. ACM 53 (2006), for free intervals instead of open bins.
    """
    rest = lengths - size
    fits = rest >= 0
    count = np.bincount(lengths)
    # (N(l) - 1)**2 - N(l)**2 + (N(r) + 1)**2 - N(r)**2; nothing of the second two if nothing is left over.
    change = 1 - 2 * count[lengths] + np.where(rest > 0, 1 + 2 * count[np.maximum(rest, 0)], 0)
    return int(np.argmin(np.where(fits, change, np.iinfo(np.int64).max)))


def minimum_span(places: _Integers, size: int) -> _Integers:
    """Return `size` of the free places, which come in increasing order, the last as near the first as can be.

    The first of several choices; no fewer than `size` places may be given. With the ends given, all free
    places between them are taken, since leaving one out could only bring the ends nearer.
    """
    start = int(np.argmin(places[size - 1 :] - places[: len(places) - size + 1]))
    return places[start : start + size]
