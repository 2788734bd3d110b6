"""Shuffle mapping on trees: tasks are dealt to the leaf switches in turn."""

from __future__ import annotations

import numpy as np

from netplace.placement.mapping.problem import MappingProblem
from netplace.placement.rule import Nodes
from netplace.topologies import Tree

__all__ = ["shuffle"]


def shuffle(problem: MappingProblem) -> Nodes:
    """Return the first node below every leaf switch, then every second node, and so on."""
    if not isinstance(problem.topology, Tree):
        raise ValueError(
            f"mapping shuffle: is defined on trees, not on {problem.topology}; use column or random"
        )
    switch = problem.nodes // problem.topology.down
    by_switch = np.argsort(switch, kind="stable")
    grouped = switch[by_switch]
    turn = np.arange(len(grouped)) - np.searchsorted(grouped, grouped)
    return problem.nodes[by_switch][np.lexsort((grouped, turn))][: problem.tasks]
