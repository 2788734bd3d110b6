"""Networks as algorithms see them that look at distances: sums over dimensions, or a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.native import scheduling as native
from netplace.records import freeze_arrays
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation, Keeper, Nodes
from netplace.topologies import Graph, Topology, Tree, switch_grid
from netplace.topologies.limits import check_memory

LINE, RING, GROUPS, TABLE = 0, 1, 2, 3
_NO_TABLE = np.zeros((1, 1), np.int32)


@dataclass(frozen=True, eq=False)
class Axes:
    """The dimensions of a network, as algorithms take them."""

    places: NDArray[np.int64]  # shape (dims, nodes): place of each node in each dimension
    # shape (dims,): `LINE`: the distance of places a and b is ``|a - b|``; `RING`: the shorter way round;
    # `GROUPS`: 2 hops between different places; `TABLE`: what `table` says, for two different nodes.
    kinds: NDArray[np.int64]
    sizes: NDArray[np.int64]  # shape (dims,): number of places
    # shape (places, places): hops between nodes at two places, also at the same one; of a dimension of kind
    # `TABLE` alone.
    table: NDArray[np.int32] = field(default_factory=lambda: _NO_TABLE)

    @cached_property
    def compiled(self) -> native.Axes:
        return native.Axes(self.places, self.kinds, self.sizes, self.table)

    def __reduce__(self) -> tuple[type[Axes], tuple[NDArray[Any], ...]]:
        return Axes, (self.places, self.kinds, self.sizes, self.table)


def one_each(axes: Axes) -> bool:
    """Return whether every place of a grid is one node, in the order of their numbers."""
    return bool((axes.kinds <= RING).all()) and axes.places.shape[1] == axes.sizes.prod()


@dataclass(frozen=True, eq=False)
class Space:
    topology: Topology  # the network
    # Its dimensions: those of a grid, whose nodes at one switch coincide; of a tree the levels, a place being
    # a subtree; of any other network one, the places being the switches.
    axes: Axes

    @cached_property
    def each(self) -> int:
        return int(np.bincount(self.point).max())

    @cached_property
    def lattice(self) -> Axes:
        """Every place of a grid once, in the order of numbers, X fastest."""
        if one_each(self.axes):
            return self.axes
        sizes = self.axes.sizes
        places = np.indices(tuple(sizes.tolist()[::-1])).reshape(len(sizes), -1)[::-1]
        return replace(self.axes, places=np.ascontiguousarray(places))

    @cached_property
    def point(self) -> NDArray[np.int64]:
        """The number of each node's place on the lattice of a grid."""
        return np.asarray(np.cumprod([1, *self.axes.sizes[:-1]]) @ self.axes.places)

    @cached_property
    def in_order(self) -> bool:
        """Whether this is a grid whose nodes are numbered as the places where they are."""
        return bool((self.axes.kinds <= RING).all() and (np.diff(self.point) >= 0).all())

    @cached_property
    def near_order(self) -> NDArray[np.int64]:
        """The points of the lattice in Morton's order: a stretch of it lies in a box or a few."""
        key, bits = np.zeros(self.lattice.places.shape[1], np.int64), 0
        for bit in range(int(self.axes.sizes.max() - 1).bit_length()):
            for size, place in zip(self.axes.sizes.tolist(), self.lattice.places, strict=True):
                if size - 1 >> bit:
                    key |= (place >> bit & 1) << bits
                    bits += 1
        return np.argsort(key)

    def hops(self, a: ArrayLike, b: ArrayLike) -> NDArray[np.int64]:
        """Return the distances that `axes` have, of nodes broadcast against each other."""
        places, kinds, sizes = self.axes.places, self.axes.kinds, self.axes.sizes
        if (kinds > RING).any():
            return self.topology.distance(a, b)
        first, second = np.broadcast_arrays(a, b)
        gap = np.abs(places[:, first] - places[:, second])
        side = sizes.reshape(-1, *[1] * (gap.ndim - 1))
        ring = (kinds == RING).reshape(side.shape)
        return np.asarray(np.where(ring, np.minimum(gap, side - gap), gap).sum(axis=0))


def space_of(topology: Topology, label: str, *, metric: bool = False) -> Space:
    """Return the dimensions of a mesh or torus, or, if distances will do (`metric`), of any network."""
    below = switch_grid(topology)
    if below is not None and not below[0].twist:
        grid, switch = below
        kind = RING if grid.wraps else LINE
        places = np.ascontiguousarray(grid.coordinates(switch).T)
        return Space(topology, Axes(places, np.full(grid.dims, kind), np.array(grid.sizes)))
    if not metric:
        raise ValueError(f"{label}: is defined on meshes and tori, not on {topology}")
    if isinstance(topology, Tree):
        widths = topology.down ** np.arange(topology.stages)
        places = np.ascontiguousarray(np.arange(topology.nodes) // widths[:, None])
        return Space(topology, Axes(places, np.full(len(widths), GROUPS), topology.nodes // widths))
    return Space(topology, _tabulated(topology))


def _tabulated(topology: Topology) -> Axes:
    """Return one dimension, whose places are the switches that have nodes, or else the nodes."""
    if isinstance(topology, Graph):
        at, place = np.unique(topology.home - topology.first_switch, return_inverse=True)
        table = np.asarray(topology.switch_hops[np.ix_(at, at)] + topology.ends, np.int32)
    else:
        place = np.arange(topology.nodes)
        check_memory(topology.text, 12 * topology.nodes**2, "its table of distances")
        table = topology.distances(place).astype(np.int32)
    return Axes(place[None].astype(np.int64), np.array([TABLE]), np.array([len(table)]), table)


@dataclass(frozen=True, eq=False)
class Selection:
    """Nodes for a job, the cost that the algorithm minimized, and the node around which they lie."""

    nodes: Nodes
    cost: int
    centre: int | None = None

    def __post_init__(self) -> None:
        freeze_arrays(self)


Choose = Callable[[Space, Nodes, int], Selection]
"""Takes the network, the free nodes in increasing order, and how many of them are needed."""


class Centred(Keeper):
    """Gives a job the free nodes that an algorithm chooses by their distances."""

    def __init__(self, space: Space, choose: Choose, by_count: bool = True):
        super().__init__(space.topology.nodes)
        self._space, self._choose = space, choose
        self.by_count = by_count

    def _choice(self, job: Job) -> Allocation | None:
        self.visited += self.free  # nodes that a search starts from
        return Allocation(self.choose(job.nodes).nodes)

    def choose(self, size: int) -> Selection:
        return self._choose(self._space, np.flatnonzero(self.is_free), size)
