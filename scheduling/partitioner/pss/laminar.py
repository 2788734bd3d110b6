"""Families of sets that are nested or disjoint: the least cost of k nodes, by knapsack on their tree."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplace.native import scheduling as native
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.pss.sets import ProcessorSets

__all__ = ["LaminarTree", "kept_on_tree", "laminar_tree", "least_below"]


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
    return np.flatnonzero(np.asarray(native.least_below(*tree, free, size)))


def kept_on_tree(tree: LaminarTree, free: NDArray[np.bool_], size: int) -> NDArray[np.bool_]:
    """Return which nodes stay when the best removal is made that leaves `size` free nodes or more.

    Of equal ones it is that of the most nodes; of equal ones of as many nodes the one found first, from the
    state of fewest nodes and by the set of least number.

    Parameters
    ----------
    tree : LaminarTree
        Tree of the sets, whose costs are single numbers (`ProcessorSets.worth`).
    free : ndarray of bool, shape (nodes,)
        Which nodes are free.
    size : int
        Nodes wanted, fewer than are free.
    """
    return np.asarray(native.kept_on_tree(*tree, free, size))
