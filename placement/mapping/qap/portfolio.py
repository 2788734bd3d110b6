"""The default method: annealing, robust tabu search and GRASP starts, taking turns.

An iteration is one swap of the tabu search, or one proposal for each task in annealing: similar work.
"""

from __future__ import annotations

import numpy as np

from placement.mapping.qap.annealing import Annealing
from placement.mapping.qap.budget import Budget
from placement.mapping.qap.lowered import Integers, dense_form, sparse_form
from placement.mapping.qap.problem import QapProblem
from placement.mapping.qap.tabu import TabuSearch

__all__ = ["portfolio"]

_DENSE = 512  # locations up to which tabu search, whose every swap looks at all pairs, is worth while
_FIRST = 500  # iterations of the first turns


def portfolio(problem: QapProblem, rng: np.random.Generator, budget: Budget) -> Integers:
    """Return the best placement of tasks that turns of growing length find."""
    best = rng.permutation(problem.locations)
    least = problem.cost(best[: problem.tasks])
    annealing = Annealing(sparse_form(problem), rng)
    tabu = TabuSearch(dense_form(problem), rng) if problem.locations <= _DENSE else None
    length = _FIRST
    while not budget.over:
        found = annealing.run(rng.permutation(problem.locations), length, budget)
        if tabu is not None:
            found = tabu.search(found, length, budget)
        cost = problem.cost(found[: problem.tasks])
        if cost < least:
            best, least = found, cost
        length *= 2
    return best[: problem.tasks]
