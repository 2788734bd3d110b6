"""Networks whose parts fail or slow down during a run; routers and ports keep their numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.topologies.faults import Pairs, cables_between, cables_of, check_routers, drawn, link_cycles
from netplace.topologies.graph import Graph
from netplace.topologies.routing import default_on
from netplace.topologies.routing.switches import Switches
from netplace.topologies.topology import Topology

__all__ = ["failing"]


def failing(
    of: Topology,
    *,
    down: Pairs = (),
    off: tuple[int, ...] = (),
    slowed: Pairs = (),
    links: float = 0.0,
    routers: float = 0.0,
    slow: float = 0.0,
    seed: int = 0,
    slow_cycles: int = 0,
) -> Graph:
    """Return the network that remains after links and routers fail or slow down; numbers stay the same.

    If the network falls into several parts, the part with the most nodes remains (if several are equally
    large, the part that contains the lowest-numbered node). All other routers count as down, and their nodes
    as cut off (`Graph.cut`). If compute nodes are connected to several planes, this applies to each plane
    separately, because no route leads through a compute node. The compute nodes that remain are those of the
    plane that then has the most of them (if several have equally many, the first), so that all have a plane
    in common.

    Parameters
    ----------
    down, slowed : sequence of (int, int)
        Pairs of routers; all links between them fail, or become slow, in both directions.
    off : tuple of int
        Routers that fail.
    links, routers, slow, seed
        Shares of the cables between switches and of the switches that fail in addition, and of the cables
        that become slow, and the seed that draws them, as in `netplace.topologies.faulty`.
    slow_cycles : int
        Cycles per phit of slow links; 0 means twice as many as before the fault.
    """
    check_routers(of, [*off, *(end for pair in (*down, *slowed) for end in pair)])
    known = cables_of(of, 0)
    cables, more, slower = drawn(of, links, routers, slow, seed)
    rows = np.concatenate((cables_between(of, known, down), cables))
    slower = np.concatenate((cables_between(of, known, slowed), slower))
    neighbor, entry = of.neighbor.copy(), of.entry.copy()
    for router, port in (*rows[:, :2].tolist(), *rows[:, 2:].tolist()):
        neighbor[router, port] = -1
    gone = np.zeros(of.routers, bool)
    gone[[*off, *more.tolist()]] = True
    switches = Switches.of(of)
    alive = _remaining(of, neighbor, gone, switches)
    neighbor[~alive] = -1
    neighbor[(neighbor >= 0) & ~alive[neighbor]] = -1
    entry[neighbor < 0] = -1
    return Graph(
        of.text, of.nodes, of.routers, neighbor, entry,
        first_switch=switches.first,
        home=of.home if isinstance(of, Graph) else switches.home + switches.first,
        cycles=link_cycles(of, slower, slow_cycles),
        delay=of.delay if isinstance(of, Graph) else np.zeros(neighbor.shape, np.int32),
        group=switches.group,
        usual=default_on(of),
        cut=~alive[: of.nodes],
        compute_nodes=switches.compute_nodes,
        planes=switches.planes,
        tasks=of.tasks if isinstance(of, Graph) else 1,
        sockets=switches.sockets,
    )  # fmt: skip


def _remaining(
    of: Topology, neighbor: NDArray[np.int32], gone: NDArray[np.bool_], switches: Switches
) -> NDArray[np.bool_]:
    """Return the remaining routers: the largest part of each plane, and the compute nodes of the best one."""
    if switches.planes == 1:
        return _largest_part(of, neighbor, gone, switches)
    first = switches.first
    network = np.zeros(of.routers, bool)
    network[first : first + switches.planes * switches.of_plane] = True
    alive = np.zeros(of.routers, bool)
    nodes = np.zeros(of.routers, bool)
    for plane in range(switches.planes):
        begin = first + plane * switches.of_plane
        others = network.copy()
        others[begin : begin + switches.of_plane] = False
        try:
            part = _largest_part(of, neighbor, gone | others, switches)
        except ValueError:  # nothing of this plane is left
            continue
        alive |= part & network
        if part[: of.nodes].sum() > nodes[: of.nodes].sum():
            nodes = part & ~network
    if not nodes.any():
        raise ValueError(f"{of}: no node remains")
    return alive | nodes


def _largest_part(
    of: Topology, neighbor: NDArray[np.int32], gone: NDArray[np.bool_], switches: Switches
) -> NDArray[np.bool_]:
    """Return the routers of the connected part with the most nodes that have a switch."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    router, port = np.nonzero(neighbor >= 0)
    end = neighbor[router, port]
    kept = ~gone[router] & ~gone[end]
    links = coo_array((np.ones(kept.sum(), bool), (router[kept], end[kept])), (of.routers,) * 2)
    _, part = connected_components(links, directed=False)
    home = switches.home + switches.first
    here = (switches.home >= 0) & ~gone[: of.nodes] & ~gone[home]
    node = np.flatnonzero(here & (part[: of.nodes] == part[home]))
    if not node.size:
        raise ValueError(f"{of}: no node remains")
    most = int(np.bincount(part[node]).argmax())
    best = part[node[np.bincount(part[node])[part[node]] == np.bincount(part[node])[most]][0]]
    return np.asarray((part == best) & ~gone)
