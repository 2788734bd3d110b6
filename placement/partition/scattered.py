"""Nodes drawn at random over the whole network."""

from __future__ import annotations

import numpy as np

from placement.partition.request import PartitionRequest
from placement.rule import Nodes

__all__ = ["scattered"]


def scattered(request: PartitionRequest) -> list[Nodes]:
    """Return random nodes for each job, as many as it has tasks, each job's in increasing order."""
    drawn = request.rng.permutation(request.topology.nodes)[: sum(request.sizes)]
    return [np.sort(part) for part in np.split(drawn, np.cumsum(request.sizes)[:-1])]
