"""Boxes of a grid: of given sides, halves of halves, and the whole network."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from netplace.inputs import check_int
from netplace.placement.rule import Nodes, PartitionRequest, grid_of
from netplace.topologies import Grid


def _block(grid: Grid, corner: Sequence[int], sides: Sequence[int]) -> Nodes:
    """Return the nodes of the box of these `sides` whose lowest corner is `corner`, in row order."""
    axes = [np.arange(low, low + side) for low, side in zip(corner, sides, strict=True)]
    places = np.stack(np.meshgrid(*axes[::-1], indexing="ij")[::-1], axis=-1)
    return grid.node(places.reshape(-1, grid.dims))


def _tiles(grid: Grid, counts: Sequence[int], sides: Sequence[int]) -> Iterator[Nodes]:
    """Yield boxes side by side from node 0, so many in each dimension, X fastest."""
    for place in itertools.product(*map(range, counts[::-1])):
        yield _block(grid, [at * side for at, side in zip(place[::-1], sides, strict=True)], sides)


def _in_turn(request: PartitionRequest, parts: Iterable[Nodes]) -> list[Nodes]:
    """Return the next of `parts` for each job, without those that service nodes make too small.

    The result can be shorter if there are no more parts. A part that would be too small even without service
    nodes is used.
    """
    left = list(parts)
    parts_taken: list[Nodes] = []
    for size in request.sizes:
        fits = (n for n, part in enumerate(left) if len(part) < size or _computing(request, part) >= size)
        place = next(fits, None)
        if place is None:
            break
        parts_taken.append(left.pop(place))
    return parts_taken


def _computing(request: PartitionRequest, part: Nodes) -> int:
    service = request.topology.service
    return len(part) - int(np.isin(part, service).sum() if len(service) else 0)


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
    boxes = _in_turn(request, _tiles(grid, [parts] * grid.dims, sides))
    if len(boxes) < len(request.sizes):
        job = len(boxes)
        raise ValueError(
            f"partition {name}: no part of {grid} has room for the {request.sizes[job]} tasks of job {job} "
            f"in addition to service nodes"
        )
    return boxes


def quadrants(request: PartitionRequest) -> list[Nodes]:
    """Return a quarter of the grid per job; for more than four jobs, a quarter of a quarter, and so on."""
    grid = grid_of(request.topology, "partition quadrants")
    if grid.dims != 2:
        raise ValueError(f"partition quadrants: {grid} has {grid.dims} dimensions, expected 2; use sub-cubes")
    return sub_cubes(request, "quadrants")


def whole_network(request: PartitionRequest) -> list[Nodes]:
    """Return all nodes for a single job; for several, consecutive nodes, as many as each has tasks."""
    if len(request.sizes) == 1:
        return [request.topology.computing]
    ends = np.cumsum(request.sizes)[:-1]
    return np.split(request.topology.computing[: sum(request.sizes)], ends)


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
    parts, jobs = _in_turn(request, _tiles(grid, fitting, sides)), len(request.sizes)
    if len(parts) < jobs:
        room = " with room in addition to service nodes" if len(grid.service) else ""
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
            raise ValueError(
                f"partition boxes: {word} does not fit {grid}: {low} + {side} is more than {size}"
            )
    return _block(grid, corner, sides)


def _numbers(text: str, separator: str, grid: Grid, label: str, minimum: int) -> Numbers:
    """Return the numbers of one box, as many as the grid has dimensions."""
    numbers = tuple(
        check_int(word, f"partition boxes: {label} {text!r}", minimum) for word in text.split(separator)
    )
    if len(numbers) != grid.dims:
        raise ValueError(
            f"partition boxes: {len(numbers)} {label} in {text!r}, expected {grid.dims} for {grid}"
        )
    return numbers


def _spelled(sides: Numbers) -> str:
    return "x".join(map(str, sides))


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
