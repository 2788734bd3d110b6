"""Nodes row by row, there and back."""

from __future__ import annotations

import numpy as np

from netplace.placement.rule import grid_of
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.topologies import Topology

__all__ = ["snake"]


def snake(topology: Topology) -> Nodes:
    """Return the nodes row by row, every other row backwards, every other plane backwards, and so on.

    Each node is a neighbor of the one before it (boustrophedon order), in any number of dimensions.
    """
    grid = grid_of(topology, "order snake")
    order = np.zeros(1, np.int64)
    for size in grid.sizes:
        stride = len(order)
        slices = np.tile(order, (size, 1))
        slices[1::2] = order[::-1]
        order = (slices + stride * np.arange(size)[:, None]).ravel()
    return order
