"""Column order: the last dimension of the grid runs fastest."""

from __future__ import annotations

import numpy as np

from netplace.placement.mapping.problem import MappingProblem
from netplace.placement.rule import Nodes, grid_of

__all__ = ["column"]


def column(problem: MappingProblem) -> Nodes:
    """Return the partition's nodes in column order: by X first, then Y, and so on."""
    places = grid_of(problem.topology, "mapping column").coordinates(problem.nodes)
    order = np.lexsort(places.T[::-1])
    return problem.nodes[order][: problem.tasks]
