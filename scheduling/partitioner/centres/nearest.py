"""The k free nodes nearest to a centre, and the centre around which they lie closest together. Compiled.

Ties, which the papers leave open, go to the least node number everywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from netplace.compiled import njit
from netplace.scheduling.partitioner.centres.space import GROUPS, LINE, TABLE

# mypy: disable-error-code="untyped-decorator"

__all__ = ["along", "best_centre", "cost_around", "farthest", "improve", "least_swap", "sum_of_pairs"]

_NONE = 2**62


@njit(cache=True)
def _hops(axes: Any, a: int, b: int) -> int:
    """Return the distance of two nodes."""
    total = 0
    for d in range(len(axes.sizes)):
        gap = abs(axes.places[d, a] - axes.places[d, b])
        if axes.kinds[d] == LINE:
            total += gap
        elif axes.kinds[d] == GROUPS:
            total += 2 * (gap > 0)
        elif axes.kinds[d] == TABLE:
            total += axes.table[axes.places[d, a], axes.places[d, b]] if a != b else 0
        else:
            total += min(gap, axes.sizes[d] - gap)
    return total


@njit(cache=True)
def along(count: Any, kind: int, size: int, nodes: int) -> int:
    """Return the sum of distances over pairs in one dimension, from how many nodes are at each place.

    On a line every cut between two places is crossed by the pairs that it parts. On a ring the windows of
    half its length part two places as often as twice their distance.
    """
    total = 0
    if kind == LINE:
        below = 0
        for place in range(size):
            below += count[place]
            total += below * (nodes - below)
        return total
    half, inside = size // 2, 0
    for place in range(half):
        inside += count[place]
    for place in range(size):
        total += inside * (nodes - inside)
        inside += count[(place + half) % size] - count[place]
    return total // 2


@njit(cache=True)
def sum_of_pairs(axes: Any, nodes: Any, count: Any, limit: int = _NONE) -> int:
    """Return the sum of distances over pairs of `nodes`; `count` is room, all 0 and left so.

    What reaches `limit` in some dimensions is not summed over the others.
    """
    total = 0
    for d in range(len(axes.sizes)):
        if total >= limit:
            break
        if axes.kinds[d] == GROUPS:
            alike = 0
            for node in nodes:
                alike += count[axes.places[d, node]]
                count[axes.places[d, node]] += 1
            total += 2 * (len(nodes) * (len(nodes) - 1) // 2 - alike)
        elif axes.kinds[d] == TABLE:
            total += _tabulated_pairs(axes, axes.places[d], nodes, count)
        else:
            for node in nodes:
                count[axes.places[d, node]] += 1
            total += along(count, axes.kinds[d], axes.sizes[d], len(nodes))
        for node in nodes:
            count[axes.places[d, node]] = 0
    return total


@njit(cache=True)
def _tabulated_pairs(axes: Any, places: Any, nodes: Any, count: Any) -> int:
    """Return the sum of distances over pairs by the table; `count` ends with the nodes at each place."""
    met, places_met = 0, np.empty(len(nodes), np.int64)
    for node in nodes:
        if count[places[node]] == 0:
            places_met[met] = places[node]
            met += 1
        count[places[node]] += 1
    total = 0
    for i in range(met):
        here = places_met[i]
        total += count[here] * (count[here] - 1) // 2 * axes.table[here, here]
        for j in range(i):
            total += count[here] * count[places_met[j]] * axes.table[here, places_met[j]]
    return total


@njit(cache=True)
def _places(axes: Any, free: Any) -> Any:
    """Return the places of the free nodes alone, shape (dims, free nodes)."""
    places = np.empty((len(axes.sizes), len(free)), np.int32)
    for d in range(len(axes.sizes)):
        for i in range(len(free)):
            places[d, i] = axes.places[d, free[i]]
    return places


@njit(cache=True)
def _nearest(axes: Any, free: Any, places: Any, centre: int, chosen: Any, hops: Any, at: Any) -> None:
    """Fill `chosen` with the free nodes nearest to `centre`; `at` is room for counts by distance, all 0."""
    hops[:] = 0
    for d in range(
        len(axes.sizes)
    ):  # one dimension after the other, so that free nodes are done side by side
        here, size = np.int32(axes.places[d, centre]), np.int32(axes.sizes[d])
        along_d = places[d]
        if axes.kinds[d] == LINE:
            for i in range(len(hops)):
                hops[i] += abs(along_d[i] - here)
        elif axes.kinds[d] == GROUPS:
            for i in range(len(hops)):
                hops[i] += 2 * (along_d[i] != here)
        elif axes.kinds[d] == TABLE:
            for i in range(len(hops)):
                hops[i] += axes.table[here, along_d[i]] if free[i] != centre else 0
        else:
            for i in range(len(hops)):
                gap = abs(along_d[i] - here)
                hops[i] += min(gap, size - gap)
    for i in range(len(hops)):
        at[hops[i]] += 1
    last, inside = 0, at[0]
    while inside < len(chosen):
        last += 1
        inside += at[last]
    open_places = len(chosen) - (inside - at[last])  # for nodes at the last distance
    taken = 0
    for i in range(len(free)):
        if hops[i] < last or (hops[i] == last and open_places > 0):
            open_places -= hops[i] == last
            chosen[taken] = free[i]
            taken += 1
    for i in range(len(hops)):
        at[hops[i]] = 0


@njit(cache=True)
def cost_around(axes: Any, free: Any, centre: int, size: int) -> Any:
    """Return the sum of distances over pairs of the `size` free nodes nearest to a centre."""
    chosen, hops = np.empty(size, np.int64), np.empty(len(free), np.int32)
    at = np.zeros(axes.sizes.sum() + 2 * len(axes.sizes) + 1, np.int64)
    _nearest(axes, free, _places(axes, free), centre, chosen, hops, at)
    return sum_of_pairs(axes, chosen, np.zeros(axes.sizes.max(), np.int64))


@njit(cache=True)
def best_centre(axes: Any, free: Any, centres: Any, size: int) -> Any:
    """Return the first centre whose `size` nearest free nodes have the least sum over pairs, it, and them."""
    chosen, best_nodes = np.empty(size, np.int64), np.empty(size, np.int64)
    hops, places = np.empty(len(free), np.int32), _places(axes, free)
    at = np.zeros(axes.sizes.sum() + 2 * len(axes.sizes) + 1, np.int64)
    count = np.zeros(axes.sizes.max(), np.int64)
    best, best_at = np.int64(_NONE), np.int64(-1)
    for centre in centres:
        _nearest(axes, free, places, centre, chosen, hops, at)
        cost = sum_of_pairs(axes, chosen, count, best)
        if cost < best:
            best, best_at = np.int64(cost), centre
            best_nodes[:] = chosen
            if best == 0:
                break
    return best_at, best, best_nodes


@njit(cache=True)
def farthest(axes: Any) -> int:
    """Return a number of hops that no two nodes are more apart."""
    total = 0
    for d in range(len(axes.sizes)):
        if axes.kinds[d] == LINE:
            total += axes.sizes[d] - 1
        elif axes.kinds[d] == GROUPS:
            total += 2
        elif axes.kinds[d] == TABLE:
            total += axes.table.max()
        else:
            total += axes.sizes[d] // 2
    return total


@njit(cache=True)
def least_swap(axes: Any, chosen: Any, others: Any, near: Any, far: Any, most: int) -> Any:
    """Return the indices of the swap of least change, and that change; ties to the least nodes.

    `near` and `far` hold the sum of distances of each chosen and each other node to the chosen ones; no two
    nodes are more than `most` hops apart, so few pairs can be as good as the most promising one.
    """
    leaving, entering = np.argmax(near), np.argmin(far)
    least = np.int64(far[entering] - near[leaving] - _hops(axes, chosen[leaving], others[entering]))
    near_enough = np.flatnonzero(far <= least + most + near[leaving])
    for i in np.flatnonzero(near >= far[entering] - most - least):
        for j in near_enough:
            bound = far[j] - near[i]
            if bound - most > least:
                continue
            change = bound - _hops(axes, chosen[i], others[j])
            first = i < leaving or (i == leaving and j < entering)
            if change < least or (change == least and first):
                least, leaving, entering = np.int64(change), i, j
    return leaving, entering, least


@njit(cache=True)
def improve(axes: Any, chosen: Any, others: Any) -> Any:
    """Swap chosen nodes for others, both sorted, while that lessens the sum over pairs; return by how much.

    Each step makes the swap of least change; both arrays are changed in place, and stay sorted.
    """
    gain = np.int64(0)
    near, far = np.zeros(len(chosen), np.int64), np.zeros(len(others), np.int64)
    for i in range(len(chosen)):
        for other in chosen:
            near[i] += _hops(axes, chosen[i], other)
    for j in range(len(others)):
        for other in chosen:
            far[j] += _hops(axes, others[j], other)
    most = farthest(axes)
    while len(others):
        leaving, entering, change = least_swap(axes, chosen, others, near, far, most)
        if change >= 0:
            break
        gain -= change
        out, new = chosen[leaving], others[entering]
        left, entered = near[leaving], far[entering]
        for i in range(len(chosen)):
            near[i] += _hops(axes, chosen[i], new) - _hops(axes, chosen[i], out)
        for j in range(len(others)):
            far[j] += _hops(axes, others[j], new) - _hops(axes, others[j], out)
        between = _hops(axes, out, new)
        _replace(chosen, near, leaving, new, entered - between)
        _replace(others, far, entering, out, left + between)
    return gain


@njit(cache=True)
def _replace(nodes: Any, values: Any, index: int, node: int, value: int) -> None:
    """Put a node and its value in the place of another, and move it to where it belongs in the order."""
    while index > 0 and nodes[index - 1] > node:
        nodes[index], values[index] = nodes[index - 1], values[index - 1]
        index -= 1
    while index < len(nodes) - 1 and nodes[index + 1] < node:
        nodes[index], values[index] = nodes[index + 1], values[index + 1]
        index += 1
    nodes[index], values[index] = node, value
