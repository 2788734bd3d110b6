"""Contiguous and nearly contiguous partitions of trees.

The level of a job is that of the smallest subtree with enough nodes: a subtree of level l has ``down**l``
nodes, all those below a switch of stage l - 1; level 0 is a node. A contiguous job is in one subtree of its
level, which it can share, and sends nothing above it.

Source: J. A. Pascual, J. Navaridas, J. Miguel-Alonso, "Effects of topology-aware allocation policies on
scheduling performance", JSSPP 2009 (LNCS 5798): contiguous allocation. Quasi-contiguous allocation as
published is `OneLevelUp`; the nearly contiguous partitions here take other nodes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from netplace.native import scheduling as native
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation, Keeper, Nodes, refuse_marked
from netplace.topologies import Hierarchy, Topology, Tree, hierarchy

# Contiguous and nearly contiguous partitions of trees of any shape.
#
# The subtrees of a job are the smallest that can hold it: those with enough nodes of which no part has as
# many. On trees of one shape throughout these are the subtrees of its level, and the nodes are those of
# `Subtrees`.

Int = NDArray[np.int64]


class SubtreesOfAnyShape(Keeper):
    """Gives a job nodes of one of its subtrees, but for `threshold` percent that may lie outside it.

    It takes the first subtree in the tree's order with room for the whole job. If there is none: without
    `one_up` the one with most free nodes, if no more nodes are missing than may lie outside it; these are the
    nearest free ones, from the smallest subtree around it that has some. With `one_up` the first in which no
    more are missing, if the next larger subtree around it has room for the job. The allowed number is rounded
    down, with `one_up` up.
    """

    _changing = ("_open",)

    def __init__(self, tree: Hierarchy, threshold: float = 0, one_up: bool = False):
        self._tree = tree
        self._threshold, self._one_up = threshold, one_up
        self._place = np.argsort(tree.order)
        self._open = np.ones(len(tree.order), bool)  # free nodes, in the tree's order
        self._fitting = dict[int, tuple[Int, Int, Int]]()
        self.by_count = threshold == 100 and not one_up
        self.free = len(tree.order)

    def _choice(self, job: Job) -> Allocation | None:
        """Return nodes of one subtree, then those outside it; None if too few are free where they may be."""
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

    def _mark(self, nodes: Nodes, free: bool) -> None:
        places = self._place[nodes]
        refuse_marked(nodes[self._open[places] == free], free)
        self._open[places] = free
        self.free += len(nodes) if free else -len(nodes)


class Subtrees(Keeper):
    """Gives a job nodes of one subtree of its level, but for `threshold` percent (rounded down) outside it.

    It takes the first subtree in node order with room for the whole job. If there is none and the threshold
    is not 0, it takes the one with the most free nodes, the first of several, if no more than the allowed
    share is missing. The missing nodes are the nearest free ones: from the smallest subtree around it that
    has some, in node order, then from the next larger. They stand last among the job's nodes.
    """

    _changing = ("_counts",)
    _one_up = False  # whether nodes outside the subtree are no further than one level up

    def __init__(self, tree: Tree, threshold: float = 0):
        self._down = tree.down
        self._counts = native.SubtreeCounts(tree.down, tree.stages)  # free nodes of every subtree
        self._threshold = threshold
        self._limits = dict[int, tuple[int, int, int, bool]]()  # what a search asks about a size
        self.by_count = threshold == 100
        self.free = tree.nodes

    def level(self, nodes: int) -> int:
        level = 0
        while self._down**level < nodes:
            level += 1
        return level

    def most_outside(self, nodes: int) -> int:
        return math.floor(nodes * self._threshold / 100)

    def _choice(self, job: Job) -> Allocation | None:
        nodes, visited = self._counts.find(*self._limit(job.nodes))
        self.visited += visited
        return Allocation(nodes) if len(nodes) else None

    def fits(self, job: Job) -> bool:
        self.searches += 1
        if job.nodes > self.free:
            return False
        subtree, visited = self._counts.choose(*self._limit(job.nodes))
        self.visited += visited
        return subtree >= 0

    def release_until(self, job: Job, groups: Sequence[Sequence[Allocation]]) -> int | None:
        """Release groups in order; return after how many `job` fits, or None if it never does."""
        if not groups:
            return None
        nodes = np.concatenate([allocation.nodes for group in groups for allocation in group])
        ends = np.cumsum([sum(len(allocation.nodes) for allocation in group) for group in groups])
        self.searches += 1
        count, visited = self._counts.release_until(*self._limit(job.nodes), nodes, ends)
        if count < -1:
            raise ValueError(f"a node of {nodes.tolist()} is free already, or does not exist")
        self.visited += visited
        self.free = self._counts.free
        return None if count < 0 else count

    def _limit(self, nodes: int) -> tuple[int, int, int, bool]:
        limit = self._limits.get(nodes)
        if limit is None:
            limit = self.level(nodes), nodes, self.most_outside(nodes), self._one_up
            self._limits[nodes] = limit
        return limit

    def _mark(self, nodes: Nodes, free: bool) -> None:
        wrong = self._counts.count(nodes, 1 if free else -1)
        if wrong >= 0:
            raise ValueError(
                f"node {nodes[wrong]} is {'free' if free else 'occupied'} already, or does not exist"
            )
        self.free = self._counts.free


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


def tree_contiguous(topology: Topology, option: str = "", seed: int = 0) -> Subtrees | SubtreesOfAnyShape:
    if option:
        raise ValueError(f"partitioner contiguous: takes no option on trees, but {option!r} was given")
    if isinstance(topology, Tree):
        return Subtrees(topology)
    return SubtreesOfAnyShape(subtrees_of(topology, "contiguous"))


def nearly_contiguous(topology: Topology, option: str, seed: int) -> Subtrees | SubtreesOfAnyShape:
    """Return the partitioner of a tree that lets some nodes be anywhere; `option` is its threshold."""
    tree = subtrees_of(topology, "nearly-contiguous")
    threshold = read_threshold("nearly-contiguous", option)
    if isinstance(topology, Tree):
        return Subtrees(topology, threshold)
    return SubtreesOfAnyShape(tree, threshold)


def subtrees_of(topology: Topology, name: str) -> Hierarchy:
    tree = hierarchy(topology)
    if tree is None:
        raise ValueError(f"partitioner {name}: is defined on trees, not on {topology}")
    return tree


# Quasi-contiguous partitions of trees as published: first fit, other nodes no further than one level up.
#
# Source: J. A. Pascual, J. Navaridas, J. Miguel-Alonso, "Effects of topology-aware allocation policies on
# scheduling performance", JSSPP 2009 (LNCS 5798); J. A. Pascual, thesis, UPV/EHU 2013, section on trees.


class OneLevelUp(Subtrees):
    """Gives a job nodes of one subtree of its level, but for a share (rounded up) one level up.

    It takes the first subtree in node order with room for the whole job. If there is none, it takes the first
    that misses no more nodes than the allowed share, if the subtree one level above has room for the job. The
    missing nodes are the first free ones there; they stand last among the job's nodes.
    """

    _one_up = True

    def __init__(self, tree: Tree, threshold: float = 0):
        super().__init__(tree, threshold)
        self.by_count = False

    def most_outside(self, nodes: int) -> int:
        return math.ceil(nodes * self._threshold / 100)


def quasi_contiguous(topology: Topology, option: str, seed: int) -> OneLevelUp | SubtreesOfAnyShape:
    """Return the quasi-contiguous partitioner of a tree; `option` is its threshold in percent."""
    tree = subtrees_of(topology, "quasi-contiguous")
    threshold = read_threshold("quasi-contiguous", option)
    if isinstance(topology, Tree):
        return OneLevelUp(topology, threshold)
    return SubtreesOfAnyShape(tree, threshold, one_up=True)
