"""Networks with arbitrary wiring: switches, their nodes, and cables of any speed and length."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.topologies.graph_arrays import ARRAYS, adjacency, all_hops, checked_arrays
from netplace.topologies.limits import check_memory
from netplace.topologies.rates import Rates
from netplace.topologies.topology import Topology

if TYPE_CHECKING:
    import networkx as nx

Int = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Graph(Topology):
    """A network given by its cables.

    There are two kinds. In a **direct** network, each router has at most one node and is that node, as on a
    grid. Otherwise, nodes are routers 0..nodes-1 with one port each, and the link to their switch is an
    ordinary link, as on a tree. The other routers are switches. Their ports are numbered: first those to
    other switches, in the order of the cables, and then those to nodes.

    Attributes
    ----------
    first_switch : int
        Number of the first switch: 0 on a direct network, otherwise `nodes`.
    home : ndarray of int64, shape (nodes,)
        Router to which each node is connected; on a direct network, the node itself.
    cycles, delay : ndarray of int32, shape (routers, ports)
        Cycles per phit (at least 1) and additional cycles of a header of the link that leaves through each
        port.
    group : ndarray of int64, shape (switches,), or None
        Group of each switch, such as that of a dragonfly.
    places : ndarray of int64, shape (switches, n), or None
        Coordinates of each switch.
    names : tuple of str
        Names of the switches if a file contains any; otherwise empty.
    closes : ndarray of bool, shape (routers, ports), or None
        On a torus, whether each link closes a ring.
    axis : ndarray of int64, shape (routers, ports), or None
        On a grid of switches and on a HyperX, the dimension of each link.
    default_routing : str
        Default routing; see `netplace.topologies.routing.ROUTINGS`.
    cut : ndarray of bool, shape (nodes,), or None
        Nodes that have been cut off; see `netplace.topologies.faults.failing`.
    compute_nodes : int
        Number of switches that are compute nodes with several tasks, or their sockets; they are the last
        ones. Routes do not lead through them, and packets do not choose among routes there; see
        `netplace.topologies.compute_nodes`. In a tree, compute nodes are ordinary leaf switches, and this
        number is 0.
    sockets : int
        Number of sockets per compute node. If there are several, each is a switch; sockets are numbered after
        all compute nodes, with those of the same compute node next to each other.
    planes : int
        Number of copies of the same network that the other switches form.
    tasks : int
        Number of nodes per compute node, each of which is a place for a task; they are numbered
        consecutively.
    rates : Rates or None
        Speed of the fastest links, if a file gives speeds.
    of : Topology or None
        Network whose nodes became compute nodes.
    ways : ndarray of int16, shape (switches, switches), or None
        Port of each switch to each other if a file gives routes, or -1; see the routing ``given``.
    """

    first_switch: int
    home: Int
    cycles: NDArray[np.int32]
    delay: NDArray[np.int32]
    group: Int | None = None
    places: Int | None = None
    names: tuple[str, ...] = ()
    closes: NDArray[np.bool_] | None = None
    axis: Int | None = None
    default_routing: str = "up-down"
    cut: NDArray[np.bool_] | None = None
    compute_nodes: int = 0
    planes: int = 1
    tasks: int = 1
    sockets: int = 1
    rates: Rates | None = None
    of: Topology | None = None
    ways: NDArray[np.int16] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.first_switch not in (0, self.nodes):
            raise ValueError(
                f"network {self.text}: first_switch is {self.first_switch}, expected 0 or {self.nodes}"
            )
        if self.planes < 1 or self.sockets < 1 or self.tasks < 1:
            raise ValueError(f"network {self.text}: planes, sockets and tasks must be 1 or more")
        given = {name: getattr(self, name) for name in ARRAYS}
        for name, array in checked_arrays(self, self.first_switch, given).items():
            object.__setattr__(self, name, array)
        if len(self.names) not in (0, self.switches):
            raise ValueError(
                f"network {self.text}: {len(self.names)} names, expected one for each of "
                f"{self.switches} switches"
            )

    @property
    def has_given_routes(self) -> bool:
        return self.ways is not None

    @property
    def switches(self) -> int:
        """Number of routers that are switches."""
        return self.routers - self.first_switch

    @property
    def ends(self) -> int:
        """Number of links of a route in addition to those between switches: 2, or 0 on a direct network."""
        return 2 if self.first_switch else 0

    @cached_property
    def switch_hops(self) -> NDArray[np.int16]:
        """Distances between switches, shape (switches, switches)."""
        check_memory(self.text, self.switches**2 * 10, "its table of distances")
        return all_hops(self.neighbor[self.first_switch :] - self.first_switch)

    def distance(self, a: ArrayLike, b: ArrayLike) -> NDArray[np.int64]:
        """Return the hops of a minimal route between nodes `a` and `b`, broadcast against each other."""
        a, b = self.check_pairs(a, b)
        there = self.home - self.first_switch
        hops = self.switch_hops[there[a], there[b]].astype(np.int64)
        return np.where(np.equal(a, b), 0, hops + self.ends)

    def dimension_distances(self, a: ArrayLike, b: ArrayLike) -> NDArray[np.int64]:
        """Return the hops in each dimension of a minimal route from `a` to `b`, shape (..., dims).

        Links to nodes do not count. Raise ValueError if the switches do not form a grid.
        """
        if self.axis is None or self.places is None:
            raise ValueError(f"{self.text}: its switches form no grid, so it has no dimensions")
        sizes = self.places.max(axis=0) + 1
        strides = np.cumprod([1, *sizes[:-1]])
        number = np.empty(self.switches, np.int64)
        number[self.places @ strides] = np.arange(self.switches)
        here, there = (self.home[nodes] - self.first_switch for nodes in self.check_pairs(a, b))
        place, goal = self.places[here], self.places[there]
        along = []
        for d, stride in enumerate(strides):
            stop = number[place @ strides + (goal[..., d] - place[..., d]) * stride]
            along.append(self.switch_hops[here, stop].astype(np.int64))
        return np.stack(along, axis=-1)

    @cached_property
    def _nodes_at(self) -> Int:
        return np.bincount(self.home - self.first_switch, minlength=self.switches)

    @cached_property
    def diameter(self) -> int:
        """Largest distance between two nodes, in hops."""
        if self.nodes == 1:
            return 0
        with_nodes = np.flatnonzero(self._nodes_at)
        return int(self.switch_hops[np.ix_(with_nodes, with_nodes)].max()) + self.ends

    @cached_property
    def average_distance(self) -> float:
        """Mean distance over all ordered pairs of different nodes, in hops; 0 for a single node."""
        if self.nodes == 1:
            return 0.0
        at = self._nodes_at.astype(np.float64)
        between = float(at @ self.switch_hops @ at)
        return between / (self.nodes * (self.nodes - 1)) + self.ends

    def to_networkx(self) -> nx.MultiDiGraph[Any]:
        """Return the directed multigraph of routers, with everything that `from_networkx` needs.

        In addition to the attributes of every network, switches have ``group``, ``place`` (coordinates,
        separated by spaces) and ``name``; edges have ``cycles``, ``delay``, ``axis`` and ``closes``; and the
        graph has ``default_routing`` and others. GraphML can hold all values.
        """
        made = super().to_networkx()
        made.graph.update(
            first_switch=self.first_switch, default_routing=self.default_routing,
            compute_nodes=self.compute_nodes, planes=self.planes, tasks=self.tasks, sockets=self.sockets,
        )  # fmt: skip
        for switch in range(self.switches):
            about = made.nodes[self.first_switch + switch]
            if self.group is not None:
                about["group"] = int(self.group[switch])
            if self.places is not None:
                about["place"] = " ".join(map(str, self.places[switch].tolist()))
            if self.names:
                about["name"] = self.names[switch]
        tables = {"cycles": self.cycles, "delay": self.delay, "axis": self.axis, "closes": self.closes}
        for router, _, data in made.edges(data=True):
            for key, table in tables.items():
                if table is not None:
                    data[key] = int(table[router, data["port"]])
        return made

    @cached_property
    def bisection_width(self) -> int:
        """Smallest number found of directed links from one half of the nodes to the other: an upper bound.

        See `best_cut`. Finding the minimum is NP-hard.
        """
        return best_cut(self.neighbor, self.home, self.first_switch, self.places)


def check_connected(made: Graph) -> None:
    """Raise ValueError, naming a node, if some node cannot reach another."""
    seen = np.zeros(made.routers, bool)
    own = np.arange(made.nodes) if made.first_switch else made.home  # the link to a node may be gone as well
    reached = own[:1]
    seen[reached] = True
    while reached.size:
        ends = np.unique(made.neighbor[reached].astype(np.int64))
        reached = ends[(ends >= 0)]
        reached = reached[~seen[reached]]
        seen[reached] = True
    lost = np.flatnonzero(~seen[own])
    if lost.size:
        shown = ", ".join(map(str, lost[:8].tolist())) + (", .." if lost.size > 8 else "")
        raise ValueError(
            f"{made.text}: not connected, {lost.size} of {made.nodes} nodes cannot be reached "
            f"from node 0: {shown}"
        )


_ROUNDS = 50
_DENSE = 1500  # switches up to which the eigenvector is computed

Links = Any  # scipy.sparse.csr_array


def best_cut(
    neighbor: NDArray[np.integer[Any]], home: NDArray[np.int64], first_switch: int,
    places: NDArray[np.int64] | None = None,
) -> int:  # fmt: skip
    """Return the fewest links, in one direction, found between two halves of the nodes.

    The search tries halves by node number, by each coordinate of the switches, and by the second eigenvector
    of the Laplacian (M. Fiedler, "Algebraic connectivity of graphs", Czechoslovak Math. J. 23 (1973)
    298-305). It improves each of them: it exchanges the pair of nodes with the largest gain, and moves
    switches to the side where they cost less, until there is no gain (after B. W. Kernighan and S. Lin, Bell
    System Tech. J. 49 (1970) 291-307). It also tries half of the nodes without any switch, which cuts as many
    links as these nodes have.

    `neighbor`, shape (routers, ports): router at the other end of each port; negative if there is none.
    `home`, shape (nodes,): router of each node; the nodes themselves are routers 0, 1, and so on.
    `places`, shape (switches, n): coordinates of the switches.
    """
    links = adjacency(neighbor)
    orders = _orders(links, first_switch)
    if places is not None:
        orders += list(places.T.astype(np.float64))
    found = [_improved(links, _halves(links, order, home, first_switch), len(home)) for order in orders]
    if first_switch:
        own = np.sort((neighbor[:first_switch] >= 0).sum(axis=1))
        found.append(int(own[: len(home) // 2].sum()))
    return min(found)


def _orders(links: Links, first_switch: int) -> list[NDArray[np.float64]]:
    """Return values by which switches are sorted before they are halved."""
    import scipy.sparse.csgraph
    import scipy.sparse.linalg

    between = links[first_switch:, first_switch:].astype(np.float64)
    switches = between.shape[0]
    orders = [np.arange(switches, dtype=np.float64)]
    if 2 < switches <= _DENSE:
        laplacian = scipy.sparse.csgraph.laplacian(between).toarray()
        orders.append(np.linalg.eigh(laplacian)[1][:, 1])
    return orders


def _halves(
    links: Links, order: NDArray[np.float64], home: NDArray[np.int64], first_switch: int
) -> NDArray[np.bool_]:
    """Return which routers are on the first side: half of the nodes, and switches with most of theirs."""
    nodes = len(home)
    side = np.zeros(links.shape[0], np.bool_)
    value = order[home - first_switch]
    first = np.argsort(value, kind="stable")[: nodes // 2]
    side[first_switch:] = order < np.median(value)
    side[first] = True
    if first_switch:
        votes = np.bincount(home, np.where(side[:nodes], 1.0, -1.0), minlength=links.shape[0])
        side = np.where(votes == 0, side, votes > 0)
    side[:nodes] = False
    side[first] = True
    return _settled(links, side, nodes)


def _settled(links: Links, side: NDArray[np.bool_], nodes: int) -> NDArray[np.bool_]:
    """Return the sides after moving switches one by one to where they cost less, the largest gain first."""
    side = side.copy()
    for _ in range(links.shape[0] - nodes):
        pull = (links @ np.where(side, 1.0, -1.0))[nodes:]
        loss = np.where(side[nodes:], -pull, pull)
        if loss.max() <= 0:
            break
        side[nodes + loss.argmax()] ^= True
    return side


def _cut(links: Links, side: NDArray[np.bool_]) -> int:
    return round(float(side.astype(np.float64) @ (links @ (~side).astype(np.float64))))


def _improved(links: Links, side: NDArray[np.bool_], nodes: int) -> int:
    """Return the cut after exchanges of nodes with a gain."""
    best = _cut(links, side)
    for _ in range(_ROUNDS):
        gain = links @ np.where(side, -1.0, 1.0) * np.where(side, 1.0, -1.0)
        here, there = np.flatnonzero(side[:nodes]), np.flatnonzero(~side[:nodes])
        if not here.size:
            break
        changed = side.copy()
        changed[[here[gain[here].argmax()], there[gain[there].argmax()]]] ^= True
        changed = _settled(links, changed, nodes)
        if _cut(links, changed) >= best:
            break
        side, best = changed, _cut(links, changed)
    return best
