"""The center whose nearest free nodes lie closest together.

Ties, which the papers leave open, go to the least node number everywhere.
"""

from __future__ import annotations

import numpy as np

from netplace.native import scheduling as native
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.centres.space import GROUPS, TABLE, Axes, Selection, Space

_MOST_SIDES = 2**15  # sum of the sides of a grid whose centers are taken side by side


def best_centre(axes: Axes, free: Nodes, centres: Nodes, size: int) -> tuple[int, int, Nodes]:
    """Return the first center whose `size` nearest free nodes have the least sum over pairs, it, and them."""
    centre, cost, nodes = native.best_centre(axes.compiled, free, centres, size)
    return centre, cost, nodes


def improve(axes: Axes, chosen: Nodes, others: Nodes) -> int:
    """Swap sorted chosen nodes for others in place while the sum over pairs falls; return by how much."""
    return native.improve(axes.compiled, chosen, others)


def _one_a_switch(axes: Axes, centres: Nodes) -> Nodes:
    """Return the first center at each switch, in order; the sum over pairs is the same around the others.

    Nodes at one switch are equally far from all nodes elsewhere, and nearest to each other.
    """
    _, first = np.unique(axes.places[0, centres], return_index=True)
    return centres[np.sort(first)]


def best_of_batch(space: Space, free: Nodes, centres: Nodes, size: int) -> int:
    """Return the center that `best_centre` finds, on a grid for which `fits_batch` says so.

    Centers are taken in rows, in an order in which neighbors stay together (`Space.near_order`).
    """
    here = np.bincount(space.point[free], minlength=len(space.near_order)).astype(np.int32)
    at = space.point[centres]
    best = native.best_of_batch(space.lattice.compiled, space.each, space.near_order, here, at, size)
    return int(centres[np.searchsorted(at, best)])


def fits_batch(space: Space) -> bool:
    most = max(int(space.axes.sizes.sum()), int(space.axes.sizes[0]) * space.each)
    return space.in_order and most < _MOST_SIDES


def _best_on_tree(axes: Axes, free: Nodes, centres: Nodes, size: int) -> int:
    subtrees = np.append(axes.sizes, 1)
    first = np.append(0, np.cumsum(subtrees))
    return native.best_on_tree(first, int(subtrees[0] // subtrees[1]), free, centres, size)


def closest(space: Space, free: Nodes, centres: Nodes, size: int) -> Selection:
    """Return the first center whose `size` nearest free nodes have the least sum over pairs."""
    axes = space.axes
    few = centres
    if size in (1, len(free)):  # all are alike
        few = centres[:1]
    elif (axes.kinds == GROUPS).all():
        few = np.array([_best_on_tree(axes, free, centres, size)])
    elif axes.kinds[0] == TABLE:
        few = _one_a_switch(axes, centres)
    elif fits_batch(space):
        few = np.array([best_of_batch(space, free, centres, size)])
    centre, cost, nodes = best_centre(axes, free, few, size)
    return Selection(nodes, cost, centre)
