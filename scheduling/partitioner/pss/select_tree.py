"""The choice of `select` where every two sets are nested or disjoint: the same removals, valued on the tree.

What a removal of a set empties are the sets below it and those around it that have nothing else left, so all
removals from one state are valued in one pass up the tree and one down, instead of set by set and node by
node.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.compiled import njit
from netplace.scheduling.partitioner.pss.laminar import LaminarTree
from netplace.scheduling.partitioner.pss.sets import ProcessorSets

# mypy: disable-error-code="untyped-decorator"

__all__ = ["kept_on_tree"]


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
    starts, values = sets.members
    by_size = np.argsort(np.diff(starts), kind="stable")
    nodes = np.flatnonzero(free)
    return np.asarray(free & ~_removed(tree.parent, tree.worth, by_size, starts, values, free, nodes, size))


@njit(cache=True)
def _removed(
    parent: Any, worth: Any, by_size: Any, starts: Any, values: Any, free: Any, nodes: Any, size: int
) -> Any:
    """Return which nodes the best removal takes; of equal ones that of the most nodes, found first."""
    room, first, top = len(nodes) - size, len(free), len(parent) - 1
    removed = np.zeros((room + 1, len(free)), np.bool_)
    value = np.full(room + 1, -1, np.int64)
    value[0] = 0
    left, below, around = (
        np.zeros(top + 1, np.int64),
        np.zeros(top + 1, np.int64),
        np.zeros(top + 1, np.int64),
    )
    for node in nodes:
        v = parent[node]
        while v != top and left[v] == 0:
            left[v] = 1
            v = parent[v]
    used = first + np.flatnonzero(left[first:top])  # sets with free nodes, the smallest first
    most, which = np.full(room + 1, -1, np.int64), np.full(room + 1, -1, np.int64)
    for base in range(room):
        if value[base] < 0:
            continue
        gone = removed[base]
        for v in used:
            left[v] = 0
            below[v] = 0
        for node in nodes:
            if not gone[node]:
                left[parent[node]] += 1
        for v in used:
            if left[v]:
                below[v] += worth[v]
                left[parent[v]] += left[v]
                below[parent[v]] += below[v]
        touched = 0
        for v in used[::-1]:
            if left[v] == 0:
                continue
            up = parent[v]
            around[v] = worth[up] + around[up] if up != top and left[up] == left[v] else 0
            if base + left[v] > room:
                continue
            gain, k = below[v] + around[v], left[v]
            touched = max(touched, k)
            if gain > most[k] or (gain == most[k] and by_size[v - first] < by_size[which[k] - first]):
                most[k], which[k] = gain, v
        for k in range(1, touched + 1):
            if which[k] < 0:
                continue
            if value[base] + most[k] > value[base + k]:
                value[base + k] = value[base] + most[k]
                removed[base + k] = gone
                i = by_size[which[k] - first]
                for at in range(starts[i], starts[i + 1]):
                    removed[base + k, values[at]] = True
            most[k], which[k] = -1, -1
    best = 0
    for k in range(room + 1):
        if value[k] >= value[best]:
            best = k
    return removed[best]
