"""Free intervals of a curve, given to jobs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation, Keeper, Nodes, already

# Which interval of free nodes along a curve a job gets, and what it gets where none is large enough.
#
# Source: V. J. Leung et al., "Processor allocation on Cplant: achieving general processor locality using
# one-dimensional allocation strategies", CLUSTER 2002, section 2; ties, and that the lowest ranks of an
# interval are taken, are ours where the paper leaves them open.

_Integers = NDArray[np.int64]
_ENDLESS = np.iinfo(np.int64).max
Selection = Callable[[_Integers, int], int]
"""Takes the lengths of the free intervals, in order, and a size that at least one has; returns an index."""
Listing = Callable[[_Integers, int, int], _Integers]
"""Takes the free places in increasing order, a size and the length of the ring (0: a line); returns
places."""


def first_fit(lengths: _Integers, size: int) -> int:
    return int((lengths >= size).argmax())


def best_fit(lengths: _Integers, size: int) -> int:
    return int(np.where(lengths >= size, lengths, _ENDLESS).argmin())


def sum_of_squares(lengths: _Integers, size: int) -> int:
    """Return the first interval that leaves the free intervals most evenly spread over lengths.

    The sum of N(l)**2 over all lengths l > 0 is least after its use; N(l) counts free intervals of length l.
    J. Csirik et al., J. ACM 53 (2006), with free intervals instead of open bins.
    """
    rest = lengths - size
    fits = rest >= 0
    count = np.bincount(lengths)
    # (N(l) - 1)**2 - N(l)**2 + (N(r) + 1)**2 - N(r)**2; nothing of the second two if nothing is left over.
    change = 1 - 2 * count[lengths] + np.where(rest > 0, 1 + 2 * count[np.maximum(rest, 0)], 0)
    return int(np.argmin(np.where(fits, change, _ENDLESS)))


def first_places(places: _Integers, size: int, ring: int = 0) -> _Integers:
    """Return the first `size` of the free places: the sorted free list, which ignores intervals."""
    return places[:size]


def minimum_span(places: _Integers, size: int, ring: int = 0) -> _Integers:
    """Return `size` of the increasing free places with the last as near to the first as possible.

    The first of equals counts. On a `ring` of so many places the choice can pass its end.
    """
    if ring:
        places = np.concatenate([places, places[: size - 1] + ring])
    start = int(np.argmin(places[size - 1 :] - places[: len(places) - size + 1]))
    chosen = places[start : start + size]
    return chosen % ring if ring else chosen


# How much of a curve a job stretches over.
#
# Source: V. J. Leung et al., CLUSTER 2002, section 2.3, for the span round the ring; the formula printed
# there is too small by up to two unless another gap is two longer than that round the end.


def ranks_along(order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rank of each node along an order of some or all of them; -1: it is not there."""
    ranks = np.full(int(order.max()) + 1, -1)
    ranks[order] = np.arange(len(order))
    return ranks


def linear_span(ranks: ArrayLike) -> int:
    """Return the ranks from the first to the last of `ranks`, both counted."""
    given = np.asarray(ranks)
    return int(given.max() - given.min()) + 1


def ring_span(ranks: ArrayLike, size: int) -> int:
    """Return the length of the shortest arc of a ring of `size` ranks that holds `ranks`."""
    ordered = np.sort(np.asarray(ranks))
    gaps = np.diff(ordered, append=ordered[0] + size) - 1
    return size - int(gaps.max())


class Along(Keeper):
    """Gives a job the beginning of an interval of free nodes along a curve.

    If no interval is large enough, `listing` chooses among all free nodes (by default those of minimum span),
    so a job waits only while fewer nodes are free than it needs. On a `ring` intervals pass the end of the
    curve, and come last. V. J. Leung et al., CLUSTER 2002.
    """

    by_count = True
    _changing = ("_edged",)

    def __init__(
        self, order: Nodes, select: Selection | None, listing: Listing = minimum_span, ring: bool = False
    ):
        self._order, self.free = order, len(order)
        self._place = ranks_along(order)
        self._edged = np.pad(np.ones(len(order), bool), 1)  # what is free along the curve, between two ends
        self._select, self._listing, self._ring = select, listing, ring

    def _choice(self, job: Job) -> Allocation | None:
        """Return free nodes, in the order of the curve, or None if there are too few."""
        self.visited += len(self._order)
        return Allocation(self._order[self._places(job.nodes)])

    def ranks(self, nodes: Nodes) -> Nodes:
        return np.asarray(self._place[nodes])

    def _mark(self, nodes: Nodes, free: bool) -> None:
        edged, at = self._edged, self._place[nodes] + 1  # the first end for nodes that the curve leaves out
        earlier, count = edged[at], np.count_nonzero(edged)
        edged[at] = free
        edged[0] = False
        if abs(np.count_nonzero(edged) - count) < len(nodes):
            edged[at] = earlier
            raise already(nodes, edged[self._place + 1], free)
        self.free += len(nodes) if free else -len(nodes)

    def _places(self, size: int) -> Nodes:
        length, edged = len(self._order), self._edged
        opened = edged[1:-1]
        if self._select is not None:
            ends = (edged[1:] != edged[:-1]).nonzero()[0]
            starts, lengths = ends[::2], ends[1::2] - ends[::2]
            if self._ring and len(starts) > 1 and opened[0] and opened[-1]:
                lengths[-1] += lengths[0]
                starts, lengths = starts[1:], lengths[1:]
            if lengths.max() >= size:
                start = int(starts[self._select(lengths, size)])
                places = np.arange(start, start + size)
                return places % length if self._ring else places
        return self._listing(np.flatnonzero(opened), size, length if self._ring else 0)
