"""Locations with computed costs instead of a table: places on a grid, under a tree, or at switches.

A table of costs among 32,768 locations takes 2 GB, and among 262,144 it takes 137 GB. Here, a location is a
row of a few numbers, and the compiled searches compute the cost of a pair from two rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.native import placement as native
from netplace.topologies.limits import check_memory

GRID, TD, TREE, TABLE, TWIST = range(5)
_NONE = np.zeros((1, 1), np.int16)
_BLOCK = 2**21  # pairs priced at a time


@dataclass(frozen=True, eq=False)
class Locations:
    """Locations and the cost of a unit of flow between any two, symmetric and 0 to itself."""

    # `GRID`: the distance between two places; `TD`: the same and its asymmetry; `TREE`: the sum of steps over
    # the stages at which ancestors differ; `TABLE`: between the homes of two locations, by table; `TWIST`: by
    # table of how they lie to each other on a twisted torus.
    kind: int
    # Shape (locations, n): coordinates, or the number of the ancestor at each stage; whole numbers below
    # 2**24.
    places: NDArray[np.float32]
    # Shape (n,): on a grid the length of each ring, infinite where it is open; in a tree the cost of each
    # stage; of a table what is added between different locations; on a twisted torus both sides and the
    # twist.
    steps: NDArray[np.float32]
    # Shape (homes, homes): costs between homes; symmetric. On a grid one number, added between different
    # locations. On a twisted torus, shape (Y, X), the cost from the node in its corner to each, below which
    # may stand the distance.
    table: NDArray[Any]
    home: NDArray[np.int32]  # shape (locations,): row of the table of each location

    @staticmethod
    def computed(kind: int, places: ArrayLike, steps: ArrayLike, table: NDArray[Any] = _NONE) -> Locations:
        """Return locations whose costs are computed from their places."""
        rows = np.ascontiguousarray(places, np.float32)
        home = np.zeros(len(rows), np.int32)
        return Locations(kind, rows, np.asarray(steps, np.float32), table, home)

    def __len__(self) -> int:
        return len(self.places)

    @cached_property
    def compiled(self) -> native.Locations:
        """The same for compiled searches, checked once."""
        return native.Locations(self.kind, self.places, self.steps, self.table, self.home)

    def __getstate__(self) -> dict[str, Any]:
        """Return a state from which another process creates the same locations."""
        return {name: value for name, value in vars(self).items() if name != "compiled"}

    @property
    def plain(self) -> Locations:
        """The same locations, priced without asymmetry."""
        if self.kind == TWIST:
            return replace(self, table=self.table[-int(self.steps[1]) :])
        return replace(self, kind=GRID) if self.kind == TD else self

    @property
    def integral(self) -> bool:
        """Whether all costs are whole numbers."""
        steps = self.steps[np.isfinite(self.steps)]
        return self.table.dtype.kind == "i" and bool((steps == np.rint(steps)).all())

    @property
    def minimum(self) -> float:
        """A cost below which no two different locations are."""
        if self.kind in (GRID, TD):
            # In TD that of one hop; more in as many dimensions cost no less.
            nearest = 0 if self.crowd > 1 else 1 if self.kind == GRID else self.places.shape[1]
            return float(nearest + self.table[0, 0])
        if self.kind == TWIST:
            return float(self._from_corner[self._from_corner > 0].min())
        if self.kind == TREE:
            return float(self.steps[0])
        homes, counts = np.unique(self.home, return_counts=True)
        if (counts > 1).any():
            return float(self.steps[0])
        among = self.table[np.ix_(homes, homes)] + self.steps[0]
        np.fill_diagonal(among, among.max())
        return float(among.min())

    @property
    def maximum(self) -> float:
        if self.kind == TREE:
            return float(self.steps.sum())
        if self.kind == TABLE:
            return float(self.table.max()) + float(self.steps[0])
        if self.kind == TWIST:
            return float(self._from_corner.max())
        spans = np.where(np.isfinite(self.steps), self.steps / 2, np.ptp(self.places, axis=0))
        return float(spans.sum()) * (1 if self.kind == GRID else len(spans)) + float(self.table[0, 0])

    @property
    def _from_corner(self) -> NDArray[Any]:
        return self.table[: int(self.steps[1])]

    @cached_property
    def crowd(self) -> int:
        if not self.table[0, 0]:
            return 1
        return int(np.unique(self.places, axis=0, return_counts=True)[1].max())

    def between(self, a: ArrayLike, b: ArrayLike) -> NDArray[Any]:
        """Return the costs between locations `a` and `b`, of one shape: int64 if all are whole numbers."""
        ours, theirs = np.ravel(a).astype(np.int32), np.ravel(b).astype(np.int32)
        costs = np.empty(len(ours))
        for first in range(0, len(ours), _BLOCK):
            part = slice(first, first + _BLOCK)
            costs[part] = self.compiled.prices(ours[part], theirs[part])
        shaped = costs.reshape(np.shape(a))
        return shaped.astype(np.int64) if self.integral else shaped

    def matrix(self) -> NDArray[Any]:
        count = len(self)
        check_memory(f"{count} locations", 16 * count**2, "a table of all costs")
        numbers = np.arange(count)
        rows = [self.between(np.full(count, location), numbers) for location in range(count)]
        return np.array(rows)

    def take(self, chosen: NDArray[Any]) -> Locations:
        return replace(self, places=self.places[chosen], home=self.home[chosen])

    def halved(self) -> Locations:
        """Return one location for every two neighbors in the order: between them, or the first of them."""
        places = self.places[0::2].copy()
        if self.kind in (GRID, TD):
            places[: len(self) // 2] = (places[: len(self) // 2] + self.places[1::2]) / 2
        return replace(self, places=places, home=self.home[0::2])


def tabulated(costs: NDArray[Any]) -> Locations:
    """Return the locations of a table of costs, which is symmetric with zeros in its diagonal."""
    fits = costs.dtype.kind == "i" and costs.max(initial=0) <= np.iinfo(np.int16).max
    table = np.ascontiguousarray(costs, np.int16 if fits else np.float32)
    count = len(costs)
    none, home = np.zeros((count, 1), np.float32), np.arange(count, dtype=np.int32)
    return Locations(TABLE, none, np.zeros(1, np.float32), table, home)
