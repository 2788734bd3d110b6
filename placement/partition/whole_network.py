"""The whole network, in the order of the node numbers."""

from __future__ import annotations

import numpy as np

from placement.partition.request import PartitionRequest
from placement.rule import Nodes

__all__ = ["whole_network"]


def whole_network(request: PartitionRequest) -> list[Nodes]:
    """Return all nodes for a single job; for several, consecutive nodes, as many as each has tasks.

    Raises
    ------
    ValueError
        If there are more tasks than nodes.
    """
    nodes, needed = request.topology.nodes, sum(request.sizes)
    if needed > nodes:
        raise ValueError(
            f"partition whole: {needed} tasks are more than the {nodes} nodes of {request.topology}"
        )
    if len(request.sizes) == 1:
        return [np.arange(nodes)]
    ends = np.cumsum(request.sizes)
    return [np.arange(end - size, end) for size, end in zip(request.sizes, ends.tolist(), strict=True)]
