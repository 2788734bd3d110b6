"""The whole network, in the order of the node numbers."""

from __future__ import annotations

import numpy as np

from netplace.placement.partition.request import PartitionRequest
from netplace.placement.rule import Nodes

__all__ = ["whole_network"]


def whole_network(request: PartitionRequest) -> list[Nodes]:
    """Return all nodes for a single job; for several, consecutive nodes, as many as each has tasks."""
    if len(request.sizes) == 1:
        return [request.topology.computing]
    ends = np.cumsum(request.sizes)[:-1]
    return np.split(request.topology.computing[: sum(request.sizes)], ends)
