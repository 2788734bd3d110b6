"""The base class of all networks: routers, ports, links, and distances between nodes."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.inputs import abbreviate, check_int
from netplace.records import array_of, check_fields, freeze_arrays

if TYPE_CHECKING:
    import networkx as nx


_MOST = 2**31 - 1  # of routers and ports
_NONE = np.zeros(0, np.int64)
_NONE.setflags(write=False)
_BLOCK = 2**22  # entries of a distance matrix computed at a time: bounds the memory of intermediate arrays


@dataclass(frozen=True, eq=False, repr=False)
class Topology(ABC):
    """A network of ``nodes`` nodes and ``routers`` routers, connected by directed links between ports.

    Node ``i`` is router ``i``; routers from ``nodes`` on are switches without a node. On a mesh or torus,
    every router is a node. On a tree, a node is a router with one port, whose link to its first switch is an
    ordinary link. The arrays are read-only.

    Attributes
    ----------
    text : str
        Canonical text form, such as ``"torus:8x8"``; `netplace.topologies.parse` reads it back.
    neighbor : ndarray of int32, shape (routers, ports)
        Router at the other end of the link that leaves through each port, or -1.
    entry : ndarray of int32, shape (routers, ports)
        Number of the input port through which that link enters the neighbor, or -1. On meshes and tori, an
        input is named by the direction in which its packets travel, so ``entry[r, p] == p``.
    """

    text: str
    nodes: int
    routers: int
    neighbor: NDArray[np.int32]
    entry: NDArray[np.int32]

    def __post_init__(self) -> None:
        check_fields(self)
        shape = self.neighbor.shape
        if len(shape) != 2 or shape[0] != self.routers or shape[1] < 1 or self.entry.shape != shape:
            raise ValueError(
                f"network {self.text}: neighbor of shape {shape} and entry of shape {self.entry.shape}, "
                f"expected a row of ports for each of {self.routers} routers"
            )
        for name, array in (("neighbor", self.neighbor), ("entry", self.entry)):
            if array.dtype.kind not in "iu" or array.min(initial=0) < -1 or array.max(initial=0) > _MOST:
                raise ValueError(f"network {self.text}: {name} must be whole numbers from -1 to {_MOST}")
            object.__setattr__(self, name, array.astype(np.int32, copy=False))
        if not 1 <= self.nodes <= self.routers:
            raise ValueError(f"network {self.text}: {self.nodes} nodes, expected 1 to {self.routers}")
        freeze_arrays(self)

    @property
    def has_given_routes(self) -> bool:
        """Whether the network gives its routes, along links that lead in one direction."""
        return False

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.text}>"

    @property
    def service(self) -> NDArray[np.int64]:
        """Nodes that do not compute, in increasing order; see `with_service`."""
        service_nodes: NDArray[np.int64] = self.__dict__.get("_service", _NONE)
        return service_nodes

    @property
    def hosts(self) -> tuple[str, ...]:
        """Names of the nodes, if the file of the network contains them; otherwise empty."""
        names: tuple[str, ...] = self.__dict__.get("_hosts", ())
        return names

    @property
    def origin(self) -> str:
        """Format and size of the file that the network was read from; otherwise empty."""
        origin: str = self.__dict__.get("_origin", "")
        return origin

    @property
    def computing(self) -> NDArray[np.int64]:
        """Nodes that compute, in increasing order."""
        every = np.arange(self.nodes)
        return np.setdiff1d(every, self.service) if len(self.service) else every

    @property
    def ports(self) -> int:
        """Largest number of ports of a router."""
        return int(self.neighbor.shape[1])

    @abstractmethod
    def distance(self, a: ArrayLike, b: ArrayLike) -> NDArray[np.int64]:
        """Return the hops of a minimal route between nodes `a` and `b`, broadcast against each other."""

    @property
    @abstractmethod
    def diameter(self) -> int:
        """Largest distance between two nodes, in hops."""

    @property
    @abstractmethod
    def average_distance(self) -> float:
        """Mean distance over all ordered pairs of different nodes, in hops; 0 for a single node."""

    @property
    @abstractmethod
    def bisection_width(self) -> int:
        """Smallest number of directed links from one half of the nodes to the other.

        The halves differ by at most one node; each switch counts on the side where it cuts fewest links.
        """

    def links(self) -> NDArray[np.int32]:
        """Return the directed links, shape (links, 4); the row number of a link is its identifier.

        Rows are (router, port, neighbor, entry port), sorted by router, then port.
        """
        router, port = np.nonzero(self.neighbor >= 0)
        end, entry = self.neighbor[router, port], self.entry[router, port]
        return np.stack((router, port, end, entry), axis=1).astype(np.int32)

    @cached_property
    def link_number(self) -> NDArray[np.int32]:
        """Identifier of the link that leaves through each port, shape (routers, ports), or -1."""
        wired = self.neighbor >= 0
        number = np.where(wired, np.cumsum(wired).reshape(wired.shape) - 1, -1).astype(np.int32)
        number.setflags(write=False)
        return number

    def neighbours(self, router: int) -> NDArray[np.int32]:
        """Return the different routers to which links of `router` lead, in increasing order."""
        if not 0 <= router < self.routers:
            raise ValueError(f"router: {router} is not in 0..{self.routers - 1} of {self.text}")
        ends = np.unique(self.neighbor[router])
        return ends[ends >= 0]

    def link_name(self, router: int, port: int) -> str:
        """Return the name of a link, such as ``node 3 -> switch 20``, or ``5 -> 6 (X+)`` on a grid.

        The port number after the last one stands for ejection at the router.
        """
        check_int(router, "router", minimum=0, maximum=self.routers - 1)
        check_int(port, "port", minimum=0, maximum=self.ports)
        if port == self.ports:
            return f"consumption at {router}"
        return self._link_between(router, int(self.neighbor[router, port]), port)

    def _link_between(self, router: int, end: int, port: int) -> str:
        return " -> ".join(
            f"node {each}" if each < self.nodes else f"switch {each}" for each in (router, end)
        )

    def distances(self, nodes: ArrayLike | None = None) -> NDArray[np.int16] | NDArray[np.int32]:
        """Return the matrix of distances among `nodes`, or among all nodes, in hops, shape (n, n).

        The data type is int16, or int32 if the diameter does not fit.
        """
        chosen = np.arange(self.nodes) if nodes is None else np.atleast_1d(self.check_nodes(nodes)).ravel()
        dtype = np.int16 if self.diameter <= np.iinfo(np.int16).max else np.int32
        matrix = np.empty((len(chosen), len(chosen)), dtype)
        rows = max(1, _BLOCK // max(1, len(chosen)))
        for first in range(0, len(chosen), rows):
            block = chosen[first : first + rows]
            matrix[first : first + rows] = self.distance(block[:, None], chosen)
        return matrix

    def to_networkx(self) -> nx.MultiDiGraph[Any]:
        """Return the directed multigraph of routers, with everything that `from_networkx` needs.

        Edges have ``port``, ``entry`` and ``link``. Vertices have ``nodes`` (1 for a node, 0 for a switch
        without a node), and ``service`` if a node does not compute. See `Graph.to_networkx` for other
        attributes.
        """
        import networkx as nx

        graph: nx.MultiDiGraph[Any] = nx.MultiDiGraph(name=self.text)
        graph.graph["first_switch"] = self.nodes if self.routers > self.nodes else 0
        graph.add_nodes_from((router, {"nodes": int(router < self.nodes)}) for router in range(self.routers))
        graph.add_nodes_from(self.service.tolist(), service=1)
        for number, (router, port, end, entry) in enumerate(self.links().tolist()):
            graph.add_edge(router, end, port=port, entry=entry, link=number)
        return graph

    def check_nodes(self, nodes: ArrayLike) -> NDArray[np.int64]:
        """Return `nodes` as int64; raise ValueError if one of them is not a whole number or not a node."""
        given = array_of(nodes, "node")
        if given.size == 0:
            return given.astype(np.int64)
        if given.dtype.kind not in "iu":
            raise ValueError(f"node: {abbreviate(given.flat[:1].tolist()[0])} is not a whole number")
        wrong = (given < 0) | (given >= self.nodes)
        if wrong.any():
            raise ValueError(f"node: {given[wrong][0]} is not in 0..{self.nodes - 1} of {self.text}")
        return given.astype(np.int64)

    def check_pairs(self, a: ArrayLike, b: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return `a` and `b` as int64.

        Raise ValueError if one of them is not a node, or they cannot be broadcast against each other.
        """
        first, second = self.check_nodes(a), self.check_nodes(b)
        try:
            np.broadcast_shapes(first.shape, second.shape)
        except ValueError:
            raise ValueError(
                f"node: arrays of shapes {first.shape} and {second.shape} do not match"
            ) from None
        return first, second


def named(topology: Topology, text: str) -> Topology:
    """Return the same network under another text form, from which it can be created again."""
    if not isinstance(topology, Topology):
        raise ValueError(f"network {text!r}: is a {type(topology).__name__}, expected a Topology")
    twin = copy.copy(topology)
    object.__setattr__(twin, "text", text)
    return twin
