"""Nodes drawn at random over the whole network."""

from __future__ import annotations

import numpy as np

from netplace.checks import check_int
from netplace.placement.partition.request import PartitionRequest
from netplace.placement.rule import Nodes

__all__ = ["scattered"]


def scattered(request: PartitionRequest) -> list[Nodes]:
    """Return random nodes for each job, as many as it has tasks, each job's in increasing order.

    The option is a separate seed for the partition, which then stays the same while the seed of the run
    changes.
    """
    rng = request.rng
    if request.option:
        rng = np.random.default_rng([check_int(request.option, "partition random: seed", 0), 2])
    drawn = rng.permutation(request.topology.computing)[: sum(request.sizes)]
    return [np.sort(part) for part in np.split(drawn, np.cumsum(request.sizes)[:-1])]
