"""The switches of any network for routing: numbered from 0, without the links to nodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.records import freeze_arrays
from netplace.topologies.graph import Graph
from netplace.topologies.graph_arrays import all_hops
from netplace.topologies.grid import Grid
from netplace.topologies.limits import check_memory
from netplace.topologies.topology import Topology
from netplace.topologies.tree import Tree


@dataclass(frozen=True, eq=False)
class Switches:
    """The switches of a network and the links between them.

    Attributes
    ----------
    first : int
        Router number of switch 0.
    neighbor : ndarray of int64, shape (switches, ports)
        Switch at the other end of each port; -1 if there is none, or a node.
    home : ndarray of int64, shape (nodes,)
        Switch to which each node is connected; -1 if the node has been cut off.
    group, places, axis, closes
        As in `netplace.topologies.graph.Graph`, indexed by switch, or by switch and port.
    direct : bool
        Whether every node is a switch.
    compute_nodes, planes, sockets, ways
        As in `netplace.topologies.graph.Graph`.
    """

    text: str
    first: int
    neighbor: NDArray[np.int64]
    home: NDArray[np.int64]
    group: NDArray[np.int64] | None
    places: NDArray[np.int64] | None
    axis: NDArray[np.int64] | None
    closes: NDArray[np.bool_] | None
    direct: bool
    compute_nodes: int = 0
    planes: int = 1
    sockets: int = 1
    ways: NDArray[np.int16] | None = None

    def __post_init__(self) -> None:
        freeze_arrays(self)

    @staticmethod
    def of(topology: Topology) -> Switches:
        """Return the switches of a network of any kind."""
        if isinstance(topology, Graph):
            first, home = topology.first_switch, topology.home - topology.first_switch
            if topology.cut is not None:
                home = np.where(topology.cut, -1, home)
            neighbor = topology.neighbor[first:].astype(np.int64) - first
            axis = None if topology.axis is None else topology.axis[first:]
            closes = None if topology.closes is None else topology.closes[first:]
            return Switches(
                topology.text, first, np.where(neighbor >= 0, neighbor, -1), home,
                topology.group, topology.places, axis, closes, first == 0,
                topology.compute_nodes, topology.planes, topology.sockets, topology.ways,
            )  # fmt: skip
        if isinstance(topology, Grid):
            neighbor = topology.neighbor.astype(np.int64)
            places = topology.coordinates(np.arange(topology.nodes))
            axis = np.broadcast_to(np.arange(topology.ports) // 2, neighbor.shape)
            end = np.array(topology.sizes) - 1
            closes = np.zeros(neighbor.shape, bool)
            if topology.wraps:
                closes[:, 0::2], closes[:, 1::2] = places == end, places == 0
            return Switches(
                topology.text, 0, neighbor, np.arange(topology.nodes), None, places, axis, closes, True
            )
        if isinstance(topology, Tree):
            first = topology.nodes
            neighbor = topology.neighbor[first:].astype(np.int64) - first
            home = np.arange(topology.nodes) // topology.down
            stage = topology.stage_of(np.arange(first, topology.routers)) + 1
            number = np.arange(len(stage)) + first - np.array(topology.first_switches)[stage - 1]
            places = np.stack((stage, number), axis=1)
            return Switches(
                topology.text, first, np.where(neighbor >= 0, neighbor, -1), home, None, places, None, None,
                False,
            )  # fmt: skip
        raise ValueError(f"{topology}: the switches of this kind of network are unknown")

    @property
    def count(self) -> int:
        """Number of switches."""
        return len(self.neighbor)

    @property
    def ports(self) -> int:
        """Largest number of ports of a switch."""
        return int(self.neighbor.shape[1])

    @cached_property
    def turn(self) -> NDArray[np.int64]:
        """Keys that put the first port to each switch before the second one to any, as `neighbor`."""
        order = np.argsort(self.neighbor, axis=1, kind="stable")
        ends = np.take_along_axis(self.neighbor, order, axis=1)
        place = np.arange(self.ports)
        begins = np.where(np.diff(ends, axis=1, prepend=-2) != 0, place, 0)
        parallel = np.empty_like(order)  # of the ports to the same switch, which it is
        np.put_along_axis(parallel, order, place - np.maximum.accumulate(begins, axis=1), axis=1)
        return parallel * self.ports + place

    @property
    def of_plane(self) -> int:
        """Number of switches in each plane."""
        return (self.count - self.compute_nodes) // self.planes

    @cached_property
    def gate(self) -> NDArray[np.int64]:
        """Switch of the first plane to which a node or its compute node is connected; -1 if cut off."""
        if not self.compute_nodes:
            return self.home
        first = self.count - self.compute_nodes
        return np.where(self.home >= 0, self.above[self.host_of(np.maximum(self.home, first))], -1)

    @cached_property
    def above(self) -> NDArray[np.int64]:
        """Switch to which a compute node is connected (the same number in every plane); -1 if cut off."""
        first = self.count - self.compute_nodes
        near = self.neighbor[first : first + self.hosts]
        switch = np.where(near < first, near, -1).max(axis=1)
        return np.where(switch >= 0, switch % self.of_plane, -1)

    @property
    def hosts(self) -> int:
        """Number of compute nodes, without their sockets."""
        return self.compute_nodes // (1 + self.sockets) if self.sockets > 1 else self.compute_nodes

    def host_of(self, switch: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number (from 0) of the compute node to which each of the given switches belongs."""
        number = switch - (self.count - self.compute_nodes)
        return np.where(number < self.hosts, number, (number - self.hosts) // self.sockets)

    @cached_property
    def joined(self) -> NDArray[np.bool_]:
        """Whether each compute node has a link to each plane, shape (compute nodes, planes)."""
        first = self.count - self.compute_nodes
        near = self.neighbor[first : first + self.hosts]
        in_network = (near >= 0) & (near < first)
        planes = np.arange(self.planes)[:, None, None]
        return np.asarray((in_network & (near // self.of_plane == planes)).any(axis=2).T)

    @cached_property
    def planes_alike(self) -> bool:
        """Whether all planes have the same links, as they do unless something has failed."""
        n = self.of_plane
        first = n * self.planes
        inside = self.neighbor[:first].reshape(self.planes, n, -1)
        shift = np.arange(self.planes)[:, None, None] * n
        inside = np.where((inside >= 0) & (inside < first), inside - shift, -1)
        return bool((inside == inside[:1]).all() and (self.joined == self.joined[:, :1]).all())

    def plane(self, number: int) -> Switches:
        """Return the switches of one plane, with the nodes of all compute nodes that are connected to it."""
        n, first = self.of_plane, self.count - self.compute_nodes
        here = slice(number * n, (number + 1) * n)

        def cut(values: NDArray[Any] | None) -> Any:
            return None if values is None else values[here]

        neighbor = self.neighbor[here]
        neighbor = np.where((neighbor >= 0) & (neighbor < first), neighbor - number * n, -1)
        host = self.host_of(np.maximum(self.home, first))
        home = np.where(self.joined[host, number], self.gate, -1)
        group = cut(self.group)  # every plane has its own numbers
        if group is not None:
            group = group - group.min()
        return Switches(
            self.text, self.first + number * n, neighbor, home, group,
            cut(self.places), cut(self.axis), cut(self.closes), self.direct,
        )  # fmt: skip

    @property
    def is_tree(self) -> bool:
        """Whether the switches have levels, as in a tree; a level is the first coordinate of a place."""
        return self.places is not None and self.axis is None and self.group is None

    @cached_property
    def hops(self) -> NDArray[np.int16]:
        """Distances between switches, shape (switches, switches)."""
        check_memory(self.text, self.count**2 * 10, "its table of distances")
        return all_hops(self.neighbor)

    @cached_property
    def parts(self) -> NDArray[np.int64] | None:
        """Groups by which packets are routed; None if there are no groups, or if few of them are connected.

        The groups of a dragonfly are all connected to each other. If fewer than two thirds of all pairs are
        connected, as on a Slim Fly, whose groups are racks, routes do not go group by group.
        """
        if self.group is None:
            return None
        here, port = np.nonzero(self.neighbor >= 0)
        a, b = self.group[here], self.group[self.neighbor[here, port]]
        present = len(np.unique(self.group[self.with_nodes]))
        joined = len(np.unique(np.stack((a, b))[:, a < b], axis=1).T)
        return self.group if 3 * joined >= present * (present - 1) else None

    @cached_property
    def with_nodes(self) -> NDArray[np.int64]:
        """Switches with nodes."""
        return np.unique(self.home[self.home >= 0])
