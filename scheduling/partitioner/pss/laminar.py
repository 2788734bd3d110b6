"""Families of sets that are nested or disjoint: the least cost of k nodes, by knapsack on their tree."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplace.compiled import njit
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.pss.sets import ProcessorSets

# mypy: disable-error-code="untyped-decorator"

__all__ = ["LaminarTree", "laminar_tree", "least_below"]

_NONE = np.int64(2**62)


class LaminarTree(NamedTuple):
    """Sets as vertices of a tree, leaves first, then the sets in increasing size, the whole machine last.

    Attributes
    ----------
    parent : ndarray of int64, shape (nodes + sets + 1,)
        Vertex above; leaves are the nodes, vertex ``nodes + i`` is the i-th set by size. -1 for the last.
    worth : ndarray of int64, shape (nodes + sets + 1,)
        What each vertex costs.
    number : ndarray of int64, shape (sets,)
        Number of each set in the order in which they take part.
    place : ndarray of int64, shape (sets,)
        Place by size of the set of each number.
    kin : ndarray of int64, shape (sets,)
        Places of sets, those right below the same one together: the dearest last, of equal ones that of least
        number.
    kin_starts : ndarray of int64, shape (sets + 2,)
        The sets right below the i-th are ``kin[kin_starts[i]:kin_starts[i + 1]]``; the last is the machine.
    """

    parent: NDArray[np.int64]
    worth: NDArray[np.int64]
    number: NDArray[np.int64]
    place: NDArray[np.int64]
    kin: NDArray[np.int64]
    kin_starts: NDArray[np.int64]


@lru_cache(maxsize=16)  # the same sets place many jobs
def laminar_tree(sets: ProcessorSets) -> LaminarTree | None:
    """Return the tree of the sets, or None if two overlap and neither holds the other."""
    starts, values = sets.members
    sizes = np.diff(starts)
    order = np.argsort(sizes, kind="stable")
    top = sets.nodes + len(order)
    parent = np.full(top + 1, top, np.int64)
    parent[top] = -1
    highest = np.arange(sets.nodes)  # largest set so far that holds each node
    covered = np.ones(top + 1, np.int64)  # nodes below each vertex
    for place, i in enumerate(order.tolist()):
        mine = values[starts[i] : starts[i + 1]]
        parts = np.unique(highest[mine])
        if covered[parts].sum() != len(mine):
            return None
        parent[parts] = sets.nodes + place
        covered[sets.nodes + place] = len(mine)
        highest[mine] = sets.nodes + place
    worth = np.zeros(top + 1, np.int64)
    worth[sets.nodes : top] = sets.worth[order, 0]
    places = np.argsort(order)
    above = parent[sets.nodes + places] - sets.nodes
    kin = places[np.lexsort((-np.arange(len(order)), sets.worth[:, 0], above))]
    starts = np.concatenate([[0], np.cumsum(np.bincount(above, minlength=len(order) + 1))])
    return LaminarTree(parent, worth, order, places, kin, starts)


def least_below(sets: ProcessorSets, tree: LaminarTree, free: NDArray[np.bool_], size: int) -> Nodes:
    """Return `size` free nodes of least cost; costs must be single numbers (`ProcessorSets.worth`)."""
    return np.flatnonzero(_least_below(tree.parent, tree.worth, free, size))


@njit(cache=True)
def _least_below(parent: Any, worth: Any, free: Any, size: int) -> Any:
    """Return which nodes are taken.

    ``least[v]`` holds the least cost of 0, 1, .. nodes below v; children are merged one after the other, and
    how many nodes each brings is kept for the way back.
    """
    count, nodes = len(parent), len(free)
    below = np.zeros(count, np.int64)
    for v in range(count):
        if v < nodes:
            below[v] = free[v]
        if parent[v] >= 0:
            below[parent[v]] += below[v]
    # Room of each vertex for its costs, and of each child for its shares of what is merged so far.
    start, merged = np.zeros(count + 1, np.int64), np.zeros(count, np.int64)
    share_start = np.zeros(count + 1, np.int64)
    for v in range(count):
        start[v + 1] = start[v] + min(below[v], size) + 1
        up = parent[v]
        if up >= 0:
            merged[up] = min(merged[up] + below[v], size)
            share_start[v + 1] = share_start[v] + merged[up] + 1
        else:
            share_start[v + 1] = share_start[v]
    least, share = np.full(start[count], _NONE, np.int64), np.zeros(share_start[count], np.int64)
    merged[:] = 0
    least[start[:count]] = 0
    old = np.empty(size + 1, np.int64)
    for v in range(count):
        mine = min(below[v], size)
        if v < nodes and mine:
            least[start[v] + 1] = 0
        for k in range(1, mine + 1):
            least[start[v] + k] += worth[v]
        up = parent[v]
        if up < 0 or mine == 0:
            continue
        before = merged[up]
        if before == 0:  # the first child with free nodes
            merged[up] = mine
            for k in range(mine + 1):
                least[start[up] + k] = least[start[v] + k]
                share[share_start[v] + k] = k
            continue
        old[: before + 1] = least[start[up] : start[up] + before + 1]
        merged[up] = min(before + mine, size)
        best = least[start[up] : start[up] + merged[up] + 1]
        _merge(best, share[share_start[v] :], old[: before + 1], least[start[v] : start[v] + mine + 1])
    wanted = np.zeros(count, np.int64)
    wanted[count - 1] = size
    chosen = np.zeros(nodes, np.bool_)
    for v in range(count - 1, -1, -1):  # the children of a vertex, last merged first
        up = parent[v]
        if up >= 0 and below[v] > 0:
            wanted[v] = share[share_start[v] + wanted[up]]
            wanted[up] -= wanted[v]
        if v < nodes:
            chosen[v] = wanted[v] > 0
    return chosen


@njit(cache=True)
def _merge(best: Any, part: Any, some: Any, others: Any) -> None:
    """Write the least cost of 0, 1, .. nodes of two sides, and how many of the other side, the fewest."""
    best[:] = _NONE
    for taken in range(len(others)):
        cost = others[taken]
        for k in range(min(len(some), len(best) - taken)):
            less = some[k] + cost < best[taken + k]
            part[taken + k] = taken if less else part[taken + k]
            best[taken + k] = some[k] + cost if less else best[taken + k]
