"""The centre whose nearest free nodes lie closest together: side by side or, among very many, from counts.

Where numbers are too large for that, most centres' nodes are not looked at. From the counts of
`balls`, the nodes within a radius around a centre are known by their number at each place of each dimension,
and so is their sum of distances over pairs; what the outermost nodes add is bounded from below by the
cheapest place at their distance. Only centres whose bound is no more than the best sum known are worked out.
The choice is that of `nearest.best_centre`, to the node.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.compiled import njit
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.centres.at_switches import has_switches, one_a_switch
from netplace.scheduling.partitioner.centres.balls import Balls, ball_counts, mean_volumes, shells_of
from netplace.scheduling.partitioner.centres.batched import best_of_batch, fits_batch
from netplace.scheduling.partitioner.centres.choice import Choice
from netplace.scheduling.partitioner.centres.nearest import along, best_centre, cost_around
from netplace.scheduling.partitioner.centres.on_tree import best_on_tree, is_tree
from netplace.scheduling.partitioner.centres.space import LINE, RING, Axes, Space, one_each

# mypy: disable-error-code="untyped-decorator"

__all__ = ["best_by_counts", "closest"]

_FEW = 2**19  # free nodes times centres up to which all centres are simply worked out
_MOST = 2**62
_TRIED = 128  # centres that are bounded in any case
_LEAST_SPARED = 4  # as the others, if one in so many was spared


def closest(space: Space, free: Nodes, centres: Nodes, size: int) -> Choice:
    """Return the first centre around which the `size` nearest free nodes have the least sum over pairs.

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
    return Choice(nodes, int(cost), int(centre))


def best_by_counts(space: Space, free: Nodes, centres: Nodes, size: int) -> int:
    """Return the first of the best centres, from the counts."""
    axes = space.axes
    balls = _around(space, free, centres, size)
    shells = shells_of(axes, free, len(balls.within) - 1)
    within = balls.within[:, centres].astype(np.int64)
    likely = int(np.argmin(np.maximum(size - within, 0).sum(axis=0)))  # that of the least sum of distances
    pairs = _pairs(axes, balls, free, size)
    return int(_search(axes, balls, shells, free, centres, size, likely, pairs))


def _around(space: Space, free: Nodes, centres: Nodes, size: int) -> Balls:
    """Return counts up to a radius that suffices for most centres."""
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
    """Return what 0, 1, .., `size` free nodes have at least as their sum of distances over pairs.

    No free node has more others within r hops than the one that has most.
    """
    most = balls.within[:, free].max(axis=1).astype(np.int64)
    count = np.arange(size + 1)
    return np.asarray(count * np.maximum(count - most[:, None], 0).sum(axis=0) // 2)


@njit(cache=True)
def _search(
    axes: Any, balls: Any, shells: Any, free: Any, centres: Any, size: int, likely: int, pairs: Any
) -> int:
    """Return the first of the best centres; `likely` is one that may be good, which is tried first."""
    most = axes.sizes.max()
    dims = len(axes.sizes)
    count, sums = np.zeros((dims, most), np.int64), np.zeros((dims, most), np.int64)
    cheapest, other = np.empty(len(shells.starts) + 2, np.int64), np.empty(len(shells.starts) + 2, np.int64)
    outer = np.empty(len(shells.steps) + 1, np.int64)
    best, best_at, spared = np.int64(_MOST), 0, 0
    for turn in range(-1, len(centres)):
        i = turn if turn >= 0 else likely
        if turn == likely:
            continue
        centre = centres[i]
        radius = _radius(balls.within, centre, size)
        inside = np.int64(0)
        if radius > 0:
            _fill(axes, balls, centre, radius - 1, count)
            inside = np.int64(balls.within[radius - 1, centre])
            # Bounds cost a third of what they spare: no more of them where they spare next to nothing.
            if radius == len(balls.within) or turn < _TRIED or _LEAST_SPARED * spared > turn:
                bound = _bound(axes, balls, centre, radius, inside, size, pairs, count, sums, cheapest, other)
                if bound > best or (bound == best and i > best_at):
                    spared += 1
                    continue
        else:
            count[:] = 0
        if radius < len(balls.within):
            cost = _cost(axes, shells, centre, radius, size, inside, count, outer)
        else:
            cost = cost_around(axes, free, centre, size)
        if cost < best or (cost == best and i < best_at):
            best, best_at = np.int64(cost), i
    return int(centres[best_at])


@njit(cache=True)
def _radius(within: Any, centre: int, size: int) -> int:
    """Return the least radius within which `size` free nodes lie, or one more than is known."""
    low, high = 0, len(within)
    while low < high:
        middle = (low + high) // 2
        if within[middle, centre] >= size:
            high = middle
        else:
            low = middle + 1
    return low


@njit(cache=True)
def _fill(axes: Any, balls: Any, centre: int, radius: int, count: Any) -> None:
    """Count the free nodes within a radius of the centre at each place of each dimension."""
    stride = 1
    for d in range(len(axes.sizes)):
        size, place = axes.sizes[d], axes.places[d, centre]
        ring = axes.kinds[d] == RING
        low = -min(radius, (size - 1) // 2 if ring else place)
        high = min(radius, size // 2 if ring else size - 1 - place)
        count[d, :size] = 0
        for step in range(low, high + 1):
            x = place + step
            if ring:
                x = x + size if x < 0 else x - size if x >= size else x
            count[d, x] = balls.in_slice[d, radius - abs(step), centre + (x - place) * stride]
        stride *= size


@njit(cache=True)
def _sums(count: Any, kind: int, size: int, nodes: int, sums: Any) -> int:
    """Fill in the sum of distances from each place to the nodes, and return that over pairs of nodes."""
    total = 0
    if kind == LINE:
        for x in range(size):
            total += count[x] * x
        behind = 0
        at = total
        for x in range(size):
            sums[x] = at
            behind += count[x]
            at += 2 * behind - nodes
    else:
        half = size // 2
        at, ahead = 0, 0
        for x in range(size):
            at += count[x] * min(x, size - x)
        for x in range(1, half + 1):
            ahead += count[x]
        for x in range(size):
            sums[x] = at
            opposite = count[(x + half + 1) % size] if size % 2 else 0
            at += nodes - opposite - 2 * ahead
            ahead += count[(x + 1 + half) % size] - count[(x + 1) % size]
    total = 0
    for x in range(size):
        total += count[x] * sums[x]
    return total // 2


@njit(cache=True)
def _bound(
    axes: Any,
    balls: Any,
    centre: int,
    radius: int,
    inside: int,
    size: int,
    pairs: Any,
    count: Any,
    sums: Any,
    cheapest: Any,
    other: Any,
) -> Any:
    """Return what the sum over pairs around a centre is at least.

    The nodes nearer than `radius` are known; the others are at that distance or, if no more is known, at
    least at that distance: `cheapest` ends up with the least sum of distances to the known ones by distance.
    """
    open_ended = radius == len(balls.within)
    total = np.int64(0)
    cheapest[: radius + 1] = _MOST
    cheapest[0] = 0
    for d in range(len(axes.sizes)):
        size_d, place, ring = axes.sizes[d], axes.places[d, centre], axes.kinds[d] == RING
        total += _sums(count[d], axes.kinds[d], size_d, inside, sums[d])
        for reach in range(radius + 1):
            other[reach] = cheapest[reach]
            cheapest[reach] = _MOST
        reaches = size_d // 2 if ring else max(place, size_d - 1 - place)
        for step in range((reaches if open_ended else min(radius, reaches)) + 1):
            up, down = place + step, place - step
            if ring:
                up, down = up - size_d if up >= size_d else up, down + size_d if down < 0 else down
            least = np.int64(_MOST)
            if up < size_d:
                least = sums[d, up]
            if down >= 0:
                least = min(least, sums[d, down])
            if open_ended:
                for reach in range(radius + 1):
                    if other[reach] < _MOST and least < _MOST:
                        ends = min(reach + step, radius)
                        cheapest[ends] = min(cheapest[ends], other[reach] + least)
            elif least < _MOST:
                for reach in range(radius - step + 1):
                    if other[reach] < _MOST:
                        cheapest[reach + step] = min(cheapest[reach + step], other[reach] + least)
    outside = size - inside
    return total + outside * cheapest[radius] + pairs[outside]


@njit(cache=True)
def _cost(
    axes: Any, shells: Any, centre: int, radius: int, size: int, inside: int, count: Any, outer: Any
) -> Any:
    """Return the sum over pairs of the `size` free nodes nearest to a centre.

    `count` holds those nearer than `radius`. Of the others, those of least number are taken: plane by plane
    of the last dimension, and in the last plane that is needed in order.
    """
    dims = len(axes.sizes)
    size_d, place, home = axes.sizes[dims - 1], axes.places[dims - 1, centre], shells.home[centre]
    planes = shells.starts.shape[1] - 1
    wanted = size - inside
    # On a ring the planes that lie beyond its end come first.
    first = 0
    if axes.kinds[dims - 1] == RING:
        if place + shells.lowest < 0:
            first = -(place + shells.lowest)
        elif place + shells.lowest + planes > size_d:
            first = size_d - place - shells.lowest
    collected = 0
    for turn in range(planes):
        plane = first + turn if first + turn < planes else first + turn - planes
        before = collected
        for i in range(shells.starts[radius, plane], shells.starts[radius, plane + 1]):
            node = shells.node_at[home + shells.steps[i]]
            outer[collected] = node - 1
            collected += node > 0
        if collected >= wanted:
            if collected > wanted:
                outer[before:collected].sort()
            break
    total = 0
    for d in range(dims):
        for i in range(wanted):
            count[d, axes.places[d, outer[i]]] += 1
        total += along(count[d], axes.kinds[d], axes.sizes[d], size)
    return total
