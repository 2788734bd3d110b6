"""Classic mapping: minimizes bytes times hops."""

from __future__ import annotations

from netplace.placement.mapping.optimised import LIMITS, optimised
from netplace.placement.mapping.problem import MappingProblem
from netplace.placement.mapping.qap import QapResult

__all__ = ["classic"]


def classic(problem: MappingProblem) -> QapResult:
    """Return a mapping for which the sum of bytes times hops is small.

    With the option ``criterion=oversubscription``, hops of a tree are weighted by the number of nodes that
    share a link.
    """
    return optimised(problem, "classic", (*LIMITS, "criterion"))
