"""SciPy's approximate methods for the quadratic assignment problem, repeated from random starts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from netplace.placement.mapping.qap.budget import Budget
from netplace.placement.mapping.qap.lowered import Integers
from netplace.placement.mapping.qap.problem import QapProblem


def faq(problem: QapProblem, rng: np.random.Generator, budget: Budget) -> Integers:
    """Return the best of the budget's runs of the fast approximate algorithm, from random starts.

    Source: J. T. Vogelstein et al., "Fast approximate quadratic programming for graph matching", PLoS ONE 10
    (2015).
    """
    return _best("faq", {"P0": "randomized"}, problem, rng, budget)


def two_opt(problem: QapProblem, rng: np.random.Generator, budget: Budget) -> Integers:
    """Return the best of the budget's runs of first-improvement two-swaps from random permutations."""
    return _best("2opt", {}, problem, rng, budget)


def _best(
    method: str, options: dict[str, Any], problem: QapProblem, rng: np.random.Generator, budget: Budget
) -> Integers:
    from scipy.optimize import quadratic_assignment

    A = np.zeros(problem.B.shape)
    A[: problem.tasks, : problem.tasks] = problem.flows()
    B = problem.B.astype(np.float64)
    best, least = np.empty(0, np.int64), math.inf
    while not len(best) or not budget.over:
        solution = quadratic_assignment(A, B, method=method, options={**options, "rng": rng})
        placement = solution.col_ind[: problem.tasks].astype(np.int64)
        cost = problem.cost(placement)
        if cost < least:
            best, least = placement, cost
        budget.spend(1)
    return best
