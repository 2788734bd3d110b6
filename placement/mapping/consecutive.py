"""Consecutive mapping: tasks in the order of the partition."""

from __future__ import annotations

from netplace.placement.mapping.problem import MappingProblem
from netplace.placement.rule import Nodes

__all__ = ["consecutive"]


def consecutive(problem: MappingProblem) -> Nodes:
    """Return the first nodes of the partition in its order: row order, unless the user lists another."""
    return problem.nodes[: problem.tasks]
