"""TD mapping: short traffic that is spread evenly over the dimensions."""

from __future__ import annotations

from netplace.placement.mapping.optimised import optimised
from netplace.placement.mapping.problem import MappingProblem
from netplace.placement.mapping.qap import QapResult

__all__ = ["td"]


def td(problem: MappingProblem) -> QapResult:
    """Return a mapping for which the sum of bytes times the TD cost is small."""
    return optimised(problem, "td")
