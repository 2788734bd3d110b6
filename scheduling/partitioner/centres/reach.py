"""How far the nearest free nodes of every node of a grid reach. Compiled.

The free nodes within r hops of a node are counted for r = 0, 1, .. at all nodes together, dimension after
dimension: they are those in two cones, above and below, each of which follows from its neighbour's, ``up(x,
r) = slice(x, r) + up(x + 1, r - 1)``. It ends with the radius within which every centre has enough.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from netplace.compiled import njit
from netplace.scheduling.partitioner.centres.space import RING

# mypy: disable-error-code="untyped-decorator"

__all__ = ["reach_of"]


@njit(cache=True)
def reach_of(axes: Any, free: Any, centres: Any, size: int) -> Any:
    """Return the least radius within which each centre has `size` free nodes, and how many it has nearer.

    Both have an entry for every node; those of nodes that are no centres mean nothing.
    """
    dims, nodes = axes.places.shape
    most = axes.sizes.sum()
    # Counts in the first dimensions, by radius: earlier ones are needed where a cone has gone half round.
    known = np.empty((dims, most, nodes), np.int16)
    up, down = np.zeros((dims, nodes), np.int16), np.zeros((dims, nodes), np.int16)
    here = np.zeros(nodes, np.int16)
    for node in free:
        here[node] = 1
    radius, nearer = np.zeros(nodes, np.int16), np.zeros(nodes, np.int16)
    for r in range(most):
        within, stride = here, 1
        for d in range(dims):
            side = axes.sizes[d]
            rise, fall = side // 2, (side - 1) // 2  # farthest places of a ring, up and down
            if axes.kinds[d] != RING:
                rise, fall = most, most
            up[d] = _cone(within, up[d], stride, side, rise < most)
            if r > rise:
                _close(up[d], here if d == 0 else known[d, r - 1 - rise], stride, side, rise + 1)
            down[d] = _cone(within, down[d], -stride, side, fall < most)
            if r > fall:
                _close(down[d], here if d == 0 else known[d, r - 1 - fall], stride, side, side - 1 - fall)
            within = _join(within, up[d], down[d])
            stride *= side
            if d < dims - 1:
                known[d + 1, r] = within
        _note(within, size, radius, nearer)
        if within[centres].min() >= size:
            break
    return radius, nearer


@njit(cache=True)
def _cone(now: Any, before: Any, step: int, side: int, ring: bool) -> Any:
    """Return the sums over the places x from each on, in the direction of `step`, of counts |x| hops less."""
    nodes, stride = len(before), abs(step)
    inner = stride * (side - 1)
    found = now.copy()
    if step > 0:
        _add(found, 0, before, stride, nodes - stride)
    else:
        _add(found, stride, before, 0, nodes - stride)
    for first in range(0, nodes, stride * side):  # beyond the end of a line is nothing, or its beginning
        end, other = (first + inner, first) if step > 0 else (first, first + inner)
        for i in range(stride):
            found[end + i] = now[end + i] + (before[other + i] if ring else 0)
    return found


@njit(cache=True)
def _close(cone: Any, gone: Any, stride: int, side: int, far: int) -> None:
    """Take off what lies `far` places on: there a cone has gone half round the ring."""
    block = stride * side
    for first in range(0, len(cone), block):
        _take_off(cone, first, gone, first + stride * far, block - stride * far)
        _take_off(cone, first + block - stride * far, gone, first, stride * far)


@njit(cache=True)
def _add(sums: Any, at: int, others: Any, there: int, count: int) -> None:
    for i in range(count):
        sums[np.uintp(at + i)] += others[np.uintp(there + i)]


@njit(cache=True)
def _take_off(sums: Any, at: int, others: Any, there: int, count: int) -> None:
    for i in range(count):
        sums[np.uintp(at + i)] -= others[np.uintp(there + i)]


@njit(cache=True)
def _join(here: Any, up: Any, down: Any) -> Any:
    """Return the counts of both cones, which have the places themselves in common."""
    both = np.empty_like(here)
    for at in range(len(here)):
        both[at] = up[at] + down[at] - here[at]
    return both


@njit(cache=True)
def _note(count: Any, size: int, radius: Any, nearer: Any) -> None:
    """Where there are not enough yet, the radius is larger."""
    few = np.int16(size)
    for at in range(len(count)):
        more = count[at] < few
        radius[at] += np.int16(more)
        nearer[at] = count[at] if more else nearer[at]
