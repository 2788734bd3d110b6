"""Planes: whole XY planes of a mesh or torus of three or more dimensions."""

from __future__ import annotations

from netplace.placement.partition.request import PartitionRequest
from netplace.placement.partition.slabs import slabs
from netplace.placement.rule import Nodes, grid_of

__all__ = ["planes"]


def planes(request: PartitionRequest) -> list[Nodes]:
    """Return consecutive whole XY planes for each job, one job after the other.

    A job gets as many planes as its tasks need; the option is a number of planes for every job instead.
    """
    grid = grid_of(request.topology, "partition planes")
    if grid.dims < 3:
        raise ValueError(
            f"partition planes: {grid} has {grid.dims} dimensions, expected at least 3; use bands"
        )
    return slabs(request, grid.sizes[0] * grid.sizes[1], "planes", "planes")
