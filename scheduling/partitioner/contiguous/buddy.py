"""Buddies: squares of a power of two, each split into the next smaller ones."""

from __future__ import annotations

import bisect
import copy
import itertools

from netplace.scheduling.partitioner.contiguous.search import Shape
from netplace.topologies import Grid

__all__ = ["Buddy"]


class Buddy:
    """A search in lists of free squares; a request gets the smallest that holds it. `visited` counts squares.

    A square is split into four as long as a quarter is enough; four free quarters of a square are joined
    again. Quick, but what is left of a square is lost to others, and free nodes that are no such square are
    not seen.

    K. Li and K. H. Cheng, "A two-dimensional buddy system for dynamic resource allocation in a
    partitionable mesh connected system", J. Parallel and Distributed Computing 12 (1991). That is for 2-D
    meshes; cubes of any number of dimensions are split and joined in the same way.
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
        """Return the smallest square of a power of two that holds `shape`."""
        return (1 << (max(shape) - 1).bit_length(),) * len(shape)

    def first(self, shape: Shape) -> int:
        """Return the first base in the list of the smallest squares that are large enough, or -1."""
        for level in range(_level(shape), self._levels):
            self.visited += 1
            if self._free[level]:
                return self._free[level][0]
        return -1

    def take(self, base: int, shape: Shape) -> None:
        """Take a free square, or a part of a larger one, which is split."""
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
        """Return an independent copy."""
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
    """Return the level of a square, 0 for a single node."""
    return (shape[0] - 1).bit_length()
