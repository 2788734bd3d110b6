"""First fit that knows runs along rows, and jumps over bases that a held node forbids."""

from __future__ import annotations

from netplace.native import experiments as native
from netplace.scheduling.partitioner.contiguous.search import Account, Shape
from netplace.topologies import Grid

__all__ = ["RowJumps"]


class RowJumps(Account):
    """An exact search on meshes and tori that jumps over bases known to fail; `visited` counts nodes.

    Every node knows how many free nodes follow it along X, itself included; taking and releasing a box
    corrects this in its rows. At a base, one look a row of the box returns whether it is free, the farthest
    row first. Where it is not, the held node behind the run forbids all bases whose box holds it. The search
    goes on behind it along X; when a whole row, plane .. of bases failed, it goes on behind the nearest of
    the held nodes that were met on the way, along Y, Z ...

    It is `iff` with runs along one dimension alone, and with jumps in the higher dimensions of its own, which
    never make the search slower.
    """

    def __init__(self, grid: Grid) -> None:
        super().__init__(grid)
        self._runs = native.RowJumps(grid.sizes, grid.wraps)

    def first(self, shape: Shape) -> int:
        """Return the first base of a free box of `shape`, or -1."""
        base, visited = self._runs.find(shape)
        self.visited += visited
        return base

    def take(self, base: int, shape: Shape) -> None:
        """Mark the nodes of a free box as held."""
        self._runs.change(base, shape, False)

    def release(self, base: int, shape: Shape) -> None:
        """Mark the nodes of a held box as free."""
        self._runs.change(base, shape, True)
