"""TD mapping: traffic is short and spread evenly over the dimensions."""

from __future__ import annotations

from placement.mapping.optimised import optimised
from placement.mapping.problem import MappingProblem
from placement.rule import Nodes

__all__ = ["td"]


def td(problem: MappingProblem) -> Nodes:
    """Return a mapping for which the sum of bytes times the TD cost is small.

    Raises
    ------
    ValueError
        If there is no program, the option is none, or the network is no grid.
    """
    return optimised(problem, "td")
