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

from netplace.inputs import abbreviate, check_int
from netplace.records import array_of
from netplace.topologies.graph import best_cut
from netplace.topologies.limits import check_size
from netplace.topologies.topology import Topology


@dataclass(frozen=True, eq=False)
class Twist:
    """Minimal routes between the nodes of a twisted torus, which are all equivalent."""

    sizes: tuple[int, ...]  # at least two sides, each at least 2
    twist: int  # number of nodes along X by which a packet is shifted where it passes the end of another side
    neighbor: NDArray[np.int32]  # shape (nodes, ports): the wiring, as in `Topology`

    def reduce(self, vector: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the vectors, shape (..., dims), that lead to the same nodes and lie within the sides."""
        rounds, rest = np.divmod(vector[..., 1:], self.sizes[1:])
        x = (vector[..., :1] + rounds.sum(axis=-1, keepdims=True) * self.twist) % self.sizes[0]
        return np.concatenate((x, rest), axis=-1)

    @cached_property
    def _search(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Hops to each node from node 0, and the first minimal record as one number to the base of a span."""
        # Breadth first: a record in front of which one hop is put leads one node further, and of all records
        # that come from one node by one port the first stays the first.
        hops = np.full(len(self.neighbor), -1)
        first = np.full(len(self.neighbor), np.iinfo(np.int64).max)
        hops[0] = first[0] = 0
        reached = np.zeros(1, np.int64)
        while reached.size:
            far = int(hops[reached[0]]) + 1
            for port in range(2 * len(self.sizes)):
                step = self._span ** (len(self.sizes) - 1 - port // 2) * (1 - port % 2 * 2)
                end = self.neighbor[reached, port]  # all different: a port leads to every node from just one
                onward = (hops[end] < 0) | (hops[end] == far)
                first[end[onward]] = np.minimum(first[end[onward]], first[reached[onward]] + step)
                hops[end[onward]] = far
            reached = np.flatnonzero(hops == far)
        return hops, first

    @property
    def _span(self) -> int:
        return 2 * sum(self.sizes)  # more than a number of hops and its negative are apart

    @property
    def hops(self) -> NDArray[np.int64]:
        """Distance from node 0 to each node, shape (nodes,)."""
        return self._search[0]

    @cached_property
    def nearest(self) -> NDArray[np.int64]:
        """First of the minimal records from node 0 to each node, shape (nodes, dims)."""
        rest, hops = self._search[1], []
        for _ in self.sizes[1:]:
            rest, last = np.divmod(rest + self._span // 2, self._span)
            hops.append(last - self._span // 2)
        return np.stack((rest, *hops[::-1]), axis=-1)

    def records(self, reduced: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return all minimal records that lead where one reduced vector leads, in lexicographic order."""
        width, sides = self.sizes[0], np.array(self.sizes[1:])
        minimum = int(self.hops[reduced @ _strides(self.sizes)])
        most = [range(-(minimum // side) - 1, minimum // side + 1) for side in sides]
        rounds = np.array(list(itertools.product(*most)))
        rest = reduced[1:] + rounds * sides
        x = (reduced[0] - rounds.sum(axis=1) * self.twist) % width
        ways = np.concatenate([np.column_stack((x, rest)), np.column_stack((x - width, rest))])
        minimal = ways[np.abs(ways).sum(axis=-1) == minimum]
        return np.asarray(minimal[np.lexsort(minimal.T[::-1])])

    @property
    def bisection_width(self) -> int:
        """Fewest links, counted in one direction, between two halves of the nodes, of two sides.

        On the torus, the border between the halves is a set of closed curves that cross the links. Either
        each curve can be contracted to a point, and they enclose half of the nodes, best as a near-square; or
        two of them go around the torus in the same way. The shortest way around is the shortest vector that
        returns to the start. If it has hops in both dimensions, two such staircases can enclose any number of
        nodes. Two straight lines enclose only full rings, and any other number costs two more links.
        """
        half = math.prod(self.sizes) // 2
        square = 2 * (math.isqrt(4 * half - 1) + 1)  # perimeter of the roundest shape, 2 * ceil(2 sqrt(half))
        width, height = self.sizes
        ring = height * (width // math.gcd(width, self.twist))
        straight = [2 * way + 2 * (half % way != 0) for way in (width, ring)]
        return min(square, *straight, 2 * self._shortest_staircase())

    def _shortest_staircase(self) -> int:
        """Return the length of the shortest vector with hops in both dimensions that returns to the start."""
        width, height = self.sizes
        shifts = ((rounds, rounds * self.twist % width) for rounds in range(1, width + 1))
        return min(rounds * height + (min(shift, width - shift) or width) for rounds, shift in shifts)


if TYPE_CHECKING:
    import networkx as nx


_AXES = "XYZUVW"


@dataclass(frozen=True, eq=False, repr=False)
class Grid(Topology):
    """A mesh, torus or twisted torus; every router is a node.

    Nodes are numbered with X fastest: node = x + X * (y + Y * z). Port ``2 * d`` leads to the next node in
    dimension d, and port ``2 * d + 1`` to the previous one. An input is named by the direction in which its
    packets travel, so a link that leaves through port p enters at input p, and the link back leaves through
    port ``p ^ 1``.

    A ring of n nodes has n links in each direction. On a torus, a side of 2 therefore has two parallel links
    (d+ and d-) from each of its two nodes to the other; both cover half of the ring. A side of 1 has no
    links, because they would lead from a node to itself. A grid can have a single node.

    Attributes
    ----------
    sizes : tuple of int
        Nodes along each dimension.
    wraps : bool
        Whether every dimension is closed into a ring.
    twist : int
        Number of nodes along X by which a packet is shifted when it passes from the end to the beginning of
        another dimension; otherwise 0.
    """

    sizes: tuple[int, ...]
    wraps: bool
    twist: int = 0

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
        """Return the coordinates of `nodes`, shape (..., dims); raise ValueError if one is not a node."""
        return np.asarray(self.check_nodes(nodes)[..., None] // self._strides % self.sizes)

    def node(self, coordinates: ArrayLike) -> NDArray[np.int64]:
        """Return the nodes at `coordinates` of shape (..., dims).

        Raise ValueError if a coordinate is not a whole number inside the grid, or their number is wrong.
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
        """Return the node that is to node 0 as `b` is to `a`; route records depend only on this node.

        Raise ValueError for a mesh, whose nodes are not equivalent.
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

        On a twisted torus, minimal routes can differ in these numbers; the result is the first of `records`.
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

    def records(self, a: int, b: int) -> NDArray[np.int64]:
        """Return every minimal route record from `a` to `b`: signed hops in each dimension, shape (k, dims).

        Rows are in lexicographic order. There are several if a displacement is half of an even ring, or if a
        twisted torus has several minimal routes.
        """
        gap = self._displacement(a, b)
        if self.twist:
            return self._twisted.records(gap)
        options = []
        for hops, size in zip(gap.tolist(), self.sizes, strict=True):
            ways = {hops, hops - size} if self.wraps else {hops}
            minimum = min(map(abs, ways))
            options.append(sorted(way for way in ways if abs(way) == minimum))
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
        """Smallest number of directed links from one half of the nodes to the other.

        The value is exact for any sides: J. Arjona Aroca and A. Fernández Anta, "Bisection (band)width of
        product networks with application to data centers", TAMC 2012. If the longest side is even, the cut
        goes straight across it. Otherwise, the cut goes through the middle of the longest side, and the
        remaining middle slice is cut in the same way along the next side, until a side is even. On a twisted
        torus of more than two dimensions, the value is an upper bound (see `best_cut`).
        """
        if self.twist and self.dims > 2:
            every = np.arange(self.nodes)
            return best_cut(self.neighbor, every, 0, self.coordinates(every))
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
            if twist and d > 0:
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
