"""Sub-cubes: every dimension halved, as often as the number of jobs requires."""

from __future__ import annotations

import itertools

from netplace.placement.partition.blocks import block
from netplace.placement.partition.in_turn import in_turn
from netplace.placement.partition.request import PartitionRequest
from netplace.placement.rule import Nodes, grid_of

__all__ = ["sub_cubes"]


def sub_cubes(request: PartitionRequest, name: str = "sub-cubes") -> list[Nodes]:
    """Return one of ``2**(dimensions * h)`` equal boxes for each job, X fastest, h at least 1.

    h is the smallest number of halvings that gives every job a box. Boxes that service nodes make too small
    for a job are skipped.
    """
    grid = grid_of(request.topology, f"partition {name}")
    parts = 2
    while parts**grid.dims < len(request.sizes):
        parts *= 2
    for side in grid.sizes:
        if side % parts:
            raise ValueError(
                f"partition {name}: {len(request.sizes)} jobs need {parts} equal parts along every side, "
                f"but a side of {grid} is {side}"
            )
    sides = tuple(side // parts for side in grid.sizes)
    corners = itertools.product(range(parts), repeat=grid.dims)
    boxes = in_turn(
        request,
        (
            block(grid, tuple(place * side for place, side in zip(corner[::-1], sides, strict=True)), sides)
            for corner in corners
        ),
    )
    if len(boxes) < len(request.sizes):
        job = len(boxes)
        raise ValueError(
            f"partition {name}: no part of {grid} has room for the {request.sizes[job]} tasks of job {job} "
            f"beside service nodes"
        )
    return boxes
