"""Contiguous and nearly contiguous partitions of trees of any shape.

The subtrees of a job are the smallest that can hold it: those with enough nodes of which no part has as many.
On trees of one shape throughout these are the subtrees of its level, and the nodes are those of
`netplace.scheduling.partitioner.tree`.
"""

from __future__ import annotations

import copy
import math

import numpy as np
from numpy.typing import NDArray

from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation, Nodes
from netplace.topologies.hierarchy import Hierarchy

Int = NDArray[np.int64]


class SubtreesOfAnyShape:
    """Gives a job nodes of one of its subtrees, but for `threshold` percent that may lie outside it.

    It takes the first subtree in the tree's order with room for the whole job. If there is none: without
    `one_up` the one with most free nodes, if no more nodes are missing than may lie outside it; these are the
    nearest free ones, from the smallest subtree around it that has some. With `one_up` the first in which no
    more are missing, if the next larger subtree around it has room for the job. The allowed number is rounded
    down, with `one_up` up.
    """

    def __init__(self, tree: Hierarchy, threshold: float = 0, one_up: bool = False):
        self._tree = tree
        self._threshold, self._one_up = threshold, one_up
        self._place = np.argsort(tree.order)
        self._open = np.ones(len(tree.order), bool)  # free nodes, in the tree's order
        self._fitting = dict[int, tuple[Int, Int, Int]]()
        self.by_count = threshold == 100 and not one_up
        self.free = len(tree.order)
        self.searches = 0
        self.visited = 0

    def find(self, job: Job) -> Allocation | None:
        """Return nodes of one subtree, then those outside it; None if too few are free where they may be."""
        self.searches += 1
        if job.nodes > self.free:
            return None
        level, begin, end = self._smallest(job.nodes)
        self.visited += len(begin)
        until = np.concatenate(([0], np.cumsum(self._open)))
        room = until[end] - until[begin]
        whole = np.flatnonzero(room >= job.nodes)
        if whole.size:
            inside = self._first(int(begin[whole[0]]), int(end[whole[0]]), job.nodes)
            return Allocation(self._tree.order[inside])
        which = self._with_some_outside(job.nodes, level, begin, room, until)
        if which is None:
            return None
        return Allocation(self._tree.order[self._around(int(level[which]), int(begin[which]), job.nodes)])

    def _with_some_outside(self, nodes: int, level: Int, begin: Int, room: Int, until: Int) -> int | None:
        rounded = math.ceil if self._one_up else math.floor
        outside = rounded(nodes * self._threshold / 100)
        if not outside or not len(room):
            return None
        if not self._one_up:
            fullest = int(room.argmax())
            return fullest if room[fullest] >= nodes - outside else None
        for which in np.flatnonzero(room >= nodes - outside).tolist():
            if level[which] < self._tree.levels:
                low, high = self._subtree(int(level[which]) + 1, int(begin[which]))
                if until[high] - until[low] >= nodes:
                    return int(which)
        return None

    def _smallest(self, nodes: int) -> tuple[Int, Int, Int]:
        """Return level, begin and end of the subtrees of a job, in the tree's order."""
        if nodes not in self._fitting:
            held = np.zeros(len(self._open) + 1, np.int64)  # where a part with enough nodes begins
            fitting = []
            for level, starts in enumerate(self._tree.starts):
                begin, end = starts[:-1], starts[1:]
                sums = np.concatenate(([0], np.cumsum(held)))
                smallest = (end - begin >= nodes) & (sums[end] == sums[begin])
                fitting += [
                    (int(a), int(b), level) for a, b in zip(begin[smallest], end[smallest], strict=True)
                ]
                held[begin[smallest]] = 1
            rows = np.array(sorted(fitting), np.int64).reshape(-1, 3)
            self._fitting[nodes] = rows[:, 2], rows[:, 0], rows[:, 1]
        return self._fitting[nodes]

    def _subtree(self, level: int, place: int) -> tuple[int, int]:
        starts = self._tree.starts[level]
        n = int(np.searchsorted(starts, place, side="right"))
        return int(starts[n - 1]), int(starts[n])

    def _first(self, begin: int, end: int, most: int) -> Int:
        return np.asarray(begin + np.flatnonzero(self._open[begin:end])[:most])

    def _around(self, level: int, begin: int, nodes: int) -> Int:
        """Return free places of a subtree, then of those around it, the nearest first."""
        low, high = self._subtree(level, begin)
        places = self._first(low, high, nodes)
        while len(places) < nodes:
            level += 1
            below, above = self._subtree(level, begin)
            more = np.concatenate((self._first(below, low, nodes), self._first(high, above, nodes)))
            places = np.concatenate((places, more[: nodes - len(places)]))
            low, high = below, above
        return places

    def take(self, allocation: Allocation) -> None:
        self._mark(allocation.nodes, False)

    def release(self, allocation: Allocation) -> None:
        self._mark(allocation.nodes, True)

    def _mark(self, nodes: Nodes, is_open: bool) -> None:
        places = self._place[nodes]
        wrong = self._open[places] == is_open
        if wrong.any():
            raise ValueError(f"node {nodes[wrong][0]} is {'free' if is_open else 'occupied'} already")
        self._open[places] = is_open
        self.free += len(nodes) if is_open else -len(nodes)

    def copy(self) -> SubtreesOfAnyShape:
        twin = copy.copy(self)
        twin._open = self._open.copy()
        return twin
