"""GRASP as in the studies of mapping by optimization.

Source: J. A. Pascual, J. Miguel-Alonso and J. A. Lozano, "Optimization-based mapping framework for parallel
applications", J. Parallel Distrib. Comput. 71 (2011) 1377-1387, which solves the mapping problem by 50
iterations of greedy randomized construction with alpha = 20 %, each improved by a best-improvement two-swap
local search; J. A. Pascual, thesis, UPV/EHU 2013. A construction makes one entry of the mapping at a time: it
evaluates the additional cost of every free task on every free location, draws one of the least alpha of these
costs, and evaluates again. (`grasp_pairs` begins with two tasks at once.)

This implementation settles what the texts leave open: the number of candidates is rounded down but is at
least one, and among equal costs, lower tasks and then earlier locations come first. The latter matters: with
uniform flows, the construction partly follows the order of tasks and locations. This seems to have been the
case in the study, whose mappings of FT differ much from random ones in run time.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.placement.mapping.qap.local_search import TabuSearch
from netplace.placement.mapping.qap.lowered import Integers, dense_form
from netplace.placement.mapping.qap.problem import Budget, QapProblem

ALPHA = 0.2


def grasp(problem: QapProblem, rng: np.random.Generator, budget: Budget) -> Integers:
    """Return the best of the budget's iterations of construction and local search."""
    return repeat(Construction(problem), problem, rng, budget)


def repeat(
    construction: Construction, problem: QapProblem, rng: np.random.Generator, budget: Budget
) -> Integers:
    search = TabuSearch(dense_form(problem), rng)
    best, minimum = np.empty(0, np.int64), math.inf
    while not len(best) or not budget.over:
        placement = search.descend(construction.draw(rng))[: problem.tasks]
        cost = problem.cost(placement)
        if cost < minimum:
            best, minimum = placement, cost
        budget.spend(1)
    return best


class Construction:
    def __init__(self, problem: QapProblem):
        self._A = np.asarray(problem.flows(), np.float64)
        self._B = np.asarray(problem.B, np.float64)

    def draw(self, rng: np.random.Generator) -> Integers:
        """Return a placement: the location of every task, then the locations left over."""
        tasks, locations = len(self._A), len(self._B)
        place = np.full(tasks, -1)
        price = np.outer(np.diagonal(self._A), np.diagonal(self._B))
        for task, location in self._first(rng):
            place[task] = location
            price += self._against(task, location)
        free_tasks = np.flatnonzero(place < 0)
        free_locations = np.setdiff1d(np.arange(locations), place)
        price = price[np.ix_(free_tasks, free_locations)]
        while len(free_tasks):
            i, k = divmod(_draw(price.ravel(), rng), len(free_locations))
            task, location = free_tasks[i], free_locations[k]
            place[task] = location
            free_tasks, free_locations = np.delete(free_tasks, i), np.delete(free_locations, k)
            price = np.delete(np.delete(price, i, axis=0), k, axis=1)
            price += self._against(task, location, free_tasks, free_locations)
        return np.concatenate((place, free_locations))

    def _against(
        self, task: int, location: int, tasks: Any = slice(None), locations: Any = slice(None)
    ) -> Any:
        """Return the cost of each of `tasks` on each of `locations` with regard to `task` at `location`."""
        out = np.outer(self._A[tasks, task], self._B[locations, location])
        return out + np.outer(self._A[task, tasks], self._B[location, locations])

    def _first(self, rng: np.random.Generator) -> list[tuple[int, int]]:
        """Return tasks and locations that are set before prices are looked at: none."""
        return []


def candidates(count: int) -> int:
    """Return how many of `count` candidates are good enough."""
    return max(1, int(ALPHA * count))


def _draw(prices: NDArray[np.float64], rng: np.random.Generator) -> int:
    """Return the index of one of the least prices; of equal ones the first count as less."""
    rank = int(rng.integers(candidates(len(prices))))
    limit = np.partition(prices, rank)[rank]
    below = np.count_nonzero(prices < limit)
    return int(np.flatnonzero(prices == limit)[rank - below])


# GRASP whose construction begins with two tasks at once, as in the source of the published method.
#
# Source: Y. Li, P. M. Pardalos and M. G. C. Resende, "A greedy randomized adaptive search procedure for the
# quadratic assignment problem", DIMACS Series 16 (1994):
#
# 1. Two tasks at once. The largest flows, in falling order, are paired with the least costs between two
# locations, in rising order, up to a share of both lists; of the products, one of the least alpha is drawn.
# 2. The others one by one, as in `grasp`.
#
# The text leaves the share of step 1 open; here it is alpha as well.


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
