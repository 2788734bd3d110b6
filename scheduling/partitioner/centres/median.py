"""The center whose nearest free nodes lie closest together: side by side or, among very many, from counts."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from netplace.native import scheduling as native
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.centres.at_switches import has_switches, one_a_switch
from netplace.scheduling.partitioner.centres.balls import Balls, ball_counts, mean_volumes, shells_of
from netplace.scheduling.partitioner.centres.batched import best_of_batch, fits_batch
from netplace.scheduling.partitioner.centres.nearest import best_centre
from netplace.scheduling.partitioner.centres.on_tree import best_on_tree, is_tree
from netplace.scheduling.partitioner.centres.selection import Selection
from netplace.scheduling.partitioner.centres.space import LINE, Axes, Space, one_each

__all__ = ["best_by_counts", "closest"]

_FEW = 2**19  # free nodes times centres up to which all centres are simply worked out


def closest(space: Space, free: Nodes, centres: Nodes, size: int) -> Selection:
    """Return the first center around which the `size` nearest free nodes have the least sum over pairs.

    Ties among nodes at the same distance go to those of least number.
    """
    axes = space.axes
    few = centres
    if size in (1, len(free)):  # all are alike
        few = centres[:1]
    elif is_tree(axes):
        few = np.array([best_on_tree(axes, free, centres, size)])
    elif has_switches(axes):
        few = one_a_switch(axes, centres)
    elif fits_batch(space, len(free), size):
        few = np.array([best_of_batch(space, free, centres, size)])
    elif len(free) * len(centres) > _FEW and one_each(axes):
        few = np.array([best_by_counts(space, free, centres, size)])
    centre, cost, nodes = best_centre(axes, free, few, size)
    return Selection(nodes, cost, centre)


def best_by_counts(space: Space, free: Nodes, centres: Nodes, size: int) -> int:
    """Return the first of the best centers, from the counts."""
    axes = space.axes
    balls = _around(space, free, centres, size)
    shells = shells_of(axes, free, len(balls.within) - 1)
    within = balls.within[:, centres].astype(np.int64)
    likely = int(np.argmin(np.maximum(size - within, 0).sum(axis=0)))  # that of the least sum of distances
    pairs = _pairs(axes, balls, free, size)
    # Mypy does not count what a star stands for.
    return native.best_by_counts(  # type: ignore[call-arg]
        axes.compiled, *cast(Any, balls), *cast(Any, shells), free, centres, size, likely, pairs
    )


def _around(space: Space, free: Nodes, centres: Nodes, size: int) -> Balls:
    """Return counts up to a radius that suffices for most centers."""
    most = int(space.topology.diameter)
    share = len(free) / space.topology.nodes
    usual = 1 + int(np.searchsorted(mean_volumes(space.axes, most) * share, size))
    # Balls at the borders of a mesh must be larger to hold as many nodes.
    radius = min(most, usual + (usual // 2 if (space.axes.kinds == LINE).any() else 0))
    while True:
        balls = ball_counts(space.axes, free, radius)
        if balls.within[radius, centres].max() >= size:
            return balls
        radius = min(most, radius + 1 + radius // 4)


def _pairs(axes: Axes, balls: Balls, free: Nodes, size: int) -> NDArray[np.int64]:
    """Return what 0, 1, .., `size` free nodes have at least as their sum of distances over pairs."""
    # No free node has more others within r hops than the one that has most.
    most = balls.within[:, free].max(axis=1).astype(np.int64)
    count = np.arange(size + 1)
    return np.asarray(count * np.maximum(count - most[:, None], 0).sum(axis=0) // 2)
