"""The quadratic assignment problem: an assignment of tasks to locations that minimizes flows times costs.

To add a method, write a function in its own file and a line in `METHODS`.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.inputs import check_choice, check_int
from netplace.placement.mapping.qap.locations import Locations
from netplace.placement.mapping.qap.problem import Budget, QapProblem, QapResult, qap_problem

__all__ = ["METHODS", "Method", "QapResult", "solve_qap"]


@dataclass(frozen=True)
class Method:
    """A method to solve the problem."""

    # ``solve(problem, rng, budget)`` returns the location of each task.
    solve: Callable[[QapProblem, np.random.Generator, Budget], NDArray[np.int64]]
    iterations: int  # number of iterations without a budget
    description: str


def _when_used(name: str) -> Callable[[QapProblem, np.random.Generator, Budget], NDArray[np.int64]]:
    """Return a method, as ``module:function`` here, that is imported when it is first used."""

    def solve(problem: QapProblem, rng: np.random.Generator, budget: Budget) -> NDArray[np.int64]:
        module, _, function = name.partition(":")
        found = importlib.import_module(f"netplace.placement.mapping.qap.{module}")
        return np.asarray(getattr(found, function)(problem, rng, budget))

    return solve


def _scipy(
    method: str, given: dict[str, Any], problem: QapProblem, rng: np.random.Generator, budget: Budget
) -> NDArray[np.int64]:
    """Return the best of the budget's runs of one of SciPy's approximate methods, from random starts.

    Source of faq: J. T. Vogelstein et al., "Fast approximate quadratic programming for graph matching", PLoS
    ONE 10 (2015); 2opt are first-improvement swaps.
    """
    from scipy.optimize import quadratic_assignment

    A = np.zeros(problem.B.shape)
    A[: problem.tasks, : problem.tasks] = problem.flows()
    B = problem.B.astype(np.float64)
    best, minimum = np.empty(0, np.int64), math.inf
    while not len(best) or not budget.over:
        solution = quadratic_assignment(A, B, method=method, options={**given, "rng": rng})
        placement = solution.col_ind[: problem.tasks].astype(np.int64)
        cost = problem.cost(placement)
        if cost < minimum:
            best, minimum = placement, cost
        budget.spend(1)
    return best


METHODS: dict[str, Method] = {
    "2opt": Method(
        partial(_scipy, "2opt", {}),
        10,
        "SciPy: pairwise swaps from random permutations; an iteration is a start",
    ),
    "faq": Method(
        partial(_scipy, "faq", {"P0": "randomized"}),
        10,
        "SciPy: fast approximate QAP from random starts; an iteration is a start",
    ),
    "grasp": Method(
        _when_used("grasp:grasp"), 50, "published method: greedy randomized construction and pairwise swaps"
    ),
    "grasp-pairs": Method(
        _when_used("grasp:grasp_pairs"), 50, "grasp whose construction starts with two tasks"
    ),
    "portfolio": Method(
        _when_used("portfolio:portfolio"), 10_000, "annealing and tabu search; multilevel for large problems"
    ),
}


def solve_qap(
    A: Any,
    B: ArrayLike | Locations,
    *,
    method: str = "portfolio",
    seconds: float | None = None,
    iterations: int | None = None,
    seed: int = 0,
) -> QapResult:
    """Place tasks on locations so that the sum over i, j of ``A[i, j] * B[p[i], p[j]]`` is small.

    Parameters
    ----------
    A : array_like or sparse array, shape (tasks, tasks)
        Flow (such as a number of bytes) from each task to each other task; it need not be symmetric.
    B : array_like, shape (locations, locations), or Locations
        Cost of a unit of flow from each location to each other location; there must be at least as many
        locations as tasks. For many thousands of locations, use `netplace.placement.mapping.cost_locations`.
    method : str
        A key of `METHODS`.
    seconds : float, optional
        Limit on processor time. A search checks the clock every few milliseconds, and always completes its
        first step, such as one construction.
    iterations : int, optional
        Limit on the number of iterations, as counted by the method. The result then depends only on the input
        and the seed. Without any limit, the method's own number of iterations applies.
    """
    chosen = METHODS[check_choice(method, METHODS, "mapping method")]
    problem = qap_problem(A, B.matrix() if isinstance(B, Locations) and method != "portfolio" else B)
    # Not the bare seed: tasks shuffled by the same seed would be put back in order by the first draw.
    rng = np.random.default_rng([check_int(seed, "seed", 0), len(problem.B)])
    if seconds is None and iterations is None:
        iterations = chosen.iterations
    budget = Budget(seconds, iterations)
    mapping = chosen.solve(problem, rng, budget)
    return QapResult(mapping, problem.cost(mapping), method, budget.spent, budget.seconds)
