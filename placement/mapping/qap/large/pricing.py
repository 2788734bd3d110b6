"""The cost of a unit of flow between two locations, inside compiled searches."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.compiled import njit
from netplace.placement.mapping.qap.kinds import TABLE, TD, TREE, TWIST

# mypy: disable-error-code="untyped-decorator, no-untyped-def, no-untyped-call"

__all__: list[str] = []


@njit(cache=True, error_model="numpy", forceinline=True)
def price(kind, places, steps, table, home, a, b) -> Any:
    """Return the cost of a unit of flow between locations `a` and `b`."""
    if kind == TABLE:
        cost = np.float32(table[home[a], home[b]])
        return cost + steps[0] if a != b else cost
    total = np.float32(0)
    if kind == TREE:
        for stage in range(places.shape[1]):
            if places[a, stage] != places[b, stage]:
                total += steps[stage]
        return total
    if kind == TWIST:
        x, y = places[b, 0] - places[a, 0], places[b, 1] - places[a, 1]
        if y < 0:
            x, y = x - steps[2], y + steps[1]
        while x < 0:
            x += steps[0]
        return np.float32(table[int(y), int(x)])
    if a != b:
        total += table[0, 0]
    dims = places.shape[1]
    for d in range(dims):
        gap = abs(places[a, d] - places[b, d])
        gap = min(gap, steps[d] - gap)
        total += gap
        if kind == TD:
            for e in range(d):
                other = abs(places[a, e] - places[b, e])
                total += abs(gap - min(other, steps[e] - other))
    return total


@njit(cache=True, error_model="numpy")
def prices(kind, places, steps, table, home, ours, theirs) -> NDArray[np.float64]:
    """Return the costs of pairs of locations."""
    costs = np.empty(len(ours))
    for pair in range(len(ours)):
        costs[pair] = price(kind, places, steps, table, home, ours[pair], theirs[pair])
    return costs
