"""Classic mapping: bytes times hops are least."""

from __future__ import annotations

from placement.mapping.optimised import optimised
from placement.mapping.problem import MappingProblem
from placement.rule import Nodes

__all__ = ["classic"]


def classic(problem: MappingProblem) -> Nodes:
    """Return a mapping for which the sum of bytes times hops is small.

    Raises
    ------
    ValueError
        If there is no program, or the option is none.
    """
    return optimised(problem, "classic")
