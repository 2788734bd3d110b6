"""Which interval of free nodes along a curve a job gets, and what it gets where none is large enough.

Source: V. J. Leung et al., "Processor allocation on Cplant: achieving general processor locality using
one-dimensional allocation strategies", CLUSTER 2002, section 2; ties, and that the lowest ranks of an
interval are taken, are ours where the paper leaves them open.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["Listing", "Selection", "best_fit", "first_fit", "first_places", "minimum_span", "sum_of_squares"]

_Integers = NDArray[np.int64]
Selection = Callable[[_Integers, int], int]
"""Takes the lengths of the free intervals, in order, and a size that at least one has; returns an index."""
Listing = Callable[[_Integers, int, int], _Integers]
"""Takes the free places in increasing order, a size and the length of the ring (0: a line); returns
places."""


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


def first_places(places: _Integers, size: int, ring: int = 0) -> _Integers:
    """Return the first `size` of the free places: the sorted free list, which ignores intervals."""
    return places[:size]


def minimum_span(places: _Integers, size: int, ring: int = 0) -> _Integers:
    """Return `size` of the free places, which come in increasing order, the last as near the first as can be.

    The first of several choices; no fewer than `size` places may be given. With the ends given, all free
    places between them are taken, since leaving one out could only bring the ends nearer. On a ring of so
    many places the choice may run over its end; the paper's span is that of the ring.
    """
    if ring:
        places = np.concatenate([places, places[: size - 1] + ring])
    start = int(np.argmin(places[size - 1 :] - places[: len(places) - size + 1]))
    chosen = places[start : start + size]
    return chosen % ring if ring else chosen
