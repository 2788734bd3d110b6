"""Columns: bands along the last dimension of a mesh or torus."""

from __future__ import annotations

import numpy as np

from netplace.placement.partition.request import PartitionRequest
from netplace.placement.partition.slabs import slabs
from netplace.placement.rule import Nodes, grid_of

__all__ = ["columns"]


def columns(request: PartitionRequest) -> list[Nodes]:
    """Return consecutive whole columns along the last dimension for each job, one job after the other.

    A job gets as many columns as its tasks need, each from its lowest node to its highest; the option is a
    number of columns for every job instead. On a square 2-D grid they are the transposed `bands`.
    """
    grid = grid_of(request.topology, "partition columns")
    # Nodes in column order: counted along the last dimension first, along X last.
    by_column = np.arange(grid.nodes).reshape(grid.sizes[::-1]).transpose().ravel()
    return slabs(request, grid.sizes[-1], "columns", "columns", by_column)
