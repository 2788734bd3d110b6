"""Whole rows, columns and planes of a grid."""

from __future__ import annotations

import numpy as np

from netplace.checks import check_int
from netplace.placement.partition.request import PartitionRequest
from netplace.placement.rule import Nodes, grid_of


def _slabs(
    request: PartitionRequest, layer: int, name: str, layer_name: str, order: Nodes | None = None
) -> list[Nodes]:
    """Return consecutive layers of `layer` nodes each: as many as a job needs, or the number in the option.

    Layers are counted along `order`, by default the order of the node numbers.
    """
    along = np.arange(request.topology.nodes) if order is None else order
    there = request.topology.nodes // layer
    if request.option:
        fixed = check_int(request.option, f"partition {name}: {layer_name} of a job")
        needed = [fixed] * len(request.sizes)
    else:
        needed = _needed(request, layer, along)
    if sum(needed) > there:
        raise ValueError(
            f"partition {name}: {len(needed)} jobs need {sum(needed)} {layer_name}, "
            f"but {request.topology} has {there} of {layer} nodes"
        )
    ends = np.cumsum(needed)
    return [
        along[(end - count) * layer : end * layer] for count, end in zip(needed, ends.tolist(), strict=True)
    ]


def _needed(request: PartitionRequest, layer: int, along: Nodes) -> list[int]:
    """Return the layers that each job needs, without their service nodes; missing layers count as full."""
    there = len(along) // layer
    computes = ~np.isin(along[: there * layer], request.topology.service)
    computing = computes.reshape(there, layer).sum(axis=1).tolist()
    needed, first = [], 0
    for size in request.sizes:
        end, room = first, 0
        while room < size:
            room += computing[end] if end < there else layer
            end += 1
        needed.append(end - first)
        first = end
    return needed


def bands(request: PartitionRequest) -> list[Nodes]:
    """Return consecutive whole rows along X for each job: as many as it needs, or as the option says."""
    return _slabs(request, grid_of(request.topology, "partition bands").sizes[0], "bands", "rows")


def columns(request: PartitionRequest) -> list[Nodes]:
    """Return consecutive whole columns along the last dimension for each job, from lowest node to highest.

    A job gets as many columns as it needs, or as the option says. On a square 2-D grid they are the
    transposed `bands`.
    """
    grid = grid_of(request.topology, "partition columns")
    # Nodes in column order: counted along the last dimension first, along X last.
    by_column = np.arange(grid.nodes).reshape(grid.sizes[::-1]).transpose().ravel()
    return _slabs(request, grid.sizes[-1], "columns", "columns", by_column)


def planes(request: PartitionRequest) -> list[Nodes]:
    """Return consecutive whole XY planes for each job: as many as it needs, or as the option says."""
    grid = grid_of(request.topology, "partition planes")
    if grid.dims < 3:
        raise ValueError(
            f"partition planes: {grid} has {grid.dims} dimensions, expected at least 3; use bands"
        )
    return _slabs(request, grid.sizes[0] * grid.sizes[1], "planes", "planes")
