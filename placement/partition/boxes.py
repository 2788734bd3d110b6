"""Boxes of given sides, at given positions or packed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from netplace.checks import check_int
from netplace.placement.partition.blocks import block
from netplace.placement.partition.in_turn import in_turn
from netplace.placement.partition.request import PartitionRequest
from netplace.placement.rule import Nodes, grid_of
from netplace.topologies import Grid

__all__ = ["boxes"]

Numbers = tuple[int, ...]


def boxes(request: PartitionRequest) -> list[Nodes]:
    """Return a box for each job.

    The option is ``AxBxC``, packed from node 0 with X fastest, without the boxes that service nodes make too
    small; or one ``AxBxC@x,y,z`` (sides and lowest corner) for each job, separated by slashes. A box does not
    wrap around a torus.
    """
    grid = grid_of(request.topology, "partition boxes")
    if not request.option:
        raise ValueError(
            "partition boxes: no sides given, expected a form such as boxes:4x4 or boxes:4x4@0,0"
        )
    words = request.option.split("/")
    if len(words) == 1 and "@" not in words[0]:
        return _packed(request, grid, _numbers(words[0], "x", grid, "sides", 1))
    return [_placed(grid, word) for word in words]


def _packed(request: PartitionRequest, grid: Grid, sides: Numbers) -> list[Nodes]:
    """Return the first of the boxes that tile the grid from node 0, for one job after the other."""
    fitting = [size // side for size, side in zip(grid.sizes, sides, strict=True)]
    corners: Iterator[Numbers] = itertools.product(*map(range, fitting[::-1]))
    tiles = (
        block(grid, [place * side for place, side in zip(corner[::-1], sides, strict=True)], sides)
        for corner in corners
    )
    parts, jobs = in_turn(request, tiles), len(request.sizes)
    if len(parts) < jobs:
        room = " that have room beside service nodes" if len(grid.service) else ""
        raise ValueError(
            f"partition boxes: only {len(parts)} boxes of {_spelled(sides)}{room} fit {grid}, for {jobs} jobs"
        )
    return parts


def _placed(grid: Grid, word: str) -> Nodes:
    """Return the nodes of one ``AxB@x,y``."""
    text, at, place = word.partition("@")
    sides = _numbers(text, "x", grid, "sides", 1)
    if not at:
        raise ValueError(
            f"partition boxes: {word!r} has no position, expected a form such as {_spelled(sides)}@0,0"
        )
    corner = _numbers(place, ",", grid, "coordinates", 0)
    for low, side, size in zip(corner, sides, grid.sizes, strict=True):
        if low + side > size:
            raise ValueError(f"partition boxes: {word} leaves {grid}: {low} + {side} is more than {size}")
    return block(grid, corner, sides)


def _numbers(text: str, separator: str, grid: Grid, what: str, least: int) -> Numbers:
    """Return the numbers of one box, as many as the grid has dimensions."""
    numbers = tuple(
        check_int(word, f"partition boxes: {what} {text!r}", least) for word in text.split(separator)
    )
    if len(numbers) != grid.dims:
        raise ValueError(
            f"partition boxes: {len(numbers)} {what} in {text!r}, expected {grid.dims} for {grid}"
        )
    return numbers


def _spelled(sides: Numbers) -> str:
    return "x".join(map(str, sides))
