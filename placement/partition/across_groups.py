"""Nodes dealt over all groups in turn."""

from __future__ import annotations

import numpy as np

from netplace.placement.partition.at_switches import owner_of_nodes
from netplace.placement.partition.request import PartitionRequest
from netplace.placement.rule import Nodes

__all__ = ["across_groups"]


def across_groups(request: PartitionRequest) -> list[Nodes]:
    """Return the next nodes for each job, dealt to the groups in turn so that jobs are spread widely."""
    owner = owner_of_nodes(request, "across-groups", by_group=True)
    rank = np.empty(len(owner), np.int64)
    order = np.argsort(owner, kind="stable")
    size = np.bincount(owner)
    rank[order] = np.arange(len(owner)) - np.repeat(np.cumsum(size) - size, size)
    dealt = np.lexsort((owner, rank))
    dealt = dealt[~np.isin(dealt, request.topology.service)]
    ends = np.cumsum(request.sizes)
    return [dealt[end - size : end] for end, size in zip(ends, request.sizes, strict=True)]
