"""Meshes, tori and twisted tori: nodes on a grid of any number of dimensions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.checks import abbreviate, check_int
from netplace.checks.arrays import array_of
from netplace.checks.calls import check_fields, checked
from netplace.topologies.limits import check_size
from netplace.topologies.topology import Topology
from netplace.topologies.twist import Twist

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Grid", "check_sides", "grid", "spell"]

_AXES = "XYZUVW"


@dataclass(frozen=True, eq=False, repr=False)
class Grid(Topology):
    """A mesh, torus or twisted 2-D torus; every router is a node.

    Nodes are numbered with X fastest: node = x + X * (y + Y * z). Port ``2 * d`` leads to the next node in
    dimension d, and port ``2 * d + 1`` to the previous one. An input is named by the direction in which its
    packets travel, so port p enters at input p, and the way back is port ``p ^ 1``.

    Short sides follow from the rule that a ring of n nodes has n links in each direction. On a torus, a side
    of 2 has two parallel links in each direction between the two nodes, by d+ and by d-; to cross it is half
    the ring in either direction. A side of 1 has no links, because they would lead from a node to itself. A
    grid can therefore have a single node.

    Attributes
    ----------
    sizes : tuple of int
        Nodes along each dimension.
    wraps : bool
        Whether every dimension is closed to a ring.
    twist : int
        Number of nodes along X by which a packet is shifted when it passes from the end to the beginning of
        Y, the second of two dimensions; or 0.
    """

    sizes: tuple[int, ...]
    wraps: bool
    twist: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fields(self, Grid)
        text = f"network {self.text}"
        sides = tuple(check_int(size, f"{text}: side {place + 1}") for place, size in enumerate(self.sizes))
        if not math.prod(sides) == self.nodes == self.routers or self.ports != 2 * len(sides):
            raise ValueError(
                f"{text}: {self.nodes} nodes, {self.routers} routers and {self.ports} ports are not those of "
                f"a grid of sides {sides}"
            )
        if self.twist and (len(sides) != 2 or not self.wraps or not 0 < self.twist < sides[0]):
            raise ValueError(f"{text}: a twist of {self.twist} needs a torus of two sides, X longer than it")
        object.__setattr__(self, "sizes", sides)

    def rebuilt(self) -> Grid:
        """Return a new grid with the same sides and wiring."""
        return grid(self.text, self.sizes, self.wraps, self.twist)

    @property
    def dims(self) -> int:
        """Number of dimensions."""
        return len(self.sizes)

    @cached_property
    def _strides(self) -> NDArray[np.int64]:
        return _strides(self.sizes)

    @cached_property
    def _twisted(self) -> Twist:
        return Twist(self.sizes, self.twist, self.neighbor)

    def coordinates(self, nodes: ArrayLike) -> NDArray[np.int64]:
        """Return the coordinates of `nodes`, shape (..., dims).

        Raises
        ------
        ValueError
            If one of them is not a node.
        """
        return np.asarray(self.check_nodes(nodes)[..., None] // self._strides % self.sizes)

    def node(self, coordinates: ArrayLike) -> NDArray[np.int64]:
        """Return the nodes at `coordinates` of shape (..., dims).

        Raises
        ------
        ValueError
            If a coordinate is not a whole number inside the grid, or the number of coordinates is wrong.
        """
        place = array_of(coordinates, "coordinates")
        if place.ndim == 0 or place.shape[-1] != self.dims:
            raise ValueError(
                f"coordinates: shape {place.shape} does not end in the {self.dims} of {self.text}"
            )
        if place.size and (place.dtype.kind not in "iu" or ((place < 0) | (place >= self.sizes)).any()):
            raise ValueError(
                f"coordinates: {abbreviate(place.tolist())} are not all whole numbers inside {self.text}"
            )
        return np.asarray(place.astype(np.int64) @ self._strides)

    def difference(self, a: ArrayLike, b: ArrayLike) -> NDArray[np.int64]:
        """Return the node that is to node 0 as `b` is to `a`; records depend on nothing else.

        Raises
        ------
        ValueError
            On a mesh, whose nodes are not equivalent.
        """
        if not self.wraps:
            raise ValueError(
                f"{self.text}: the nodes of a mesh are not equivalent, so a difference is not enough"
            )
        return np.asarray(self._displacement(a, b) @ self._strides)

    def _displacement(self, a: ArrayLike, b: ArrayLike) -> NDArray[np.int64]:
        """Return the vector from `a` to `b`, shape (..., dims); 0..size-1 on rings."""
        a, b = self.check_pairs(a, b)
        gap = self.coordinates(b) - self.coordinates(a)
        if self.twist:
            return self._twisted.reduce(gap)
        return np.asarray(gap % self.sizes if self.wraps else gap)

    def dimension_distances(self, a: ArrayLike, b: ArrayLike) -> NDArray[np.int64]:
        """Return the hops in each dimension of a minimal route from `a` to `b`, shape (..., dims).

        On a twisted torus, minimal routes can differ in these; the result is that of the first of `records`.
        """
        gap = self._displacement(a, b)
        if self.twist:
            return np.asarray(np.abs(self._twisted.nearest[gap @ self._strides]))
        return np.minimum(gap, np.array(self.sizes) - gap) if self.wraps else np.abs(gap)

    def distance(self, a: ArrayLike, b: ArrayLike) -> NDArray[np.int64]:
        """Return the hops of a minimal route between nodes `a` and `b`, broadcast against each other."""
        if self.twist:
            return np.asarray(self._twisted.hops[self.difference(a, b)])
        a, b = self.check_pairs(a, b)
        start, end = self.coordinates(a), self.coordinates(b)
        # One dimension at a time: summing over a short last axis is slow.
        total = np.zeros(np.broadcast_shapes(start.shape[:-1], end.shape[:-1]), np.int64)
        for d, size in enumerate(self.sizes):
            gap = np.abs(end[..., d] - start[..., d])
            total += np.minimum(gap, size - gap) if self.wraps else gap
        return total

    @checked
    def records(self, a: int, b: int) -> NDArray[np.int64]:
        """Return every minimal route record from node `a` to node `b`.

        Returns
        -------
        ndarray of int64, shape (k, dims)
            Signed hops in each dimension, with rows in lexicographic order. There are several if a
            displacement is half of an even ring, or if a twisted torus has several ways around.
        """
        gap = self._displacement(a, b)
        if self.twist:
            return self._twisted.records(gap)
        options = []
        for hops, size in zip(gap.tolist(), self.sizes, strict=True):
            ways = {hops, hops - size} if self.wraps else {hops}
            least = min(map(abs, ways))
            options.append(sorted(way for way in ways if abs(way) == least))
        return np.array(list(itertools.product(*options)), np.int64)

    def _link_between(self, router: int, end: int, port: int) -> str:
        axis = _AXES[port // 2] if port < 2 * len(_AXES) else port // 2
        return f"{router} -> {end} ({axis}{'+-'[port % 2]})"

    def to_networkx(self) -> nx.MultiDiGraph[Any]:
        """Return the directed multigraph of routers; vertices carry their coordinates as ``place``."""
        made = super().to_networkx()
        for router, place in enumerate(self.coordinates(np.arange(self.nodes)).tolist()):
            made.nodes[router]["place"] = " ".join(map(str, place))
        return made

    @property
    def diameter(self) -> int:
        """Largest distance between two nodes, in hops."""
        if self.twist:
            return int(self._twisted.hops.max())
        return sum(size // 2 if self.wraps else size - 1 for size in self.sizes)

    @property
    def average_distance(self) -> float:
        """Mean distance over all ordered pairs of different nodes, in hops; 0 for a single node."""
        if self.nodes == 1:
            return 0.0
        if self.twist:
            return float(self._twisted.hops.sum()) / (self.nodes - 1)
        # Sum over all ordered pairs of a ring is n * floor(n^2 / 4), of a line n (n^2 - 1) / 3.
        along = (size**2 // 4 / size if self.wraps else (size**2 - 1) / (3 * size) for size in self.sizes)
        return sum(along) * self.nodes / (self.nodes - 1)

    @property
    def bisection_width(self) -> int:
        """Fewest directed links, counted in one direction, between two halves of the nodes.

        Exact for any sides: J. Arjona Aroca and A. Fernández Anta, "Bisection (band)width of product networks
        with application to data centers", TAMC 2012. With an even longest side, it is the familiar cut across
        it. Otherwise, the cut goes through the middle of the longest side, and the remaining middle slice is
        cut in the same way along the next side, until a side is even.
        """
        if self.twist:
            return self._twisted.bisection_width
        sides = sorted((size for size in self.sizes if size > 1), reverse=True)
        width = 0
        for place, side in enumerate(sides):
            width += math.prod(sides[place + 1 :])
            if side % 2 == 0:
                break
        return 2 * width if self.wraps else width


def grid(text: str, sizes: Sequence[int], wraps: bool, twist: int = 0) -> Grid:
    """Return the wired grid of these sides; `mesh`, `torus` and `twisted_torus` check their arguments."""
    sizes = tuple(sizes)
    nodes, ports = math.prod(sizes), 2 * len(sizes)
    check_size(text, nodes, ports)
    neighbor = np.full((nodes, ports), -1, np.int32)
    node = np.arange(nodes)
    stride = _strides(sizes)
    for d, size in enumerate(sizes):
        place = node // stride[d] % size
        for port, step in ((2 * d, 1), (2 * d + 1, -1)):
            moved = place + step
            inside = (moved >= 0) & (moved < size)
            end = np.where(inside | wraps, node + (moved % size - place) * stride[d], -1)
            if twist and d == 1:
                x = node % sizes[0]
                end = np.where(inside, end, end - x + (x + step * twist) % sizes[0])
            if size > 1:
                neighbor[:, port] = end
    entry = np.broadcast_to(np.arange(ports, dtype=np.int32), neighbor.shape)  # no memory of its own
    if not wraps or 1 in sizes:
        entry = np.where(neighbor >= 0, entry, np.int32(-1))
    return Grid(text, nodes, nodes, neighbor, entry, sizes, wraps, twist)


def _strides(sizes: Sequence[int]) -> NDArray[np.int64]:
    """Return the increase of the node number with each coordinate."""
    return np.cumprod([1, *sizes[:-1]], dtype=np.int64)


def check_sides(sizes: Sequence[int], text: str) -> tuple[int, ...]:
    """Return the sides as a tuple of at least one number, each at least 1."""
    if len(sizes) == 0:
        raise ValueError(f"{text}: no sides given, expected at least one")
    return tuple(check_int(size, f"{text}: side {place + 1}") for place, size in enumerate(sizes))


def spell(kind: str, sizes: Sequence[int]) -> str:
    """Return the text form of a grid, such as ``"torus:8x8"``."""
    return f"{kind}:{'x'.join(map(str, sizes))}"
