"""The centre whose nearest free nodes lie closest together, for many centres side by side. Compiled.

Every step is one short loop over a row of centres, in 16-bit numbers, so that the processor does as many at a
time as fit into its vector registers. How far each centre's nodes reach is known from counts (`reach`), so
every free node is looked at once, line by line of the first dimension: lines out of reach of all centres are
passed over, lines within reach of all are taken as they are. The choice is that of `nearest.best_centre`, to
the node.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from netplace.compiled import njit
from netplace.scheduling.partitioner.centres.reach import reach_of
from netplace.scheduling.partitioner.centres.space import LINE, RING, Axes, one_each

# mypy: disable-error-code="untyped-decorator"

__all__ = ["best_abreast", "fits_abreast"]

_LANES = 256
_MOST = 2**62


def fits_abreast(axes: Axes, free: int, size: int) -> bool:
    """Return whether this is a grid, a node a switch, whose counts and sums fit into the numbers used."""
    sizes = axes.sizes.tolist()
    small = max(free, sum(sizes)) < 2**15 and size * size // 4 * max(sizes) < 2**31
    return small and one_each(axes)


@njit(cache=True)
def best_abreast(axes: Any, free: Any, centres: Any, size: int) -> int:
    """Return the first centre whose `size` nearest free nodes have the least sum of distances over pairs."""
    dims, widest = len(axes.sizes), axes.sizes.max()
    radii, nearer = reach_of(axes, free, centres, size)
    starts, along = _lines(free, axes.sizes[0]), axes.places[0][free]
    longest = axes.sizes[0] // 2 if axes.kinds[0] == RING else axes.sizes[0] - 1
    gaps = np.empty((dims, widest, _LANES), np.int16)  # hops from each place to each centre in a dimension
    count = np.empty((dims, widest, _LANES), np.int16)  # chosen nodes at each place of a dimension
    alike = np.empty((dims, widest), np.int16)  # of them those that all centres choose
    here, radius, wanted = np.empty(_LANES, np.int16), np.empty(_LANES, np.int16), np.empty(_LANES, np.int16)
    beyond, in_line = np.empty(_LANES, np.int16), np.empty(_LANES, np.int16)
    near, far = np.empty((dims, widest), np.int64), np.empty((dims, widest), np.int64)
    cost = np.empty(_LANES, np.int64)
    best, best_at = np.int64(_MOST), centres[0]
    for first in range(0, len(centres), _LANES):
        known = min(_LANES, len(centres) - first)
        for lane in range(_LANES):  # lanes that are left over repeat the last centre
            centre = centres[first + min(lane, known - 1)]
            radius[lane], wanted[lane] = radii[centre], size - nearer[centre]
        for d in range(dims):
            for lane in range(_LANES):
                here[lane] = axes.places[d, centres[first + min(lane, known - 1)]]
            _fill_gaps(here, axes.kinds[d], axes.sizes[d], gaps, d)
            _fill_ends(gaps, d, axes.sizes[d], near, far)
        count[:], alike[:] = 0, 0
        shortest, largest = radius.min(), radius.max()
        for line in range(len(starts) - 1):
            begin, end = starts[line], starts[line + 1]
            nearest, farthest = 0, longest
            for d in range(1, dims):
                nearest += near[d, axes.places[d, free[begin]]]
                farthest += far[d, axes.places[d, free[begin]]]
            if nearest > largest:
                continue
            if farthest < shortest:
                _take_all(axes.places, free, begin, end, alike)
                continue
            if _compare(gaps, axes.places, free[begin], radius, beyond) > 0:
                continue
            _take(gaps, beyond, wanted, count, in_line, along, begin, end)
            for d in range(1, dims):
                _add(count, d, axes.places[d, free[begin]], in_line)
        cost[:] = 0
        for d in range(dims):
            _add_pairs(count, alike, d, axes.kinds[d], axes.sizes[d], size, cost)
        for lane in range(known):
            if cost[lane] < best:
                best, best_at = cost[lane], centres[first + lane]
    return int(best_at)


@njit(cache=True)
def _lines(free: Any, width: int) -> Any:
    """Return where each line of free nodes along the first dimension begins, and the end of the last."""
    starts, lines = np.empty(len(free) + 1, np.int64), 0
    for i in range(len(free)):
        if i == 0 or free[i] // width != free[i - 1] // width:
            starts[lines] = i
            lines += 1
    starts[lines] = len(free)
    return starts[: lines + 1]


@njit(cache=True)
def _fill_gaps(here: Any, kind: int, size: int, gaps: Any, d: int) -> None:
    """Fill in the hops from each place of a dimension to the centres, which stand at `here`."""
    full = np.int16(size if kind == RING else 2 * size)
    for place in range(size):
        at = np.int16(place)
        for lane in range(_LANES):
            gap = np.int16(max(np.int16(here[lane] - at), np.int16(at - here[lane])))
            gaps[d, place, lane] = min(gap, np.int16(full - gap))


@njit(cache=True)
def _fill_ends(gaps: Any, d: int, size: int, near: Any, far: Any) -> None:
    """Fill in the hops from each place of a dimension to the nearest and to the farthest of the centres."""
    for place in range(size):
        least, most = gaps[d, place, 0], gaps[d, place, 0]
        for lane in range(_LANES):
            least, most = min(least, gaps[d, place, lane]), max(most, gaps[d, place, lane])
        near[d, place], far[d, place] = least, most


@njit(cache=True)
def _compare(gaps: Any, places: Any, head: int, radius: Any, beyond: Any) -> Any:
    """Fill in by how much the line of a node lies beyond each radius; return the least."""
    for lane in range(_LANES):
        beyond[lane] = -radius[lane]
    for d in range(1, len(places)):
        place = places[d, head]
        for lane in range(_LANES):
            beyond[lane] += gaps[d, place, lane]
    least = beyond[0]
    for lane in range(_LANES):
        least = min(least, beyond[lane])
    return least


@njit(cache=True)
def _take_all(places: Any, free: Any, begin: int, end: int, alike: Any) -> None:
    """Count the nodes of a line that all centres choose."""
    for i in range(begin, end):
        alike[0, places[0, free[i]]] += 1
    for d in range(1, len(places)):
        alike[d, places[d, free[begin]]] += end - begin


@njit(cache=True)
def _take(
    gaps: Any, beyond: Any, wanted: Any, count: Any, in_line: Any, along: Any, begin: int, end: int
) -> None:
    """Count the nodes of a line that each centre chooses; ties go to the first that are still wanted."""
    in_line[:] = 0
    for i in range(begin, end):
        place = along[i]
        for lane in range(_LANES):
            more = np.int16(gaps[0, place, lane] + beyond[lane])
            tied = np.int16(more == 0)
            chosen = np.int16(more < 0) | (tied & np.int16(wanted[lane] > 0))
            wanted[lane] -= tied
            count[0, place, lane] += chosen
            in_line[lane] += chosen


@njit(cache=True)
def _add(count: Any, d: int, place: int, in_line: Any) -> None:
    """Add the chosen nodes of a line to those at its place in another dimension."""
    for lane in range(_LANES):
        count[d, place, lane] += in_line[lane]


@njit(cache=True)
def _add_pairs(count: Any, alike: Any, d: int, kind: int, size: int, nodes: int, cost: Any) -> None:
    """Add the sums of distances over pairs in one dimension, as `nearest.along` has them."""
    inside, total = np.zeros(_LANES, np.int16), np.zeros(_LANES, np.int32)
    half = size // 2 if kind == RING else 0
    for place in range(size):
        for lane in range(_LANES):
            count[d, place, lane] += alike[d, place]
    for place in range(half):
        for lane in range(_LANES):
            inside[lane] += count[d, place, lane]
    for place in range(size):
        if kind == LINE:
            for lane in range(_LANES):
                inside[lane] += count[d, place, lane]
        for lane in range(_LANES):
            total[lane] += np.int32(inside[lane]) * np.int32(nodes - inside[lane])
        if kind == RING:
            ahead = (place + half) % size
            for lane in range(_LANES):
                inside[lane] += count[d, ahead, lane] - count[d, place, lane]
    for lane in range(_LANES):
        cost[lane] += total[lane] // 2 if kind == RING else total[lane]
