"""Nodes row by row."""

from __future__ import annotations

import numpy as np

from netplace.scheduling.partitioner.allocation import Nodes
from netplace.topologies import Topology

__all__ = ["row"]


def row(topology: Topology) -> Nodes:
    """Return the nodes in the order of their numbers, on any network: on grids X first, row by row."""
    return np.arange(topology.nodes)
