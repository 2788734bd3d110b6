"""Nodes drawn at random over the whole network."""

from __future__ import annotations

import numpy as np

from placement.partition.request import PartitionRequest
from placement.rule import Nodes

__all__ = ["scattered"]


def scattered(request: PartitionRequest) -> list[Nodes]:
    """Return random nodes for each job, as many as it has tasks, each job's in increasing order.

    Raises
    ------
    ValueError
        If there are more tasks than nodes.
    """
    nodes, needed = request.topology.nodes, sum(request.sizes)
    if needed > nodes:
        raise ValueError(
            f"partition random: {needed} tasks are more than the {nodes} nodes of {request.topology}"
        )
    drawn = request.rng.permutation(nodes)[:needed]
    return [np.sort(part) for part in np.split(drawn, np.cumsum(request.sizes)[:-1])]
