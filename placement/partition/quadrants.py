"""Quadrants: the quarters of a 2-D mesh or torus."""

from __future__ import annotations

from netplace.placement.partition.request import PartitionRequest
from netplace.placement.partition.sub_cubes import sub_cubes
from netplace.placement.rule import Nodes, grid_of

__all__ = ["quadrants"]


def quadrants(request: PartitionRequest) -> list[Nodes]:
    """Return a quarter of the grid per job; for more than four jobs, a quarter of a quarter, and so on."""
    grid = grid_of(request.topology, "partition quadrants")
    if grid.dims != 2:
        raise ValueError(f"partition quadrants: {grid} has {grid.dims} dimensions, expected 2; use sub-cubes")
    return sub_cubes(request, "quadrants")
