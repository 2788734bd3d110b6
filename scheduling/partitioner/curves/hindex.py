"""H-indexing: a closed curve through a square of side 2^m, the last node beside the first.

Source: R. Niedermeier, K. Reinhardt, P. Sanders, "Towards optimal locality in mesh-indexings", Discrete
Applied Mathematics 117 (2002). The recursion over triangles, T below, is our own wording of it.
"""

from __future__ import annotations

import numpy as np

from netplace.placement.rule import grid_of
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.topologies import Topology

__all__ = ["hindex"]


def hindex(topology: Topology) -> Nodes:
    """Return the nodes along the curve; all steps, and that from the last to the first, are of one hop."""
    grid = grid_of(topology, "order hindex")
    side = grid.sizes[0]
    if grid.dims != 2 or side != grid.sizes[1] or side < 2 or side & (side - 1):
        raise ValueError(f"order hindex: is defined on squares of side 2, 4, 8, .., not on {grid}")
    triangle = np.array([[0, 0], [0, 1]])
    size = 2
    while size < side:
        size *= 2
        x, y = triangle[::-1].T
        triangle = np.concatenate(
            [
                triangle,
                np.stack([x, size - 1 - y], axis=1),
                np.stack([size // 2 - 1 - x, y + size // 2], axis=1),
                triangle + size // 2,
            ]
        )
    return grid.node(np.concatenate([triangle, side - 1 - triangle]))
