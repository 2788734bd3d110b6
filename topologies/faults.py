"""Networks with faults: links and routers that are down, and slow links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import abbreviate, check_float, check_int
from netplace.topologies.graph import Graph, check_connected
from netplace.topologies.host_lists import with_hosts
from netplace.topologies.limits import MOST_CYCLES
from netplace.topologies.routing import default_on
from netplace.topologies.routing.switches import Switches
from netplace.topologies.topology import Topology

Pairs = Sequence[tuple[int, int]]
Rows = NDArray[np.int64]


def faulty(
    of: Topology, links: float = 0.0, routers: float = 0.0, slow: float = 0.0, seed: int = 0,
    cycles: int | None = None,
) -> Graph:  # fmt: skip
    """Return a network in which shares of the cables and switches, drawn by `seed`, are down or slow.

    Parameters
    ----------
    links, routers, slow : float
        Shares (0 to 1) of the cables between switches that are down, of the switches that are down, and of
        the remaining cables that are slow. The numbers of cables and switches are rounded.
    cycles : int, optional
        Cycles per phit of slow cables; by default, twice as many as before.

    Raises
    ------
    ValueError
        If a share is out of range, or the remaining network is not connected.

    Examples
    --------
    >>> from netplace.topologies import parse
    >>> faulty(parse("torus:4x4"), links=0.1, seed=1).text
    'faulty:links=0.1,seed=1/torus:4x4'
    """
    given = {"links": links, "routers": routers, "slow": slow}
    shares = {name: check_float(share, f"faulty: {name}", 0, 1) for name, share in given.items()}
    seed = check_int(seed, "faulty: seed", 0)
    parts = [f"{name}={share:g}" for name, share in shares.items() if share]
    if seed:
        parts.append(f"seed={seed}")
    if cycles is not None:
        cycles = check_int(cycles, "faulty: cycles", 1, MOST_CYCLES)
        parts.append(f"cycles={cycles}")
    return _made(of, f"faulty:{','.join(parts)}/{of.text}", *drawn(of, **shares, seed=seed), cycles or 0)


def drawn(of: Topology, links: float, routers: float, slow: float, seed: int) -> tuple[Rows, Rows, Rows]:
    """Return the cables and routers that are down and the slow cables, as `faulty` draws them.

    Cables are rows as in `cables_of`.
    """
    rng = np.random.default_rng(seed)
    switches = Switches.of(of)
    cables = cables_of(of, switches.first)
    if switches.sockets > 1:  # buses are no cables
        cables = cables[
            (cables - switches.first)[:, [0, 2]].min(axis=1) < switches.count - switches.compute_nodes
        ]
    order = rng.permutation(len(cables))
    down = cables[order[: round(links * len(cables))]]
    left = cables[order[len(down) :]]
    off = switches.first + rng.permutation(switches.count)[: round(routers * switches.count)]
    return down, off, left[: round(slow * len(left))]


def with_faults(
    of: Topology, *, down: Pairs = (), off: Sequence[int] = (), slow: Pairs = (), cycles: int = 0,
    text: str = "",
) -> Graph:  # fmt: skip
    """Return a network in which the given links and routers are down or slow.

    Nodes of a router that is down are removed; the remaining nodes are renumbered but keep their order.
    Routes are computed on the remaining network. The default routing is up*/down*, even on grids, whose own
    routing needs all links.

    Parameters
    ----------
    down, slow : sequence of (int, int)
        Pairs of routers; all links between them are down or slow, in both directions.
    off : sequence of int
        Routers that are down.
    cycles : int
        Cycles per phit of slow links; 0 means twice as many as before.

    Raises
    ------
    ValueError
        If two routers are not neighbors, a router does not exist, or the remaining network is not connected;
        the message names the unreachable nodes.
    """
    for pair in (*down, *slow):
        if len(pair) != 2:
            raise ValueError(f"{of}: {abbreviate(pair)} is not a link, expected two routers")
    check_routers(of, [*off, *(end for pair in (*down, *slow) for end in pair)])
    cables = cables_of(of, 0)
    picked = [cables_between(of, cables, pairs) for pairs in (down, slow)]
    label = text or f"faulty/{of.text}"
    check_int(cycles, f"{label}: cycles", 0, MOST_CYCLES)
    return _made(of, label, picked[0], np.array(off, np.int64), picked[1], cycles)


def check_routers(of: Topology, routers: Sequence[int]) -> None:
    """Raise ValueError if one of `routers` does not exist."""
    for router in routers:
        if not isinstance(router, int | np.integer):
            raise ValueError(f"{of}: router {abbreviate(router)} is not a whole number")
        if not 0 <= router < of.routers:
            raise ValueError(f"{of}: router {router} is not in 0..{of.routers - 1}")


def cables_of(of: Topology, first: int) -> Rows:
    """Return (router, port, neighbor, its port) for every cable between routers numbered `first` or higher.

    If an input has the number of its port, the entry of a link is the port of the link back. On a grid, an
    input is named by the direction of travel, and the link back leaves through the port of the opposite
    direction. Raise ValueError if routes are given, whose links lead in one direction.
    """
    if of.has_given_routes:
        raise ValueError(f"{of}: its routes are given, and none around faults")
    router, port, end, entry = of.links().T.astype(np.int64)
    paired = (of.neighbor[end, entry] == router) & (of.entry[end, entry] == port)
    cables = np.stack((router, port, end, entry if paired.all() else port ^ 1), axis=1)
    return np.asarray(cables[(router < end) & (router >= first)])


def cables_between(of: Topology, cables: Rows, pairs: Pairs) -> Rows:
    """Return the cables between the pairs of routers."""
    rows = [np.zeros((0, 4), np.int64)]
    for a, b in pairs:
        mine = cables[(cables[:, 0] == min(a, b)) & (cables[:, 2] == max(a, b))]
        if not len(mine):
            raise ValueError(f"{of}: no link between routers {a} and {b}")
        rows.append(mine)
    return np.concatenate(rows)


def link_cycles(of: Topology, slow: Rows, cycles: int) -> NDArray[np.int32]:
    """Return the cycles per phit of each link after some cables become slow; duplicates have no effect.

    `slow` are rows as in `cables_of`; `cycles` 0 means twice as many as before.
    """
    before = of.cycles if isinstance(of, Graph) else np.ones(of.neighbor.shape, np.int32)
    after = before.copy()
    for router, port in (*slow[:, :2].tolist(), *slow[:, 2:].tolist()):
        after[router, port] = cycles or 2 * before[router, port]
    if after.max(initial=1) > MOST_CYCLES:
        raise ValueError(f"{of}: {after.max()} cycles per phit of a link, expected at most {MOST_CYCLES}")
    return after


def _made(of: Topology, text: str, down: Rows, off: Rows, slow: Rows, slow_cycles: int) -> Graph:
    switches = Switches.of(of)
    if switches.compute_nodes:
        raise ValueError(f"{text}: expected faulty: after nodes:, such as nodes:tasks=16/faulty:../torus:8x8")
    neighbor, entry = of.neighbor.copy(), of.entry.copy()
    cycles = link_cycles(of, slow, slow_cycles)
    delay = of.delay.copy() if isinstance(of, Graph) else np.zeros(neighbor.shape, np.int32)
    for router, port in (*down[:, :2].tolist(), *down[:, 2:].tolist()):
        neighbor[router, port] = entry[router, port] = -1
    home = switches.home + switches.first
    alive = np.ones(of.routers, bool)
    alive[off] = False
    alive[: of.nodes] &= alive[home]
    kept = np.flatnonzero(alive)
    if not alive[: of.nodes].any():
        raise ValueError(f"{text}: no node remains")
    renumbered = np.where(alive, np.cumsum(alive) - 1, -1)
    gone = (neighbor < 0) | ~alive[neighbor]
    neighbor = np.where(gone, -1, renumbered[neighbor]).astype(np.int32)[kept]
    entry = np.where(gone, -1, entry).astype(np.int32)[kept]
    nodes = int(alive[: of.nodes].sum())
    first = 0 if switches.direct else nodes
    made = Graph(
        text, nodes, len(kept), neighbor, entry,
        first_switch=first,
        home=renumbered[home[alive[: of.nodes]]],
        cycles=cycles[kept],
        delay=delay[kept],
        group=None if switches.group is None else switches.group[alive[switches.first :]],
        rates=of.rates if isinstance(of, Graph) else None,
    )  # fmt: skip
    check_connected(made)
    if not len(down) and not len(off):
        made = _still_regular(made, of, switches)
    return with_hosts(
        made, [of.hosts[node] for node in np.flatnonzero(alive[: of.nodes])] if of.hosts else ()
    )


def _still_regular(made: Graph, of: Topology, switches: Switches) -> Graph:
    """Return a network without missing links, with the places, dimensions and routing that it had."""
    axis, closes = switches.axis, switches.closes
    if isinstance(of, Graph):
        axis, closes = of.axis, of.closes
    return replace(made, places=switches.places, axis=axis, closes=closes, default_routing=default_on(of))


def failing(
    of: Topology, *, down: Pairs = (), off: tuple[int, ...] = (), slowed: Pairs = (), links: float = 0.0,
    routers: float = 0.0, slow: float = 0.0, seed: int = 0, slow_cycles: int = 0,
) -> Graph:  # fmt: skip
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
        default_routing=default_on(of),
        cut=~alive[: of.nodes],
        compute_nodes=switches.compute_nodes,
        planes=switches.planes,
        tasks=of.tasks if isinstance(of, Graph) else 1,
        sockets=switches.sockets,
        rates=of.rates if isinstance(of, Graph) else None,
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
    maximum = int(np.bincount(part[node]).argmax())
    best = part[node[np.bincount(part[node])[part[node]] == np.bincount(part[node])[maximum]][0]]
    return np.asarray((part == best) & ~gone)
