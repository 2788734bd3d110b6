"""How many free nodes lie within r hops of every node of a grid, and of every node in one slice."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplace.native import scheduling as native
from netplace.scheduling.partitioner.centres.space import RING, Axes

__all__ = ["Balls", "Shells", "ball_counts", "mean_volumes", "shells_of"]

Counts = NDArray[np.int32]


class Balls(NamedTuple):
    """Free nodes around every node.

    Attributes
    ----------
    within : ndarray of int32, shape (radii, nodes)
        Free nodes within 0, 1, .. hops.
    in_slice : ndarray of int32, shape (dims, radii, nodes)
        Those of them that have the same place in the dimension.
    """

    within: Counts
    in_slice: Counts


class Shells(NamedTuple):
    """Steps from a node to those at each distance from it, on a grid with room at its borders.

    Attributes
    ----------
    starts : ndarray of int64, shape (radii, planes + 1)
        Where the steps of each distance begin, by their step in the last dimension, the least first.
    steps : ndarray of int64, shape (count,)
        Steps as differences of index in `node_at`.
    lowest : int
        Least step in the last dimension.
    node_at : ndarray of int32
        Number of the free node at each place of the roomy grid, plus 1; 0: none there.
    home : ndarray of int64, shape (nodes,)
        Where each node stands there.
    """

    starts: NDArray[np.int64]
    steps: NDArray[np.int64]
    lowest: int
    node_at: NDArray[np.int32]
    home: NDArray[np.int64]


def _reaches(axes: Axes, radius: int) -> list[tuple[int, int]]:
    """Return how far one can go down and up in each dimension without meeting a place twice."""
    reaches = []
    for kind, size in zip(axes.kinds.tolist(), axes.sizes.tolist(), strict=True):
        down, up = ((size - 1) // 2, size // 2) if kind == RING else (size - 1, size - 1)
        reaches.append((min(radius, down), min(radius, up)))
    return reaches


def mean_volumes(axes: Axes, radius: int) -> NDArray[np.float64]:
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


def shells_of(axes: Axes, free: NDArray[np.int64], radius: int) -> Shells:
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
    return Shells(np.ascontiguousarray(rows), steps[order] @ strides, lowest, grid.ravel(), home)


def ball_counts(axes: Axes, free: NDArray[np.int64], radius: int) -> Balls:
    """Return the counts for the radii up to `radius`."""
    nodes = axes.places.shape[1]
    here = np.zeros(nodes, np.int32)
    here[free] = 1
    table = np.ascontiguousarray(np.broadcast_to(here, (radius + 1, nodes)))
    dims = len(axes.sizes)
    in_slice = np.empty((dims, radius + 1, nodes), np.int32)
    for d, in_balls in _left_out(axes, table, range(dims)):
        in_slice[d] = in_balls
    return Balls(_extended(axes, in_slice[dims - 1], [dims - 1]), in_slice)


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
