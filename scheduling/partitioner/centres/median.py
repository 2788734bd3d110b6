"""The center whose nearest free nodes lie closest together: side by side or, for many, from counts."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from netplace.native import scheduling as native
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.centres.space import (
    GROUPS,
    LINE,
    RING,
    TABLE,
    Axes,
    Selection,
    Space,
    one_each,
)

# The k free nodes nearest to a center, and the center around which they lie closest together.
#
# Ties, which the papers leave open, go to the least node number everywhere.


def best_centre(axes: Axes, free: Nodes, centres: Nodes, size: int) -> tuple[int, int, Nodes]:
    """Return the first center whose `size` nearest free nodes have the least sum over pairs, it, and them."""
    centre, cost, nodes = native.best_centre(axes.compiled, free, centres, size)
    return centre, cost, nodes


def improve(axes: Axes, chosen: Nodes, others: Nodes) -> int:
    """Swap sorted chosen nodes for others in place while the sum over pairs falls; return by how much."""
    return native.improve(axes.compiled, chosen, others)


def has_switches(axes: Axes) -> bool:
    """Return whether distances are those of a table of switches, some of which have several nodes."""
    return bool(axes.kinds[0] == TABLE and axes.sizes[0] < axes.places.shape[1])


def _one_a_switch(axes: Axes, centres: Nodes) -> Nodes:
    """Return the first center at each switch, in order; the sum over pairs is the same around the others.

    Nodes at one switch are equally far from all nodes elsewhere, and nearest to each other.
    """
    _, first = np.unique(axes.places[0, centres], return_index=True)
    return centres[np.sort(first)]


Counts = NDArray[np.int32]


class _Balls(NamedTuple):
    """Free nodes around every node."""

    within: Counts  # shape (radii, nodes): free nodes within 0, 1, .. hops
    in_slice: Counts  # shape (dims, radii, nodes): those of them that have the same place in the dimension


class _Shells(NamedTuple):
    """Steps from a node to those at each distance from it, on a grid with room at its borders."""

    # shape (radii, planes + 1): where the steps of each distance begin, by their step in the last dimension,
    # the least first.
    starts: NDArray[np.int64]
    steps: NDArray[np.int64]  # shape (count,): steps as differences of index in `node_at`
    lowest: int  # least step in the last dimension
    # Number of the free node at each place of the roomy grid, plus 1; 0: none there.
    node_at: NDArray[np.int32]
    home: NDArray[np.int64]  # shape (nodes,): where each node stands there


def _reaches(axes: Axes, radius: int) -> list[tuple[int, int]]:
    """Return how far one can go down and up in each dimension without meeting a place twice."""
    reaches = []
    for kind, size in zip(axes.kinds.tolist(), axes.sizes.tolist(), strict=True):
        down, up = ((size - 1) // 2, size // 2) if kind == RING else (size - 1, size - 1)
        reaches.append((min(radius, down), min(radius, up)))
    return reaches


def _mean_volumes(axes: Axes, radius: int) -> NDArray[np.float64]:
    """Return how many nodes are within 0, 1, .., `radius` hops of a node, on the average over nodes."""
    volumes = np.ones(1)
    for (down, up), kind, size in zip(
        _reaches(axes, radius), axes.kinds.tolist(), axes.sizes.tolist(), strict=True
    ):
        line, step = np.zeros(radius + 1), np.arange(1, radius + 1)
        inside = np.ones(radius) if kind == RING else np.maximum(size - step, 0) / size
        line[0] = 1
        line[1:] = inside * ((step <= down).astype(int) + (step <= up))
        volumes = np.convolve(volumes, line)[: radius + 1]
    return np.cumsum(volumes)


def _shells_of(axes: Axes, free: NDArray[np.int64], radius: int) -> _Shells:
    """Return the steps to nodes at distances 0 to `radius`, and where the free nodes are."""
    reaches = _reaches(axes, radius)
    steps = np.zeros((1, 0), np.int64)
    for down, up in reaches:
        line = np.tile(np.arange(-down, up + 1), len(steps))
        steps = np.column_stack([np.repeat(steps, down + up + 1, axis=0), line])
        steps = steps[np.abs(steps).sum(axis=1) <= radius]
    distance = np.abs(steps).sum(axis=1)
    lowest, planes = -reaches[-1][0], sum(reaches[-1]) + 1
    key = distance * planes + steps[:, -1] - lowest
    order = np.argsort(key, kind="stable")
    starts = np.searchsorted(key[order], np.arange((radius + 1) * planes + 1))
    rows = np.lib.stride_tricks.sliding_window_view(starts, planes + 1)[::planes]
    here = np.zeros(axes.places.shape[1], np.int32)
    here[free] = free + 1
    grid = here.reshape(axes.sizes[::-1])
    for d, (down, up) in enumerate(reaches):
        width = [(0, 0)] * grid.ndim
        width[grid.ndim - 1 - d] = (down, up)
        grid = np.pad(grid, width, mode="wrap" if axes.kinds[d] == RING else "constant")
    strides = np.cumprod([1, *grid.shape[:0:-1]])
    low = np.array([down for down, _ in reaches])
    home = strides @ (axes.places + low[:, None])
    return _Shells(np.ascontiguousarray(rows), steps[order] @ strides, lowest, grid.ravel(), home)


def _ball_counts(axes: Axes, free: NDArray[np.int64], radius: int) -> _Balls:
    """Return the counts for the radii up to `radius`."""
    nodes = axes.places.shape[1]
    here = np.zeros(nodes, np.int32)
    here[free] = 1
    table = np.ascontiguousarray(np.broadcast_to(here, (radius + 1, nodes)))
    dims = len(axes.sizes)
    in_slice = np.empty((dims, radius + 1, nodes), np.int32)
    for d, in_balls in _left_out(axes, table, range(dims)):
        in_slice[d] = in_balls
    return _Balls(_extended(axes, in_slice[dims - 1], [dims - 1]), in_slice)


def _left_out(axes: Axes, table: Counts, dims: range) -> Iterator[tuple[int, Counts]]:
    """Yield each dimension, and the counts in all others but it; halves share what they have in common."""
    if len(dims) == 1:
        yield dims[0], table
        return
    first, second = dims[: len(dims) // 2], dims[len(dims) // 2 :]
    yield from _left_out(axes, _extended(axes, table, second), first)
    yield from _left_out(axes, _extended(axes, table, first), second)


def _extended(axes: Axes, table: Counts, dims: Any) -> Counts:
    strides = [1, *itertools.accumulate(axes.sizes.tolist(), lambda a, b: a * b)]
    for d in dims:
        table = np.asarray(native.cones(table, strides[d], int(axes.sizes[d]), bool(axes.kinds[d] == RING)))
    return table


# The center whose nearest free nodes lie closest together, for many centers side by side.
#
# Centers are taken in rows, in an order in which neighbors stay together (`Space.near_order`). The choice is
# that of `best_centre`.


def fits_batch(space: Space, free: int, size: int) -> bool:
    sizes = space.axes.sizes.tolist()
    small = max(free, sum(sizes)) < 2**15 and size * size // 4 * max(sizes) < 2**31
    return small and space.in_order


def best_of_batch(space: Space, free: NDArray[np.int64], centres: NDArray[np.int64], size: int) -> int:
    axes, each = space.lattice, space.each
    here = np.bincount(space.point[free], minlength=len(space.near_order)).astype(np.int16)
    at = space.point[centres]
    best = native.best_of_batch(axes.compiled, each, space.near_order, here, at, size)
    return int(centres[np.searchsorted(at, best)])


def is_tree(axes: Axes) -> bool:
    return bool((axes.kinds == GROUPS).all())


def _best_on_tree(axes: Axes, free: Nodes, centres: Nodes, size: int) -> int:
    subtrees = np.append(axes.sizes, 1)
    first = np.append(0, np.cumsum(subtrees))
    return native.best_on_tree(first, int(subtrees[0] // subtrees[1]), free, centres, size)


_FEW = 2**19  # free nodes times centres up to which all centres are simply worked out


def closest(space: Space, free: Nodes, centres: Nodes, size: int) -> Selection:
    """Return the first center whose `size` nearest free nodes have the least sum over pairs."""
    axes = space.axes
    few = centres
    if size in (1, len(free)):  # all are alike
        few = centres[:1]
    elif is_tree(axes):
        few = np.array([_best_on_tree(axes, free, centres, size)])
    elif has_switches(axes):
        few = _one_a_switch(axes, centres)
    elif fits_batch(space, len(free), size):
        few = np.array([best_of_batch(space, free, centres, size)])
    elif len(free) * len(centres) > _FEW and one_each(axes):
        few = np.array([best_by_counts(space, free, centres, size)])
    centre, cost, nodes = best_centre(axes, free, few, size)
    return Selection(nodes, cost, centre)


def best_by_counts(space: Space, free: Nodes, centres: Nodes, size: int) -> int:
    axes = space.axes
    balls = _around(space, free, centres, size)
    shells = _shells_of(axes, free, len(balls.within) - 1)
    within = balls.within[:, centres].astype(np.int64)
    likely = int(np.argmin(np.maximum(size - within, 0).sum(axis=0)))  # that of the least sum of distances
    pairs = _pairs(axes, balls, free, size)
    # Mypy does not count what a star stands for.
    return native.best_by_counts(  # type: ignore[call-arg]
        axes.compiled, *cast(Any, balls), *cast(Any, shells), free, centres, size, likely, pairs
    )


def _around(space: Space, free: Nodes, centres: Nodes, size: int) -> _Balls:
    """Return counts up to a radius that suffices for most centers."""
    most = int(space.topology.diameter)
    share = len(free) / space.topology.nodes
    usual = 1 + int(np.searchsorted(_mean_volumes(space.axes, most) * share, size))
    # Balls at the borders of a mesh must be larger to hold as many nodes.
    radius = min(most, usual + (usual // 2 if (space.axes.kinds == LINE).any() else 0))
    while True:
        balls = _ball_counts(space.axes, free, radius)
        if balls.within[radius, centres].max() >= size:
            return balls
        radius = min(most, radius + 1 + radius // 4)


def _pairs(axes: Axes, balls: _Balls, free: Nodes, size: int) -> NDArray[np.int64]:
    """Return what 0, 1, .., `size` free nodes have at least as their sum of distances over pairs."""
    # No free node has more others within r hops than the one that has most.
    most = balls.within[:, free].max(axis=1).astype(np.int64)
    count = np.arange(size + 1)
    return np.asarray(count * np.maximum(count - most[:, None], 0).sum(axis=0) // 2)
