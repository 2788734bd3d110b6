"""Whole groups for every job."""

from __future__ import annotations

from netplace.placement.partition.at_switches import owner_of_nodes, whole_sets
from netplace.placement.partition.request import PartitionRequest
from netplace.placement.rule import Nodes

__all__ = ["whole_groups"]


def whole_groups(request: PartitionRequest) -> list[Nodes]:
    """Return, for each job, the nodes of as many groups as it needs, first come first served."""
    return whole_sets(request, owner_of_nodes(request, "groups", by_group=True), "groups")
