"""The request to a search for a free box, and the record of held nodes in an array."""

from __future__ import annotations

import bisect
import copy
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from netplace.native import scheduling as native
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation
from netplace.scheduling.partitioner.shapes import Choices, Ranking
from netplace.topologies import Grid

Shape = tuple[int, ...]


class Search(Protocol):
    """Finds boxes of free nodes on a mesh or torus, and keeps account of held nodes.

    A box is named by its base, the node from which it extends upwards in every dimension (round the ring on a
    torus), and its shape, the sides in order of dimensions. A search is exact if it returns the first base in
    order of node numbers. `visited` counts nodes, words of nodes or boxes: each search says which.
    """

    visited: int

    def granted(self, shape: Shape) -> Shape:
        """Return the shape of the box that a request for `shape` gets: the same, unless it is rounded up."""

    def first(self, shape: Shape) -> int:
        """Return the base of a free box of a granted shape, or -1; the shape fits the empty machine."""

    def take(self, base: int, shape: Shape) -> None:
        """Mark the nodes of a free box as held."""

    def release(self, base: int, shape: Shape) -> None:
        """Mark the nodes of a held box as free."""

    def copy(self) -> Search:
        """Return an independent copy."""


def mesh_2d(grid: Grid, label: str) -> Grid:
    """Return `grid` if it is a mesh of two dimensions."""
    if grid.dims != 2 or grid.wraps:
        raise ValueError(f"{label}: is defined on 2-D meshes, not on {grid}")
    return grid


class Account:
    """What all searches of this package have in common."""

    def __init__(self, grid: Grid) -> None:
        self._sizes = np.array(grid.sizes, np.int64)
        self._wraps = grid.wraps
        self.visited = 0

    def granted(self, shape: Shape) -> Shape:
        return shape

    def copy(self) -> Self:
        return copy.deepcopy(self)


class NodeArray(Account):
    """A flag for every node of a mesh or torus."""

    def __init__(self, grid: Grid) -> None:
        super().__init__(grid)
        self.held: NDArray[np.bool_] = np.zeros(grid.nodes, np.bool_)

    def copy(self) -> Self:
        twin = copy.copy(self)
        twin.held = self.held.copy()
        return twin

    def take(self, base: int, shape: Shape) -> None:
        self.held[native.box_nodes(self._sizes, base, np.array(shape))] = True

    def release(self, base: int, shape: Shape) -> None:
        self.held[native.box_nodes(self._sizes, base, np.array(shape))] = False


class Erosion(Account):
    """An exact search on meshes and tori of any dimension; `visited` counts words of 64 nodes.

    The free nodes are the bits of a map. ANDing the map with itself shifted along every dimension, in steps
    of 1, 2, 4 .., leaves the bases of free boxes. Only the planes of the last dimension that decide the
    answer are eroded, and they are kept: a repeated request costs only the planes that changed.
    """

    def __init__(self, grid: Grid) -> None:
        super().__init__(grid)
        # Dimensions of a single node add nothing; the map has a row and a plane at least.
        self._long = [d for d, size in enumerate(grid.sizes) if size > 1]
        self._missing = max(0, 2 - len(self._long))
        sides = [grid.sizes[d] for d in self._long] + [1] * self._missing
        self._map = native.BitMap(sides, grid.wraps)
        self._fill(0, grid.sizes, True)

    def first(self, shape: Shape) -> int:
        base, looked = self._map.find(self._sides(shape))
        self.visited += looked
        return base

    def take(self, base: int, shape: Shape) -> None:
        self._fill(base, shape, False)

    def release(self, base: int, shape: Shape) -> None:
        self._fill(base, shape, True)

    def _fill(self, base: int, shape: Shape, value: bool) -> None:
        self._map.fill(base, self._sides(shape), value)

    def _sides(self, shape: Shape) -> Sequence[int]:
        if not self._missing and len(shape) == len(self._long):
            return shape
        return [shape[d] for d in self._long] + [1] * self._missing


class Boxes:
    """Contiguous partitions of meshes and tori: the first free box of those that a rule names for a job."""

    by_count = False

    def __init__(self, grid: Grid, search: Callable[[Grid], Search], shapes: Ranking) -> None:
        self._sizes = np.array(grid.sizes, np.int64)
        self.search = search(grid)
        self._shapes = shapes
        self._held: dict[int, Shape] = {}
        self.free = grid.nodes
        self.searches = 0
        self.visited = 0

    def find(self, job: Job) -> Allocation | None:
        self.searches += 1
        for shape, mapping in self._shapes(job):
            given = self.search.granted(shape)
            if math.prod(given) > self.free:
                continue
            base = self.search.first(given)
            self.visited = self.search.visited
            if base >= 0:
                return Allocation(native.box_nodes(self._sizes, base, np.array(given)), given, mapping)
        return None

    def shapes(self, job: Job) -> Choices:
        """Return the boxes that a job can get, each with the mapping to use in it or an empty text."""
        return [(self.search.granted(shape), mapping) for shape, mapping in self._shapes(job)]

    def take(self, allocation: Allocation) -> None:
        base, shape = _box(allocation)
        if base in self._held:
            raise ValueError(f"allocation {shape} at node {base}: this box is occupied already")
        self._held[base] = shape
        self.search.take(base, shape)
        self.free -= len(allocation.nodes)

    def release(self, allocation: Allocation) -> None:
        base, shape = _box(allocation)
        if self._held.get(base) != shape:
            raise ValueError(f"allocation {shape} at node {base}: no job occupies this box")
        del self._held[base]
        self.search.release(base, shape)
        self.free += len(allocation.nodes)

    def copy(self) -> Boxes:
        twin = copy.copy(self)
        twin.search, twin._held = self.search.copy(), dict(self._held)
        return twin


def _box(allocation: Allocation) -> tuple[int, Shape]:
    if allocation.shape is None:
        raise ValueError(f"allocation of {len(allocation.nodes)} nodes: has no shape, expected a box")
    return int(allocation.nodes[0]), allocation.shape


class FrameSliding(NodeArray):
    """A search on 2-D meshes that looks at few bases, and so misses free boxes; `visited` counts nodes.

    The first frame has its base at the first free node; from there it slides by its width along a row, then
    by its height to the next row of frames. P.-J. Chuang and N.-F. Tzeng, ICDCS 1991. Their text was not at
    hand: here every row of frames covers all bases that differ from the first by multiples of the width.
    """

    def __init__(self, grid: Grid) -> None:
        super().__init__(mesh_2d(grid, "partitioner frame-sliding"))

    def first(self, shape: Shape) -> int:
        base, visited = native.slide_frame(self.held, self._sizes, np.array(shape))
        self.visited += visited
        return base


class Buddy:
    """A search in lists of free squares; a request gets the smallest that holds it. `visited` counts squares.

    A square is split into four as long as a quarter is enough; four free quarters are joined again. The rest
    of a square stays unused, and free nodes that form no such square are not found. K. Li and K. H. Cheng,
    J. Parallel and Distributed Computing 12 (1991), for 2-D meshes; cubes of any dimension are treated alike.
    """

    def __init__(self, grid: Grid) -> None:
        side = grid.sizes[0]
        if set(grid.sizes) != {side} or side & (side - 1):
            raise ValueError(
                f"partitioner buddy: is defined on grids whose sides are one power of two, not on {grid}"
            )
        strides = [side**d for d in range(grid.dims)]
        self._levels = side.bit_length()
        # Of each level: the bits that nodes of a square have in common, and where the quarters of one begin.
        self._common = [
            ~sum(((1 << level) - 1) * stride for stride in strides) for level in range(self._levels)
        ]
        self._steps = [
            [sum(step) for step in itertools.product(*([0, stride << level] for stride in reversed(strides)))]
            for level in range(self._levels)
        ]
        self._free: list[list[int]] = [[] for _ in range(self._levels)]
        self._free[-1].append(0)
        self.visited = 0

    def granted(self, shape: Shape) -> Shape:
        return (1 << (max(shape) - 1).bit_length(),) * len(shape)

    def first(self, shape: Shape) -> int:
        for level in range(_level(shape), self._levels):
            self.visited += 1
            if self._free[level]:
                return self._free[level][0]
        return -1

    def take(self, base: int, shape: Shape) -> None:
        level = _level(shape)
        whole = next(up for up in range(level, self._levels) if self._corner(base, up) in self._free[up])
        self._free[whole].remove(self._corner(base, whole))
        for part in range(whole - 1, level - 1, -1):
            for other in self._parts(self._corner(base, part + 1), part):
                if other != self._corner(base, part):
                    bisect.insort(self._free[part], other)

    def release(self, base: int, shape: Shape) -> None:
        """Give a square back; it is joined with its buddies where they are free."""
        level = _level(shape)
        while level < self._levels - 1:
            corner = self._corner(base, level + 1)
            buddies = [part for part in self._parts(corner, level) if part != base]
            if not set(buddies) <= set(self._free[level]):
                break
            for part in buddies:
                self._free[level].remove(part)
            base, level = corner, level + 1
        bisect.insort(self._free[level], base)

    def copy(self) -> Buddy:
        twin = copy.copy(self)
        twin._free = [bases.copy() for bases in self._free]
        return twin

    def _corner(self, node: int, level: int) -> int:
        """Return the base of the square of a level in which a node lies."""
        return int(node & self._common[level])

    def _parts(self, corner: int, level: int) -> list[int]:
        """Return the bases of the squares of a level that make up the one at `corner`, which comes first."""
        return [corner + step for step in self._steps[level]]


def _level(shape: Shape) -> int:
    return (shape[0] - 1).bit_length()
