"""Free intervals of a curve, given to jobs."""

from __future__ import annotations

import copy

import numpy as np

from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation, Nodes
from netplace.scheduling.partitioner.curves.selection import Listing, Selection, minimum_span
from netplace.scheduling.partitioner.curves.span import ranks_along
from netplace.scheduling.partitioner.free_map import FreeMap

__all__ = ["Along"]


class Along:
    """Gives a job the beginning of an interval of free nodes along a curve.

    Where no interval is large enough, the job gets those free nodes whose first and last are nearest to each
    other along the curve (minimum span), so it waits only while fewer nodes are free than it needs.

    Source: V. J. Leung et al., "Processor allocation on Cplant: achieving general processor locality using
    one-dimensional allocation strategies", CLUSTER 2002.

    Parameters
    ----------
    order : ndarray of int64, shape (nodes,)
        The nodes along the curve; those of the machine that it leaves out are never given away.
    select : callable, optional
        Chooses one of the intervals, see `netplace.scheduling.partitioner.curves.selection`; None: intervals
        do not matter.
    listing : callable
        Chooses among all free places, where no interval is large enough or they do not matter.
    ring : bool
        Whether the end of the curve is joined to its beginning: intervals run over it (and come last), and so
        do spans.
    """

    by_count = True

    def __init__(
        self, order: Nodes, select: Selection | None, listing: Listing = minimum_span, ring: bool = False
    ):
        self._order = order
        self._place = ranks_along(order)
        self._select, self._listing, self._ring = select, listing, ring
        self._map = FreeMap(len(order))
        self.free = len(order)
        self.searches = 0
        self.visited = 0  # words of eight nodes along the curve

    def find(self, job: Job) -> Allocation | None:
        """Return free nodes, in the order of the curve, or None if there are too few."""
        self.searches += 1
        if job.nodes > self.free:
            return None
        nodes = self._order[self._places(job.nodes)]
        self.visited = self._map.visited
        return Allocation(nodes)

    def ranks(self, nodes: Nodes) -> Nodes:
        """Return the places of `nodes` along the curve."""
        return np.asarray(self._place[nodes])

    def _places(self, size: int) -> Nodes:
        """Return free places on the curve."""
        length = len(self._order)
        if self._select is not None:
            starts, lengths = self._map.intervals()
            if self._ring and len(starts) > 1 and starts[0] == 0 and starts[-1] + lengths[-1] == length:
                lengths[-1] += lengths[0]
                starts, lengths = starts[1:], lengths[1:]
            if lengths.max() >= size:
                start = int(starts[self._select(lengths, size)])
                return np.arange(start, start + size) % length
        return self._listing(self._map.first(self.free), size, length if self._ring else 0)

    def take(self, allocation: Allocation) -> None:
        """Mark nodes that `find` returned as held."""
        self._map.mark(self._place[allocation.nodes], False)
        self.free = self._map.free

    def release(self, allocation: Allocation) -> None:
        """Mark nodes that were taken as free."""
        self._map.mark(self._place[allocation.nodes], True)
        self.free = self._map.free

    def copy(self) -> Along:
        """Return an independent copy."""
        twin = copy.copy(self)
        twin._map = self._map.copy()
        return twin
