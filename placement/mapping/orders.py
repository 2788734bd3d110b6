"""Mappings that take nodes in a plain order, whatever the application sends."""

from __future__ import annotations

import numpy as np

from netplace.placement.mapping.problem import MappingProblem
from netplace.placement.rule import Nodes, grid_of
from netplace.topologies import Tree


def consecutive(problem: MappingProblem) -> Nodes:
    """Return the first nodes of the partition in its order: row order, unless the user lists another."""
    return problem.nodes[: problem.tasks]


def column(problem: MappingProblem) -> Nodes:
    """Return the partition's nodes in column order: by X first, then Y, and so on."""
    places = grid_of(problem.topology, "mapping column").coordinates(problem.nodes)
    order = np.lexsort(places.T[::-1])
    return problem.nodes[order][: problem.tasks]


def permuted(problem: MappingProblem) -> Nodes:
    """Return the nodes of the partition in random order; all orders have equal probability."""
    return problem.rng.permutation(problem.nodes)[: problem.tasks]


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
