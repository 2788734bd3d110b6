"""Multilevel mapping of large problems: the input of its parts, and when it is worthwhile."""

from __future__ import annotations

import numpy as np

from netplace.placement.mapping.qap.budget import Budget
from netplace.placement.mapping.qap.large import place_many
from netplace.placement.mapping.qap.locations import Locations, tabulated
from netplace.placement.mapping.qap.lowered import Integers
from netplace.placement.mapping.qap.problem import QapProblem

__all__ = ["is_large", "multilevel"]

_LARGE = 1024  # locations up to which the searches of the portfolio are better
_DENSE = 512  # flows of a task beyond which it makes no sense to price a swap from them, if there is a table


def is_large(problem: QapProblem) -> bool:
    """Return whether the problem is one that the portfolio leaves to `multilevel`."""
    if isinstance(problem.B, Locations):
        return True
    if problem.locations <= _LARGE or problem.nonzeros > _DENSE * problem.locations:
        return False
    return bool((problem.B == problem.B.T).all()) and not problem.B.diagonal().any()


def multilevel(problem: QapProblem, rng: np.random.Generator, budget: Budget) -> Integers:
    """Return the location of each task of a problem that `is_large`."""
    locations = problem.B
    if not isinstance(locations, Locations):
        locations = tabulated(locations)
    as_given = np.arange(problem.tasks)
    if problem.cost(as_given) <= problem.bound:
        return as_given
    return place_many(problem.A, locations, rng, budget)
