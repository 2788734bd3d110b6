"""The partitioner that gives every job a box of its own."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable

import numpy as np

from netplace.native import scheduling as native
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation
from netplace.scheduling.partitioner.contiguous.search import Search, Shape
from netplace.scheduling.partitioner.shapes import Ranking
from netplace.topologies import Grid

__all__ = ["Boxes"]


class Boxes:
    """Contiguous partitions of meshes and tori: the first free box of those that a rule names for a job.

    Parameters
    ----------
    grid : Grid
        The machine.
    search : callable
        Makes the search for free boxes: a class of `netplace.scheduling.partitioner.contiguous`.
    shapes : callable
        Takes a job and returns boxes and mappings in the order in which they are tried.

    Attributes
    ----------
    search : Search
        The search, which keeps account of what is held.
    free, by_count, searches, visited
        See `netplace.scheduling.partitioner.Partitioner`; what `visited` counts is said by the search.
    """

    by_count = False

    def __init__(self, grid: Grid, search: Callable[[Grid], Search], shapes: Ranking) -> None:
        self._sizes = np.array(grid.sizes, np.int64)
        self.search = search(grid)
        self._shapes = shapes
        self._held: dict[int, Shape] = {}
        self.free = grid.nodes
        self.searches = 0
        self.visited = 0

    def find(self, job: Job) -> Allocation | None:
        """Return the first free box for `job`, or None. Nothing is taken."""
        self.searches += 1
        for shape, mapping in self._shapes(job):
            given = self.search.granted(shape)
            if math.prod(given) > self.free:
                continue
            base = self.search.first(given)
            self.visited = self.search.visited
            if base >= 0:
                return Allocation(native.box_nodes(self._sizes, base, np.array(given)), given, mapping)
        return None

    def take(self, allocation: Allocation) -> None:
        """Mark a box that `find` returned as held."""
        base, shape = _box(allocation)
        if base in self._held:
            raise ValueError(f"allocation {shape} at node {base}: a box from there is held already")
        self._held[base] = shape
        self.search.take(base, shape)
        self.free -= len(allocation.nodes)

    def release(self, allocation: Allocation) -> None:
        """Mark a box that was taken as free."""
        base, shape = _box(allocation)
        if self._held.get(base) != shape:
            raise ValueError(f"allocation {shape} at node {base}: no such box is held")
        del self._held[base]
        self.search.release(base, shape)
        self.free += len(allocation.nodes)

    def copy(self) -> Boxes:
        """Return an independent copy."""
        twin = copy.copy(self)
        twin.search, twin._held = self.search.copy(), dict(self._held)
        return twin


def _box(allocation: Allocation) -> tuple[int, Shape]:
    """Return the base and the shape of an allocation's box."""
    if allocation.shape is None:
        raise ValueError(f"allocation of {len(allocation.nodes)} nodes: has no shape, expected a box")
    return int(allocation.nodes[0]), allocation.shape
