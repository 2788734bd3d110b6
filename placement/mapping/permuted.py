"""Random mapping: a permutation of the partition."""

from __future__ import annotations

from netplace.placement.mapping.problem import MappingProblem
from netplace.placement.rule import Nodes

__all__ = ["permuted"]


def permuted(problem: MappingProblem) -> Nodes:
    """Return the nodes of the partition in random order; all orders have equal probability."""
    return problem.rng.permutation(problem.nodes)[: problem.tasks]
