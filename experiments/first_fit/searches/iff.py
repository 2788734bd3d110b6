"""IFF: improved first fit, which marks regions of bases that cannot hold the request."""

from __future__ import annotations

from netplace.native import experiments as native
from netplace.scheduling.partitioner.contiguous.search import Account, Shape
from netplace.topologies import Grid

__all__ = ["ImprovedFirstFit", "PublishedVisits"]


class ImprovedFirstFit(Account):
    """An exact search on meshes and tori of any dimension, as published; `visited` counts nodes.

    Every node knows whose partition it is in, and in every dimension how many free nodes there are from it
    to the first held one. A base is compared in all dimensions; then nodes one step along the last dimension
    in all but that, and so on, so that each step looks at fewer dimensions and more nodes. The first failure
    makes a region of bases forbidden by the same partition, which is marked with how far to jump and cleared
    after the search. Where a run along X is too short, the search goes on behind the partition that ends it.

    J. A. Pascual, J. Miguel-Alonso and J. A. Lozano, "A fast implementation of the first fit contiguous
    partitioning strategy for cubic topologies", Concurrency and Computation: Practice and Experience 26
    (2014), and tech. report EHU-KAT-IK-06-12. Nodes that are looked at count as visited, once a look; marking
    regions does not.
    """

    _as_published = False

    def __init__(self, grid: Grid) -> None:
        super().__init__(grid)
        self._runs = native.Iff(grid.sizes, grid.wraps)

    def first(self, shape: Shape) -> int:
        """Return the first base of a free box of `shape`, or -1."""
        base, looked_at, counted = self._runs.find(shape)
        self.visited += counted if self._as_published else looked_at
        return base

    def take(self, base: int, shape: Shape) -> None:
        """Mark the nodes of a free box as held."""
        self._runs.change(base, shape, False)

    def release(self, base: int, shape: Shape) -> None:
        """Mark the nodes of a held box as free."""
        self._runs.change(base, shape, True)


class PublishedVisits(ImprovedFirstFit):
    """The same, `visited` counted as published.

    A partition that is met counts once a search, whatever is skipped for it; so does each node that is looked
    at in the candidate that is accepted. J. A. Pascual, doctoral thesis, UPV/EHU 2013, 4.1.1 and 7.1.2.
    """

    _as_published = True
