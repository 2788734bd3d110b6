"""Configurations of jobs with different spread on a mesh, from which the study of metrics draws."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from netplace.placement import partition
from netplace.topologies import Grid

__all__ = ["block_sets", "pieces"]


def block_sets(
    grid: Grid, sides: str, sharers: int, rng: np.random.Generator, *, anywhere: bool = False
) -> NDArray[np.int64]:
    """Return the nodes of each job when sets of blocks are shared by as many jobs, one job's size a block.

    In a set of k blocks the first of its jobs draws as many nodes as a block has, the next as many of the
    rest, and so on; a job's nodes are in increasing order.

    `grid`: a mesh. `sides`: sides of a block, as in ``"8x8"``; blocks must tile the grid. `sharers`: blocks
    of a set, and jobs that share it. `rng`: source of random draws. `anywhere`: whether the blocks of a set
    lie anywhere. If not, a set is a box that blocks make up, as near to a cube as goes, its sides in an order
    by chance: of 8x8 blocks two make 16x8 or 8x16.

    Returns
    -------
    ndarray of int64, shape (jobs, nodes of a block)

    References
    ----------
    Pascual, Lozano and Miguel-Alonso, EHU-KAT-IK-05-12. That sets are compact is a reading: it alone gives
    the printed metrics of the two scattered examples (NA 256, AD 10.69, DFC 507).
    """
    lengths = tuple(int(side) for side in sides.split("x"))
    size = math.prod(lengths)
    if anywhere:
        tiles = _tiles(grid, lengths)
        sets = rng.permutation(len(tiles)).reshape(-1, sharers)
        areas = tiles[sets].reshape(len(sets), -1)
    else:
        areas = _tiles(grid, _turned(grid, lengths, sharers, rng))
    return np.concatenate([np.sort(rng.permutation(area).reshape(sharers, size), axis=1) for area in areas])


def pieces(grid: Grid, jobs: int, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the nodes of each job when each has pieces of its own, dealt out at random.

    Pieces are boxes, as near to cubes as goes, and tile the grid; a job has them one after another.

    Returns
    -------
    ndarray of int64, shape (jobs, nodes of a job)
    """
    size = grid.nodes // jobs // count
    fitting = [
        box
        for box in _boxes(size, grid.sizes)
        if all(n % a == 0 for n, a in zip(grid.sizes, box, strict=True))
    ]
    box = min(fitting, key=lambda box: (sum(box), [-side for side in box]))
    tiles = _tiles(grid, box)
    return tiles[np.sort(rng.permutation(len(tiles)).reshape(jobs, -1), axis=1)].reshape(jobs, -1)


def _tiles(grid: Grid, sides: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the nodes of the boxes that tile the grid."""
    size = math.prod(sides)
    rule = "boxes:" + "x".join(map(str, sides))
    return np.array(partition(rule, grid, [size] * (grid.nodes // size)))


def _turned(grid: Grid, lengths: tuple[int, ...], count: int, rng: np.random.Generator) -> tuple[int, ...]:
    """Return the sides of a box of `count` blocks that tiles the grid, drawn of those nearest to a cube."""
    boxes = [
        tuple(side * times for side, times in zip(lengths, box, strict=True))
        for box in _boxes(count, [size // side for size, side in zip(grid.sizes, lengths, strict=True)])
    ]
    fitting = [box for box in boxes if all(n % a == 0 for n, a in zip(grid.sizes, box, strict=True))]
    if not fitting:
        raise ValueError(f"block sets: no box of {count} blocks of {lengths} tiles {grid}")
    least = min(sum(box) for box in fitting)
    nearest = sorted(box for box in fitting if sum(box) == least)
    return nearest[int(rng.integers(len(nearest)))]


def _boxes(count: int, most: tuple[int, ...] | list[int]) -> list[tuple[int, ...]]:
    """Return all boxes of `count` places within sides `most`."""
    return [
        box
        for box in itertools.product(*(range(1, min(count, side) + 1) for side in most))
        if math.prod(box) == count
    ]
