"""First fit by eroding a bit map of the free nodes: the search of this project."""

from __future__ import annotations

from collections.abc import Sequence

from netplace.native import scheduling as native
from netplace.scheduling.partitioner.contiguous.search import Account, Shape
from netplace.topologies import Grid

__all__ = ["Erosion"]


class Erosion(Account):
    """An exact search on meshes and tori of any dimension; `visited` counts words of 64 nodes.

    The free nodes are the bits of a map. ANDing the map with itself shifted along every dimension, in steps
    of 1, 2, 4 .., leaves the bases of free boxes. It is done plane by plane of the last dimension, and only
    for planes that the answer hangs on: in an almost empty machine a small box is found in the first ones,
    and a plane without a base for the section of the box rules out all boxes that reach it. Eroded planes
    are kept: to ask for the same section again, as a scheduler does whose first job waits, costs only the
    planes that changed.
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
        """Return the first base of a free box of `shape`, or -1."""
        base, looked = self._map.find(self._sides(shape))
        self.visited += looked
        return base

    def take(self, base: int, shape: Shape) -> None:
        """Mark the nodes of a free box as held."""
        self._fill(base, shape, False)

    def release(self, base: int, shape: Shape) -> None:
        """Mark the nodes of a held box as free."""
        self._fill(base, shape, True)

    def _fill(self, base: int, shape: Shape, value: bool) -> None:
        self._map.fill(base, self._sides(shape), value)

    def _sides(self, shape: Shape) -> Sequence[int]:
        """Return the sides along the dimensions of the map."""
        if not self._missing and len(shape) == len(self._long):
            return shape
        return [shape[d] for d in self._long] + [1] * self._missing
