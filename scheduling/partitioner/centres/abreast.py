"""The centre whose nearest free nodes lie closest together, for many centres side by side. Compiled.

Every step is one short loop over a row of centres, in 16-bit numbers, so that the processor does as many at a
time as fit into its vector registers: some hundred free nodes around all of 4,096 centres are cheaper so than
any bound that would spare most of them. The choice is that of `nearest.best_centre`, to the node.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from netplace.compiled import njit
from netplace.scheduling.partitioner.centres.space import LINE, RING, Axes

# mypy: disable-error-code="untyped-decorator"

__all__ = ["best_abreast", "fits_abreast"]

_LANES = 128
_MOST = 2**62


def fits_abreast(axes: Axes, free: int) -> bool:
    """Return whether counts and sums of so many free nodes fit into the numbers used; trees do not."""
    sizes = axes.sizes.tolist()
    small = max(free, sum(sizes)) < 2**15 and free * free // 4 * max(sizes) < 2**31
    return small and bool((axes.kinds <= RING).all())


@njit(cache=True)
def best_abreast(axes: Any, free: Any, centres: Any, size: int) -> int:
    """Return the first centre whose `size` nearest free nodes have the least sum of distances over pairs."""
    dims, widest = len(axes.sizes), axes.sizes.max()
    places = np.empty((dims, len(free)), np.int64)
    for d in range(dims):
        for i in range(len(free)):
            places[d, i] = axes.places[d, free[i]]
    here = np.zeros(_LANES, np.int16)  # place of each centre in a dimension
    gaps = np.empty((widest, _LANES), np.int16)  # hops from each place to each centre in a dimension
    hops = np.empty((len(free), _LANES), np.int16)
    radius = np.zeros(_LANES, np.int16)
    wanted = np.empty(_LANES, np.int16)
    count = np.empty((widest, _LANES), np.int16)
    cost = np.empty(_LANES, np.int64)
    chosen = np.empty(len(free), np.int64)
    plane = axes.places.shape[1] // axes.sizes[dims - 1]
    reach = np.full(axes.places.shape[1], -1, np.int16)
    best, best_at = np.int64(_MOST), centres[0]
    for first in range(0, len(centres), _LANES):
        known = min(_LANES, len(centres) - first)
        for d in range(dims):
            for lane in range(known):  # lanes that are left over keep the centres of the last turn
                here[lane] = axes.places[d, centres[first + lane]]
            for lane in range(known, _LANES):
                here[lane] = here[0]
            _fill_gaps(here, axes.kinds[d], axes.sizes[d], gaps)
            _add_gaps(gaps, places[d], hops, d == 0)
        for lane in range(known):  # a neighbour's is at most a hop more or less
            before = centres[first + lane] - plane
            radius[lane] = reach[before] if before >= 0 and reach[before] >= 0 else radius[lane]
        _settle(hops, size, radius, wanted)
        for lane in range(known):
            reach[centres[first + lane]] = radius[lane]
        used = _choose(hops, radius, wanted, chosen)
        cost[:] = 0
        for d in range(dims):
            count[: axes.sizes[d]] = 0
            _tally(hops, places[d], chosen[:used], count)
            _add_pairs(count, axes.kinds[d], axes.sizes[d], size, cost)
        for lane in range(known):
            if cost[lane] < best:
                best, best_at = cost[lane], centres[first + lane]
    return int(best_at)


@njit(cache=True)
def _fill_gaps(here: Any, kind: int, size: int, gaps: Any) -> None:
    """Fill in the hops from each place of a dimension to the centres, which stand at `here`."""
    for place in range(size):
        for lane in range(_LANES):
            gap = abs(here[lane] - place)
            gaps[place, lane] = min(gap, size - gap) if kind == RING else gap


@njit(cache=True)
def _add_gaps(gaps: Any, places: Any, hops: Any, begin: bool) -> None:
    """Add to the hops from free nodes to centres those in one dimension, or begin with them."""
    for i in range(len(places)):
        place = places[i]
        if begin:
            for lane in range(_LANES):
                hops[i, lane] = gaps[place, lane]
        else:
            for lane in range(_LANES):
                hops[i, lane] += gaps[place, lane]


@njit(cache=True)
def _settle(hops: Any, size: int, radius: Any, wanted: Any) -> None:
    """Find the least radius within which `size` free nodes lie, and how many are wanted at that distance.

    Any radius will do to begin with. That of a centre near by is seldom more than a hop away.
    """
    nearer, within = np.empty(_LANES, np.int16), np.empty(_LANES, np.int16)
    moved = True
    while moved:
        nearer[:] = 0
        within[:] = 0
        for i in range(len(hops)):
            for lane in range(_LANES):
                nearer[lane] += hops[i, lane] < radius[lane]
            for lane in range(_LANES):
                within[lane] += hops[i, lane] <= radius[lane]
        moved = False
        for lane in range(_LANES):
            if nearer[lane] >= size:
                radius[lane] -= 1
                moved = True
            elif within[lane] < size:
                radius[lane] += 1
                moved = True
            wanted[lane] = size - nearer[lane]


@njit(cache=True)
def _choose(hops: Any, radius: Any, wanted: Any, chosen: Any) -> int:
    """Put 1 in the place of the hops of each node that is chosen, 0 elsewhere; ties go to the first.

    The indices of those that some centre chooses end up in `chosen`; return how many they are.
    """
    used = 0
    for i in range(len(hops)):
        some: Any = np.int16(0)
        for lane in range(_LANES):
            tied = np.int16(hops[i, lane] == radius[lane])
            hops[i, lane] = np.int16(hops[i, lane] < radius[lane]) | (tied & np.int16(wanted[lane] > 0))
            wanted[lane] -= tied
        for lane in range(_LANES):
            some |= hops[i, lane]
        chosen[used] = i
        used += some
    return used


@njit(cache=True)
def _tally(hops: Any, places: Any, chosen: Any, count: Any) -> None:
    """Count the chosen nodes at each place of a dimension."""
    for i in chosen:
        place = places[i]
        for lane in range(_LANES):
            count[place, lane] += hops[i, lane]


@njit(cache=True)
def _add_pairs(count: Any, kind: int, size: int, nodes: int, cost: Any) -> None:
    """Add the sums of distances over pairs in one dimension, as `nearest.along` has them."""
    inside, total = np.zeros(_LANES, np.int16), np.zeros(_LANES, np.int32)
    half = size // 2 if kind == RING else 0
    for place in range(half):
        for lane in range(_LANES):
            inside[lane] += count[place, lane]
    for place in range(size):
        if kind == LINE:
            for lane in range(_LANES):
                inside[lane] += count[place, lane]
        for lane in range(_LANES):
            total[lane] += np.int32(inside[lane]) * np.int32(nodes - inside[lane])
        if kind == RING:
            ahead = (place + half) % size
            for lane in range(_LANES):
                inside[lane] += count[ahead, lane] - count[place, lane]
    for lane in range(_LANES):
        cost[lane] += total[lane] // 2 if kind == RING else total[lane]
