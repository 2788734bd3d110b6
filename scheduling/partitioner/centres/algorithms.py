"""Algorithms that choose free nodes which lie close together."""

from __future__ import annotations

import numpy as np

from netplace.native import scheduling as native
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.centres.space import GROUPS, LINE, TABLE, Axes, Choose, Selection, Space

# The center whose nearest free nodes lie closest together. Ties, which the papers leave open, go to the least
# node number everywhere.

_MOST_SIDES = 2**15  # sum of the sides of a grid whose centers are taken side by side


def best_centre(axes: Axes, free: Nodes, centres: Nodes, size: int) -> tuple[int, int, Nodes]:
    """Return the first center whose `size` nearest free nodes have the least sum over pairs, it, and them."""
    centre, cost, nodes = native.best_centre(axes.compiled, free, centres, size)
    return centre, cost, nodes


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
    maximum = max(int(space.axes.sizes.sum()), int(space.axes.sizes[0]) * space.each)
    return space.in_order and maximum < _MOST_SIDES


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


# Gen-Alg: the free nodes nearest to the free node around which they lie closest together.
#
# Source: S. O. Krumke et al., "Compact location problems", Theoretical Computer Science 181 (1997), as
# described by M. A. Bender et al., "Communication-aware processor allocation for supercomputers", WADS 2005,
# section 1. The sum over pairs is at most 2 - 2/k times the least.


def gen_alg(space: Space, free: Nodes, size: int) -> Selection:
    return closest(space, free, free, size)


# A choice improved by swaps of a chosen for a free node, each the best there is, to a local minimum.
#
# Source: M. A. Bender et al., "Communication-aware processor allocation for supercomputers", WADS 2005,
# section 5, where MM is so improved (MM+Inc); which swap is made is not said there: the best, ours.


def improved(choose: Choose) -> Choose:
    """Return the algorithm that improves what `choose` chooses; its center stays that of the beginning."""

    def choose_and_swap(space: Space, free: Nodes, size: int) -> Selection:
        first = choose(space, free, size)
        nodes, others = first.nodes.copy(), np.setdiff1d(free, first.nodes, assume_unique=True)
        gain = native.improve(space.axes.compiled, nodes, others)  # swaps in place
        return Selection(nodes, first.cost - int(gain), first.centre)

    return choose_and_swap


# The free nodes of least sum over pairs, exactly, by branch and bound; for small machines.
#
# What M. A. Bender et al., "Communication-aware processor allocation for supercomputers", WADS 2005, section
# 6, call greedy: the best for this job, blind to later ones. Of several choices it is the first in
# lexicographic order.

_MOST_FREE = 128  # free nodes
_STEPS = 50_000_000  # of the search; some tens of seconds
_good = improved(gen_alg)


def optimal(space: Space, free: Nodes, size: int) -> Selection:
    if len(free) > _MOST_FREE:
        raise ValueError(
            f"partitioner optimal: {len(free)} nodes are free on {space.topology}, "
            f"expected at most {_MOST_FREE}"
        )
    known = _good(space, free, size)
    distance = space.hops(free[:, None], free).astype(np.int64)
    # near[v, r]: the sum of the r least distances from v to other free nodes.
    near = np.cumsum(np.sort(distance, axis=1), axis=1)
    chosen, cost, steps = native.best_subset(distance, near, size, known.cost, _STEPS)
    if steps >= _STEPS:
        raise ValueError(
            f"partitioner optimal: stopped the search for {size} of {len(free)} free nodes after {_STEPS:,} "
            f"steps, "
            "expected a smaller job or machine"
        )
    return Selection(free[chosen], cost)


# The nodes of least sum over pairs on a line, exactly: consecutive free nodes.
#
# Source: M. A. Bender et al., "Communication-aware processor allocation for supercomputers", WADS 2005,
# section 1, which speaks of dynamic programming; that the optimum is consecutive, by an exchange argument, is
# ours.


def consecutive(space: Space, free: Nodes, size: int) -> Selection:
    place = space.axes.places[0, free]
    sums, moments = np.cumsum([0, *place]), np.cumsum([0, *(np.arange(len(free)) * place)])
    first = np.arange(len(free) - size + 1)
    # Sum of (2 i - k + 1) x_i with i counted from the first of the window.
    inside = sums[size:] - sums[: len(first)]
    weights = moments[size:] - moments[: len(first)] - first * inside
    costs = 2 * weights - (size - 1) * inside
    best = int(np.argmin(costs))
    return Selection(free[best : best + size], int(costs[best]))


def line_of(space: Space) -> Space:
    if len(space.axes.sizes) != 1 or space.axes.kinds[0] != LINE:
        raise ValueError(f"partitioner line: is defined on meshes of one dimension, not on {space.topology}")
    return space


# MM, Manhattan median: as Gen-Alg, but centers lie wherever rows and columns of free nodes meet.
#
# Source: M. A. Bender et al., "Communication-aware processor allocation for supercomputers", WADS 2005,
# sections 2 and 4. On meshes of d dimensions the sum over pairs is at most 2 - 1/(2d) times the least.


def mm(space: Space, free: Nodes, size: int) -> Selection:
    return closest(space, free, intersections(space, free), size)


def intersections(space: Space, free: Nodes) -> Nodes:
    """Return the nodes, free or held, whose coordinate in every dimension is that of some free node."""
    met = np.ones(space.axes.places.shape[1], np.bool_)
    for along, size in zip(space.axes.places, space.axes.sizes.tolist(), strict=True):
        used = np.zeros(size, np.bool_)
        used[along[free]] = True
        if not used.all():
            met &= used[along]
    return np.flatnonzero(met)
