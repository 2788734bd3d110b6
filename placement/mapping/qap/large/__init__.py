"""Problems of thousands of locations and sparse flows: grown and multilevel placements.

Costs are computed from the places of two locations (`pricing`), without a table. The machine is bisected
along its own dimensions (`order`). One placement grows task by task (`growing`). For the other, the flows are
coarsened (`coarsening`), and clusters are placed on blocks of the machine and refined on the way back
(`multilevel`). Both anneal by local swaps (`annealing`). The remaining effort refines the better of the two
again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.placement.mapping.qap.large.annealing import Effort, Level, cost, grown
from netplace.placement.mapping.qap.large.multilevel import Machine, bisected, clustered, narrow, refined
from netplace.placement.mapping.qap.locations import Locations
from netplace.placement.mapping.qap.problem import Budget

__all__ = ["place_many"]

_COARSEST = 64
_GROWN, _PLACED = (0.2, 0.35), 0.7  # shares of the effort at which each placement is done
_HOT = (1.0, 0.2)
_AGAIN, _CYCLES = (0.1, 0.1), 2
_TINY = 16


def place_many(
    flows: Any, locations: Locations, rng: np.random.Generator, budget: Budget
) -> NDArray[np.int64]:
    """Return the location of each task, for sparse `flows`, shape (tasks, tasks).

    An iteration of the budget is a proposal for every task. Compiling does not count.
    """
    with budget.stopped():
        _load(locations)
    return _placed(flows, locations, rng, budget, _COARSEST)


def _placed(
    flows: Any, locations: Locations, rng: np.random.Generator, budget: Budget, coarsest: int
) -> NDArray[np.int64]:
    tasks = flows.shape[0]
    both = _symmetric(flows, len(locations))
    effort = Effort(budget, max(1, tasks))
    order = bisected(locations)
    machine = Machine(locations.take(order), coarsest)
    level = machine.problem(0, both)
    floor = locations.minimum * float(both.data.sum(dtype=np.float64)) / 2 * (1 + 1e-9)
    best, minimum = np.arange(len(locations), dtype=np.int32), np.inf
    # Hops guide growth better than asymmetry, for which a place diagonally away is as good as a neighbour.
    plain = replace(level, locations=level.locations.plain)
    for placed in grown(plain, tasks, _GROWN, effort, rng):
        filled = _filled(placed, len(locations))
        if (now := cost(level, filled)) < minimum:
            best, minimum = filled, now
        if minimum <= floor:
            break
    if minimum > floor and effort.share < _PLACED:
        start = clustered(both, coarsest, rng)
        best, minimum = _better(level, best, minimum, machine, both, start, _HOT, _PLACED, effort, rng)
    for cycle in range(_CYCLES):
        until = effort.share + (1 - effort.share) / (_CYCLES - cycle)
        if minimum > floor and effort.share < 1:
            best, minimum = _better(level, best, minimum, machine, both, best, _AGAIN, until, effort, rng)
    return order[best[:tasks]]


def _better(
    level: Level, best: NDArray[Any], minimum: float, machine: Machine, flows: Any, start: NDArray[Any],
    hot: tuple[float, float], until: float, effort: Effort, rng: np.random.Generator,
) -> tuple[NDArray[Any], float]:  # fmt: skip
    """Return the better of the best placement and of `start` refined, and its cost."""
    placement = refined(machine, flows, start, hot, until, effort, rng)
    now = cost(level, placement)
    return (placement, now) if now < minimum else (best, minimum)


def _symmetric(flows: Any, locations: int) -> Any:
    """Return flows in both directions, without diagonal, with a dummy task for every location."""
    from scipy import sparse

    entries = sparse.coo_array(flows)
    source, target = entries.coords
    off = source != target
    sizes = (entries.data[off] / max(1.0, float(entries.data.max(initial=1)))).astype(np.float32)
    one_way = sparse.coo_array((sizes, (source[off], target[off])), (locations, locations)).tocsr()
    return narrow(one_way + one_way.T)


def _filled(place: NDArray[np.int32], locations: int) -> NDArray[np.int32]:
    """Return the placement with dummies on the locations left over."""
    left = np.setdiff1d(np.arange(locations, dtype=np.int32), place, assume_unique=True)
    return np.concatenate((place, left))


def _load(locations: Locations) -> None:
    """Compile, or read what has been compiled."""
    from scipy import sparse

    locations.between([0], [0])
    few = locations.take(np.arange(min(_TINY, len(locations))))
    everybody = sparse.csr_array(1 - np.eye(len(few)))
    _placed(everybody, few, np.random.default_rng(0), Budget(iterations=2000), 4)
