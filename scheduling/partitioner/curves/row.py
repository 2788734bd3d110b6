"""Nodes row by row."""

from __future__ import annotations

import numpy as np

from netplace.scheduling.partitioner.allocation import Nodes
from netplace.topologies import Grid

__all__ = ["row"]


def row(grid: Grid) -> Nodes:
    """Return the nodes in the order of their numbers: X first, each row from its beginning."""
    return np.arange(grid.nodes)
