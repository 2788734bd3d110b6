"""Whole switches for every job."""

from __future__ import annotations

from netplace.placement.partition.at_switches import owner_of_nodes, whole_sets
from netplace.placement.partition.request import PartitionRequest
from netplace.placement.rule import Nodes

__all__ = ["whole_switches"]


def whole_switches(request: PartitionRequest) -> list[Nodes]:
    """Return, for each job, the nodes of as many switches as it needs, first come first served."""
    return whole_sets(request, owner_of_nodes(request, "switches", by_group=False), "switches")
