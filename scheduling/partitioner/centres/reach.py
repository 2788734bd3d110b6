"""How far the nearest free nodes of every point of a grid reach. Compiled.

The free nodes within r hops of a point are counted for r = 0, 1, .. at all points together, dimension after
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

_MANY = 2**15 - 1  # more than any count


@njit(cache=True)
def reach_of(axes: Any, here: Any, centres: Any, size: int) -> Any:
    """Return the least radius within which each centre has `size` free nodes, and how many it has nearer.

    `here` has the free nodes at every point of a lattice, in 16 bits. What is returned has an entry for every
    point; those of points that are no centres mean nothing.
    """
    dims, points = axes.places.shape
    most = axes.sizes.sum()
    # Counts in the first dimensions, by radius: earlier ones are needed where a cone has gone half round.
    known = np.empty((dims, most, points), np.int16)
    up, down = np.zeros((2, dims, points), np.int16), np.zeros((2, dims, points), np.int16)
    other = np.full(points, _MANY, np.int16)
    for point in centres:
        other[point] = 0
    whole = np.empty(points, np.int16)
    radius, nearer = np.zeros(points, np.int16), np.zeros(points, np.int16)
    for r in range(most):
        within, stride = here, 1
        old, new = r % 2, 1 - r % 2
        for d in range(dims):
            side, ring = axes.sizes[d], axes.kinds[d] == RING
            rise, fall = side // 2, (side - 1) // 2  # farthest places of a ring, up and down
            _cone(within, up[old, d], up[new, d], stride, side, ring, True)
            _cone(within, down[old, d], down[new, d], stride, side, ring, False)
            if ring and r > rise:
                _close(up[new, d], here if d == 0 else known[d, r - 1 - rise], stride, side, rise + 1)
            if ring and r > fall:
                _close(
                    down[new, d], here if d == 0 else known[d, r - 1 - fall], stride, side, side - 1 - fall
                )
            both = whole if d == dims - 1 else known[d + 1, r]
            _join(within, up[new, d], down[new, d], both)
            within = both
            stride *= side
        if _note(within, other, size, radius, nearer) >= size:
            break
    return radius, nearer


@njit(cache=True)
def _cone(now: Any, before: Any, sums: Any, stride: int, side: int, ring: bool, up: bool) -> None:
    """Sum over the places from each on, up or down, the counts at x places on within x hops less."""
    at, there = (0, stride) if up else (stride, 0)
    for i in range(len(now) - stride):
        sums[np.uintp(at + i)] = np.int16(now[np.uintp(at + i)] + before[np.uintp(there + i)])
    last = stride * (side - 1)
    at, there = (last, 0) if up else (0, last)
    for first in range(0, len(now), stride * side):  # beyond the end of a line is nothing, or its beginning
        for i in range(first, first + stride):
            more = before[np.uintp(there + i)] if ring else np.int16(0)
            sums[np.uintp(at + i)] = np.int16(now[np.uintp(at + i)] + more)


@njit(cache=True)
def _close(cone: Any, gone: Any, stride: int, side: int, far: int) -> None:
    """Take off what lies `far` places on: there a cone has gone half round the ring."""
    block, ahead = stride * side, stride * far
    for first in range(0, len(cone), block):
        _take_off(cone, first, gone, first + ahead, block - ahead)
        _take_off(cone, first + block - ahead, gone, first, ahead)


@njit(cache=True)
def _take_off(sums: Any, at: int, others: Any, there: int, count: int) -> None:
    for i in range(count):
        sums[np.uintp(at + i)] -= others[np.uintp(there + i)]


@njit(cache=True)
def _join(here: Any, up: Any, down: Any, both: Any) -> None:
    """Fill in the counts of both cones, which have the places themselves in common."""
    for at in range(len(here)):
        both[at] = np.int16(np.int16(up[at] + down[at]) - here[at])


@njit(cache=True)
def _note(count: Any, other: Any, size: int, radius: Any, nearer: Any) -> Any:
    """Where there are not enough yet, the radius is larger; return the least count of a centre."""
    few, least = np.int16(size), np.int16(_MANY)
    for at in range(len(count)):
        now = count[at]
        more = now < few
        radius[at] = np.int16(radius[at] + np.int16(more))
        nearer[at] = now if more else nearer[at]
        least = min(least, max(now, other[at]))
    return least
