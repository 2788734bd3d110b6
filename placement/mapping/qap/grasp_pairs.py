"""GRASP whose construction begins with two tasks at once, as in the source of the published method.

Source: Y. Li, P. M. Pardalos and M. G. C. Resende, "A greedy randomized adaptive search procedure for the
quadratic assignment problem", DIMACS Series 16 (1994):

1. Two tasks at once. The largest flows, in falling order, are paired with the least costs between two
   locations, in rising order, up to a share of both lists; of the products, one of the least alpha is drawn.
2. The others one by one, as in `grasp`.

The text leaves the share of step 1 open; here it is alpha as well.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.placement.mapping.qap.budget import Budget
from netplace.placement.mapping.qap.grasp import Construction, candidates, repeat
from netplace.placement.mapping.qap.lowered import Integers
from netplace.placement.mapping.qap.problem import QapProblem

__all__ = ["PairsFirst", "grasp_pairs"]


def grasp_pairs(problem: QapProblem, rng: np.random.Generator, budget: Budget) -> Integers:
    """Return the best of the budget's iterations of construction and local search."""
    return repeat(PairsFirst(problem), problem, rng, budget)


class PairsFirst(Construction):
    """Greedy randomized constructions of one problem that place two tasks at once, then one by one."""

    def __init__(self, problem: QapProblem):
        super().__init__(problem)
        self._pairs = self._best_pairs()

    def _first(self, rng: np.random.Generator) -> list[tuple[int, int]]:
        if not len(self._pairs):
            return []
        task, other, location, end = self._pairs[rng.integers(len(self._pairs))].tolist()
        return [(task, location), (other, end)]

    def _best_pairs(self) -> NDArray[np.int64]:
        """Return the candidates of the first step as rows (task, task, location, location)."""
        tasks, locations = len(self._A), len(self._B)
        if tasks < 2:
            return np.empty((0, 4), np.int64)
        source, target = np.nonzero(~np.eye(tasks, dtype=bool))
        start, end = np.nonzero(~np.eye(locations, dtype=bool))
        flows, costs = self._A[source, target], self._B[start, end]
        count = candidates(len(flows))
        largest = np.argsort(-flows, kind="stable")[:count]
        nearest = np.argsort(costs, kind="stable")[:count]
        products = np.argsort(flows[largest] * costs[nearest], kind="stable")[: candidates(count)]
        i, k = largest[products], nearest[products]
        return np.stack((source[i], target[i], start[k], end[k]), axis=1)
