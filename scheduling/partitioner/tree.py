"""Contiguous and nearly contiguous partitions of trees.

The subtrees of a job are the smallest that can hold it: those with enough nodes of which no part has as many.
On trees of one shape throughout they are those of its level: a subtree of level l has ``down**l`` nodes, all
those below a switch of stage l - 1; level 0 is a node. A contiguous job is in one of its subtrees, which it
can share, and sends nothing above it.

Source: J. A. Pascual, J. Navaridas, J. Miguel-Alonso, "Effects of topology-aware allocation policies on
scheduling performance", JSSPP 2009 (LNCS 5798), and J. A. Pascual, thesis, UPV/EHU 2013, section on trees:
contiguous allocation, and quasi-contiguous allocation (`one_up`). The nearly contiguous partitions are ours.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation, Keeper
from netplace.topologies import Hierarchy, Topology, hierarchy

Int = NDArray[np.int64]


class Subtrees(Keeper):
    """Gives a job nodes of one of its subtrees, but for `threshold` percent that may lie outside it.

    Subtrees are those of the job's level, the lowest at which one has as many nodes as the job. It takes the
    first in the tree's order with room for the whole job. If there is none: without
    `one_up` the one with most free nodes, if no more nodes are missing than may lie outside it; these are the
    nearest free ones, from the smallest subtree around it that has some. With `one_up` the first in which no
    more are missing, if the next larger subtree around it has room for the job. The allowed number is rounded
    down, with `one_up` up. Nodes outside stand last among the job's nodes. `visited` counts subtrees.
    """

    def __init__(self, tree: Hierarchy, threshold: float = 0, one_up: bool = False):
        super().__init__(len(tree.order))
        self._tree, self._threshold, self._one_up = tree, threshold, one_up
        self._fitting = dict[int, tuple[Int, Int, Int, Int]]()
        self.by_count = threshold == 100 and not one_up

    def _choice(self, job: Job) -> Allocation | None:
        """Return nodes of one subtree, then those outside it; None if too few are free where they may be."""
        is_open = self.is_free.take(self._tree.order)
        home = self._home(job.nodes, is_open)
        return None if home is None else Allocation(self._tree.order[self._around(home, is_open, job.nodes)])

    def release_until(self, job: Job, groups: Sequence[Sequence[Allocation]]) -> int | None:
        """Release groups in order; return after how many `job` fits, or None if it never does."""
        # More free nodes never take a place away, so the number of groups is found by bisection.
        self.searches += 1
        released_with = np.where(self.is_free, 0, len(groups) + 1)
        for number, group in enumerate(groups, 1):
            for allocation in group:
                released_with[allocation.nodes] = number
        in_order = released_with[self._tree.order]
        counts = range(1, len(groups) + 1)
        last = bisect_left(
            counts, True, key=lambda count: self._home(job.nodes, in_order <= count) is not None
        )
        released = (allocation.nodes for group in groups[: last + 1] for allocation in group)
        self._mark(np.concatenate([np.zeros(0, np.int64), *released]), True)
        return counts[last] if last < len(counts) else None

    def _home(self, nodes: int, is_open: NDArray[np.bool_]) -> tuple[int, int] | None:
        """Return level and begin of the subtree in which a job has a place; `is_open` in the tree's order."""
        level, begin, edges, (first, last, low, high) = self._smallest(nodes)
        self.visited += len(begin)
        until = np.zeros(len(edges), np.int64)
        np.add.reduceat(is_open, edges[:-1], dtype=np.int64).cumsum(out=until[1:])
        room = until.take(last) - until.take(first)
        which = (room >= nodes).nonzero()[0]
        if not which.size and until[-1] >= nodes:
            outside = (math.ceil if self._one_up else math.floor)(nodes * self._threshold / 100)
            enough = (room >= nodes - outside) & (outside > 0)
            if self._one_up:
                which = np.flatnonzero(enough & (until[high] - until[low] >= nodes))
            elif enough.any():
                which = room.argmax(keepdims=True)
        return (int(level[which[0]]), int(begin[which[0]])) if which.size else None

    def _smallest(self, nodes: int) -> tuple[Int, Int, Int, Int]:
        """Return level and begin of the subtrees of a job, edges between nodes, and which edges are theirs.

        The last has four rows: begin and end of each subtree, and of the one right above it.
        """
        if nodes not in self._fitting:
            starts = self._tree.starts
            held = np.zeros(len(self.is_free) + 1, np.int64)  # where a part with enough nodes begins
            fitting = []
            for level, (begin, end) in enumerate((edges[:-1], edges[1:]) for edges in starts):
                sums = np.concatenate(([0], np.cumsum(held)))
                smallest = (end - begin >= nodes) & (sums[end] == sums[begin])
                above = starts[min(level + 1, len(starts) - 1)]
                around = np.searchsorted(above, begin[smallest], side="right")
                columns = begin[smallest], end[smallest], above[around - 1], above[around]
                fitting += [
                    (row[0], level, *row[1:]) for row in zip(*(c.tolist() for c in columns), strict=True)
                ]
                held[begin[smallest]] = 1
            rows = np.array(sorted(fitting), np.int64).reshape(-1, 5).T
            edges, which = np.unique([0, len(self.is_free), *rows[[0, 2, 3, 4]].ravel()], return_inverse=True)
            self._fitting[nodes] = rows[1], rows[0], edges, which[2:].reshape(4, -1)
        return self._fitting[nodes]

    def _around(self, home: tuple[int, int], is_open: NDArray[np.bool_], nodes: int) -> Int:
        """Return free places of a subtree, then of those around it, the nearest first."""
        level, begin = home
        places, low, high = list[Int](), begin, begin
        while nodes:
            starts = self._tree.starts[level]
            around = int(starts.searchsorted(begin, side="right"))
            below, above = int(starts[around - 1]), int(starts[around])
            for first, last in ((below, low), (high, above)):
                places.append(is_open[first:last].nonzero()[0][:nodes] + first)
                nodes -= len(places[-1])
            low, high, level = below, above, level + 1
        return np.concatenate(places)


def read_threshold(partitioner: str, option: str) -> float:
    """Return the threshold of a partitioner that its option spells, in percent."""
    if not option:
        raise ValueError(
            f"partitioner {partitioner}: no threshold given, expected a form such as {partitioner}:20"
        )
    where = f"partitioner {partitioner}:{option}"
    try:
        threshold = float(option)
    except ValueError:
        raise ValueError(
            f"{where}: {option!r} is not a number, expected a percentage from 0 to 100"
        ) from None
    if not 0 <= threshold <= 100:
        raise ValueError(f"{where}: {option} is not a percentage from 0 to 100")
    return threshold


def tree_contiguous(topology: Topology, option: str = "", seed: int = 0) -> Subtrees:
    if option:
        raise ValueError(f"partitioner contiguous: takes no option on trees, but {option!r} was given")
    return Subtrees(subtrees_of(topology, "contiguous"))


def nearly_contiguous(topology: Topology, option: str, seed: int, *, one_up: bool = False) -> Subtrees:
    """Return the partitioner of a tree that lets some nodes be elsewhere; `option` is its threshold."""
    name = "quasi-contiguous" if one_up else "nearly-contiguous"
    tree = subtrees_of(topology, name)
    return Subtrees(tree, read_threshold(name, option), one_up)


def subtrees_of(topology: Topology, name: str) -> Hierarchy:
    tree = hierarchy(topology)
    if tree is None:
        raise ValueError(f"partitioner {name}: is defined on trees, not on {topology}")
    return tree
