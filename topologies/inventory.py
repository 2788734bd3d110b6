"""The parts of a network: switches, ports, cables by kind, and bisection."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.topologies.graph import Graph
from netplace.topologies.grid import Grid
from netplace.topologies.hierarchy import hierarchy
from netplace.topologies.topology import Topology
from netplace.topologies.tree import Tree

_MOST_CUTS = 1 << 14  # routers up to which cuts are looked for
Int = NDArray[np.int64]


@dataclass(frozen=True)
class Cables:
    """Cables of one kind, each of which is one link in each direction.

    Attributes
    ----------
    kind : str
        ``"node"`` (to a node, or to a compute node with several tasks), ``"local"`` or ``"global"`` if
        switches have groups, ``"dimension 1"`` and so on in grids, ``"level 1-2"`` and so on between the
        levels of a tree, and ``"local"`` between the switches of other networks.
    """

    kind: str
    count: int


@dataclass(frozen=True)
class Bisection:
    """The number of cables between two halves of the nodes (None if unknown), and its origin."""

    cables: int | None
    how: str


@dataclass(frozen=True)
class Inventory:
    """The parts of a network.

    Attributes
    ----------
    nodes : int
        Number of nodes, or of compute nodes if nodes run several tasks.
    switches : int
        Number of switches. On a network whose nodes are routers, such as a torus, each node counts as one.
    in_nodes : int
        Number of these switches that are themselves nodes.
    interfaces : int
        Number of network interfaces: one per cable to a node, or one per node that is a router.
    radix : int
        Largest number of ports of a switch.
    ports_used, ports_free : int
        Number of ports of all switches with a cable, and without one.
    cables : tuple of Cables
        Cables by kind; there are none inside compute nodes.
    """

    network: str
    nodes: int
    switches: int
    in_nodes: int
    interfaces: int
    radix: int
    ports_used: int
    ports_free: int
    cables: tuple[Cables, ...]
    bisection: Bisection


def inventory(topology: Topology) -> Inventory:
    """Return the parts of a network.

    Examples
    --------
    >>> from netplace.topologies import parse
    >>> made = inventory(parse("dragonfly:a=4,p=2,h=2"))
    >>> made.switches, made.radix, [(cables.kind, cables.count) for cables in made.cables]
    (36, 7, [('node', 72), ('local', 54), ('global', 36)])
    """
    nodes, inside = _compute_nodes(topology)
    own = isinstance(topology, Tree) or (isinstance(topology, Graph) and topology.first_switch > 0)
    first = topology.nodes if own else 0  # of the switches: nodes are routers of their own, or are switches
    last = topology.routers - inside
    router, port = np.nonzero(topology.neighbor >= 0)
    end = topology.neighbor[router, port].astype(np.int64)
    here, there = (((place >= first) & (place < last)) for place in (router, end))
    cable = here & (there | (end >= last) | (inside == 0))  # seen from a switch; others lie inside nodes
    used = int(cable.sum())
    wired = np.bincount(router[cable], minlength=topology.routers)
    radix = max(int(wired.max()), topology.ports if isinstance(topology, Grid | Tree) else 0)
    to_node = cable & ~there
    between = cable & there & (topology.has_given_routes | (router < end))
    of_kind, names = _kinds(topology, first, router[between], port[between], end[between])
    counts = dict(zip(names, np.bincount(of_kind, minlength=len(names)).tolist(), strict=True))
    counts = {"node": int(to_node.sum()), **counts}
    switches = last - first
    return Inventory(
        network=str(topology), nodes=nodes, switches=switches, in_nodes=0 if first else topology.nodes,
        interfaces=counts["node"] or nodes, radix=radix, ports_used=used, ports_free=radix * switches - used,
        cables=tuple(Cables(kind, count) for kind, count in counts.items() if count),
        bisection=_bisection(topology),
    )  # fmt: skip


def _compute_nodes(topology: Topology) -> tuple[int, int]:
    """Return the number of nodes, and the number of routers, the last ones, inside compute nodes."""
    if not isinstance(topology, Graph) or (topology.tasks == 1 and not topology.compute_nodes):
        return topology.nodes, 0
    hosts = topology.nodes // topology.tasks
    return hosts, hosts * (1 + topology.sockets if topology.sockets > 1 else 1)


def _kinds(topology: Topology, first: int, router: Int, port: Int, end: Int) -> tuple[Int, list[str]]:
    """Return the kind of each cable between two switches, as its index among names."""
    if isinstance(topology, Tree):
        stage = topology.stage_of(np.arange(topology.routers))
        return np.minimum(stage[router], stage[end]), [
            f"level {s}-{s + 1}" for s in range(1, topology.stages)
        ]
    if isinstance(topology, Grid):
        return port // 2, _dimensions(topology.ports // 2)
    assert isinstance(topology, Graph)
    a, b = router - first, end - first
    if topology.group is not None:
        return (topology.group[a] != topology.group[b]).astype(np.int64), ["local", "global"]
    if topology.axis is not None:
        axis = topology.axis[router, port]
        return axis, _dimensions(int(axis.max(initial=-1)) + 1)
    if topology.places is not None and hierarchy(topology) is not None:
        level = topology.places[:, 0]
        ends = np.stack((np.minimum(level[a], level[b]), np.maximum(level[a], level[b])), axis=1)
        pairs, which = np.unique(ends, axis=0, return_inverse=True)
        return which.ravel(), [f"level {low}-{high}" for low, high in pairs.tolist()]
    return np.zeros(len(router), np.int64), ["one-way" if topology.has_given_routes else "local"]


def _dimensions(count: int) -> list[str]:
    return [f"dimension {number}" for number in range(1, count + 1)]


def _bisection(topology: Topology) -> Bisection:
    formula = not isinstance(topology, Grid) or not topology.twist or topology.dims == 2
    if not isinstance(topology, Graph) and formula:
        return Bisection(topology.bisection_width, "exact, by the formula of grids and trees")
    if topology.has_given_routes:
        return Bisection(None, "not computed for links of one direction")
    if topology.routers > _MOST_CUTS:
        return Bisection(None, f"not computed for more than {_MOST_CUTS} routers and nodes")
    return Bisection(topology.bisection_width, "the best cut found by exchanges of nodes")
