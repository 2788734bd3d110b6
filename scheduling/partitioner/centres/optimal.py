"""The free nodes of least sum over pairs, exactly, by branch and bound; for small machines.

What M. A. Bender et al., "Communication-aware processor allocation for supercomputers", WADS 2005, section
6, call greedy: the best for this job, blind to later ones. Of several choices it is the first in
lexicographic order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from netplace.compiled import njit
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.centres.choice import Choice
from netplace.scheduling.partitioner.centres.gen_alg import gen_alg
from netplace.scheduling.partitioner.centres.space import Space
from netplace.scheduling.partitioner.centres.swaps import improved

# mypy: disable-error-code="untyped-decorator"

__all__ = ["MOST_FREE", "optimal"]

MOST_FREE = 128  # free nodes
_STEPS = 50_000_000  # of the search; some tens of seconds
_good = improved(gen_alg)


def optimal(space: Space, free: Nodes, size: int) -> Choice:
    """Return the best choice there is.

    Raises
    ------
    ValueError
        If more than 128 nodes are free, or the search does not come to its end in fifty million steps.
    """
    if len(free) > MOST_FREE:
        raise ValueError(
            f"partitioner optimal: {len(free)} nodes are free on {space.topology}, "
            f"expected at most {MOST_FREE}"
        )
    known = _good(space, free, size)
    distance = space.hops(free[:, None], free).astype(np.int64)
    # near[v, r]: the sum of the r least distances from v to other free nodes.
    near = np.cumsum(np.sort(distance, axis=1), axis=1)
    chosen, cost, steps = _search(distance, near, size, known.cost, _STEPS)
    if steps >= _STEPS:
        raise ValueError(
            f"partitioner optimal: gave up on {size} of {len(free)} free nodes after {_STEPS:,} steps, "
            "expected a smaller job or machine"
        )
    return Choice(free[chosen], int(cost))


@njit(cache=True)
def _search(distance: Any, near: Any, size: int, known: int, most: int) -> Any:
    """Return the first subset of least sum in lexicographic order, its sum, and the steps taken.

    Nodes are taken in increasing order, so the first subset found of a sum is the first of that sum. `known`
    is a sum that can be had.
    """
    free = len(distance)
    best, best_subset = known + 1, np.zeros(size, np.int64)
    chosen = np.zeros(size, np.int64)
    sums = np.zeros((size + 1, free), np.int64)  # to the nodes chosen so far, by depth
    costs = np.zeros(size + 1, np.int64)
    bounds = np.empty(free, np.int64)
    depth, node, steps = 0, 0, 0
    while depth >= 0 and steps < most:
        steps += 1
        rest = size - depth
        if (
            rest == 0
            or free - node < rest
            or _bound(sums[depth], near, node, rest, bounds, costs[depth]) >= best
        ):
            if rest == 0 and costs[depth] < best:
                best = costs[depth]
                best_subset[:] = chosen
            depth -= 1
            if depth >= 0:
                node = chosen[depth] + 1
            continue
        chosen[depth] = node
        costs[depth + 1] = costs[depth] + sums[depth, node]
        for other in range(free):
            sums[depth + 1, other] = sums[depth, other] + distance[node, other]
        depth += 1
        node += 1
    return best_subset, best, steps


@njit(cache=True)
def _bound(sums: Any, near: Any, first: int, rest: int, bounds: Any, cost: int) -> Any:
    """Return what the sum will be at least when `rest` nodes from `first` on are added.

    Each brings its distances to the chosen ones, and half of those to the other new ones, which are no
    less than its `rest` - 1 least distances to free nodes. Counted twice to stay whole.
    """
    count = len(sums) - first
    for i in range(count):
        bounds[i] = 2 * sums[first + i] + near[first + i, rest - 1]
    least = np.partition(bounds[:count], rest - 1)[:rest].sum()
    return cost + (least + 1) // 2
