"""The choice of `select` where every two sets are nested or disjoint: the same removals, valued on the tree.

What a removal of a set empties are the sets below it and those around it that have nothing else left, so all
removals from one state are valued in one pass up the tree and one down, instead of set by set and node by
node. A state is which sets are gone; it is put together from the one that it extends when its turn comes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplace.compiled import njit
from netplace.scheduling.partitioner.pss.laminar import LaminarTree
from netplace.scheduling.partitioner.pss.sets import ProcessorSets

# mypy: disable-error-code="untyped-decorator"

__all__ = ["kept_on_tree"]


class _Ranks(NamedTuple):
    """The sets with free nodes, every set right behind all that it holds.

    Attributes
    ----------
    vertex : ndarray of int64, shape (used,)
        Vertex of the tree.
    first : ndarray of int64, shape (used,)
        Rank of the first of the sets that it holds, which go up to itself.
    above : ndarray of int64, shape (used,)
        Rank of the set around it; -1: there is none.
    own : ndarray of int64, shape (used,)
        Free nodes that are in no smaller set.
    """

    vertex: NDArray[np.int64]
    first: NDArray[np.int64]
    above: NDArray[np.int64]
    own: NDArray[np.int64]


def kept_on_tree(
    sets: ProcessorSets, tree: LaminarTree, free: NDArray[np.bool_], size: int
) -> NDArray[np.bool_]:
    """Return which nodes stay when the best removal is made that leaves `size` free nodes or more.

    Parameters
    ----------
    sets : ProcessorSets
        Sets whose costs are single numbers (`ProcessorSets.worth`).
    tree : LaminarTree
        Their tree.
    free : ndarray of bool, shape (nodes,)
        Which nodes are free.
    size : int
        Nodes wanted, fewer than are free.
    """
    number = np.argsort(np.diff(sets.members.starts), kind="stable")  # of each set by size
    ranks = _ranked(tree.parent, free)
    places = number[ranks.vertex - len(free)]
    gone = np.zeros(len(tree.parent), bool)
    gone[ranks.vertex] = _removed(ranks, tree.worth[ranks.vertex], places, int(free.sum()) - size)
    return np.asarray(free & ~gone[tree.parent[: len(free)]])


@njit(cache=True)
def _ranked(parent: Any, free: Any) -> Any:
    """Return the ranks of the sets with free nodes."""
    nodes, top = len(free), len(parent) - 1
    own, held = np.zeros(top + 1, np.int64), np.zeros(top + 1, np.int64)  # free nodes; sets, itself included
    for node in range(nodes):
        own[parent[node]] += free[node]
    for v in range(nodes, top):  # sets come before those that hold them
        held[v] += own[v] > 0 or held[v] > 0
        held[parent[v]] += held[v]
    used = held[top]
    vertex, first = np.empty(used, np.int64), np.empty(used, np.int64)
    above, rank, last = np.empty(used, np.int64), np.full(top + 1, -1, np.int64), np.empty(top + 1, np.int64)
    last[top] = used - 1
    for v in range(top - 1, nodes - 1, -1):
        if held[v]:
            up = parent[v]
            rank[v] = last[up]
            last[up] -= held[v]
            last[v] = rank[v] - 1
            vertex[rank[v]], first[rank[v]], above[rank[v]] = v, rank[v] - held[v] + 1, rank[up]
    return _Ranks(vertex, first, above, own[vertex])


@njit(cache=True)
def _removed(ranks: Any, worth: Any, number: Any, room: int) -> Any:
    """Return which sets the best removal empties of at most `room` nodes.

    Of equal ones it is that of the most nodes; of equal ones of as many nodes the one found first, from the
    state of fewest nodes and by the set of least number.
    """
    used = len(worth)
    value, before, which = (
        np.full(room + 1, -1, np.int64),
        np.full(room + 1, -1, np.int64),
        np.empty(room + 1, np.int64),
    )
    value[0] = 0
    gone = np.zeros((room + 1, used), np.bool_)
    left, below, around = np.empty(used, np.int64), np.empty(used, np.int64), np.empty(used, np.int64)
    for base in range(room):
        if value[base] < 0:
            continue
        mine = gone[base]
        if base:
            _extend(gone, base, before[base], ranks.first[which[base]], which[base])
        left[:] = ranks.own
        below[:] = 0
        for i in range(used):
            if mine[i]:
                left[i] = 0
            if left[i]:
                below[i] += worth[i]
                up = ranks.above[i]
                if up >= 0:
                    left[up] += left[i]
                    below[up] += below[i]
        for i in range(used - 1, -1, -1):
            if left[i] == 0:
                continue
            up, after = ranks.above[i], base + left[i]
            around[i] = worth[up] + around[up] if up >= 0 and left[up] == left[i] else 0
            if after > room:
                continue
            found = value[base] + below[i] + around[i]
            if found > value[after] or (
                found == value[after] and before[after] == base and number[i] < number[which[after]]
            ):
                value[after], before[after], which[after] = found, base, i
    best = 0
    for k in range(room + 1):
        if value[k] >= value[best]:
            best = k
    if best == room and best:
        _extend(gone, best, before[best], ranks.first[which[best]], which[best])
    return gone[best]


@njit(cache=True)
def _extend(gone: Any, state: int, before: int, first: int, last: int) -> None:
    """Make a state from the one before and the sets that are gone besides."""
    gone[state] = gone[before]
    gone[state, first : last + 1] = True
