"""Bands: whole rows of a mesh or torus."""

from __future__ import annotations

from netplace.placement.partition.request import PartitionRequest
from netplace.placement.partition.slabs import slabs
from netplace.placement.rule import Nodes, grid_of

__all__ = ["bands"]


def bands(request: PartitionRequest) -> list[Nodes]:
    """Return consecutive whole rows along X for each job, one job after the other.

    A job gets as many rows as its tasks need; the option is a number of rows for every job instead.
    """
    return slabs(request, grid_of(request.topology, "partition bands").sizes[0], "bands", "rows")
