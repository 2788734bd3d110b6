"""The channel dependency graph of a routing, which shows whether packets could wait in a cycle.

W. J. Dally and C. L. Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE
Trans. Computers C-36 (1987) 547-553: there is no deadlock if the graph of waiting channels has no cycle. For
routings with an escape channel: J. Duato, "A new theory of deadlock-free adaptive routing in wormhole
networks", IEEE Trans. Parallel Distrib. Syst. 4 (1993) 1320-1331: there is no deadlock if the escape channels
can be requested everywhere, lead everywhere, and have no cycle among themselves. Because a packet on an
escape channel stays on escape channels, these wait for each other only along the escape table. A channel is a
link at a level.

The rules are those of the engines ("Levels" and "The way" in docs/background/model-tables.md), followed for
all packets at once. A channel is a link in a phase at a level. If phases have separate levels, phase 1 is
that of packets that head for their destination; otherwise there is only phase 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.native import topologies
from netplace.topologies.limits import check_memory
from netplace.topologies.routing.compute_nodes import of_plane
from netplace.topologies.routing.routes import Routes, rises
from netplace.topologies.routing.switches import Switches

Int = NDArray[np.int64]


def barred(switches: Switches, routes: Routes) -> Int:
    """Return the position of each switch or its group among the intermediate ones; -1 if it has none.

    A packet that chooses a route draws neither the position of its current switch nor that of its
    destination. With Valiant routing, no switch has a position, and all can be drawn.
    """
    place = np.full(switches.count, -1, np.int64)
    if routes.choice == "valiant":
        return place
    if switches.compute_nodes:  # which are not drawn; places are the same in all planes
        plane = barred(*of_plane(switches, routes, 0))
        return np.concatenate((*([plane] * switches.planes), place[: switches.compute_nodes]))
    via = np.arange(switches.count)[None, :] if routes.via is None else routes.via
    if switches.group is not None and via.shape == (switches.count, int(switches.group.max()) + 1):
        return switches.group.astype(np.int64)
    if len(via) == 1:
        place[via[0]] = np.arange(via.shape[1])
    return place


class Ways:
    """The channels of a routing whose table leads everywhere, and the dependencies between them.

    A packet reaches fewer than `levels` levels within a phase; channel = (2 link + phase) levels + level.
    """

    def __init__(self, switches: Switches, routes: Routes, levels: int) -> None:
        self.switches, self.levels = switches, levels
        # Switch and port where each link begins, and the switch where it ends.
        self.here, self.port = np.nonzero(switches.neighbor >= 0)
        self.end = switches.neighbor[self.here, self.port]
        self.count = len(self.end) * 2 * levels
        ports = routes.ports if routes.escape is None else routes.escape[:, :, None]
        step, kind = rises(switches, routes)
        ends = switches.with_nodes
        given = (switches.neighbor, ports, step, kind, levels, routes.anew, ends)
        if routes.detours:
            via = np.arange(switches.count)[None, :] if routes.via is None else routes.via
            found = topologies.detour_ways(
                *given, via.astype(np.int32), barred(switches, routes), switches.group,
                routes.choice == "valiant", routes.choice == "par",
            )  # fmt: skip
        else:
            sources = ends if routes.escape is None else np.arange(switches.count)
            found = topologies.table_ways(*given, sources, np.ascontiguousarray(routes.ports[:, :, 0]))
        used, waits, self.circular, at, target = found
        self.used: Int = used  # channels in use, in order
        self.waits: Int = waits  # pairs of which one waits for the other, in order, as one x `count` + other
        if at >= 0:
            raise ValueError(
                f"routing {routes.name}: no route from switch {at} to switch {target} of {switches.text}, "
                f"which packets may need"
            )

    def parts(self, channel: Int) -> tuple[Int, Int, Int]:
        """Return the link, the phase and the level of channels."""
        rest, level = np.divmod(channel, self.levels)
        return rest >> 1, rest & 1, level


Levels = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Reach:
    """The worst case of a packet's remaining route along a table, shape (switches, switches).

    Attributes
    ----------
    hops : ndarray of int32
        Number of links to the destination; -1 if the table does not lead there.
    used, arrival : ndarray of int32
        Highest level on any link, and level after the last link, for a packet that begins at level 0 if
        levels are never reset between classes of links.
    """

    hops: Levels
    used: Levels
    arrival: Levels


def reach(switches: Switches, ports: NDArray[np.int16], step: NDArray[Any], name: str) -> Reach:
    """Follow a table from every switch to every other."""
    check_memory(switches.text, switches.count**2 * 14, "its table of routes")
    _check_ports(switches, ports, name)
    shape = (switches.count, switches.count)
    found = topologies.reach(switches.neighbor, ports, step.astype(np.int64))
    hops, used, arrival = (levels.reshape(shape) for levels in found)
    _check_paths(switches, hops, ports, name)
    return Reach(hops, used, arrival)


def _check_ports(switches: Switches, ports: NDArray[np.int16], name: str) -> None:
    """Raise ValueError if a table is of the wrong shape or names a port that does not lead to a switch."""
    count = switches.count
    if ports.shape[:2] != (count, count):
        raise ValueError(
            f"routing {name}: table of shape {ports.shape}, "
            f"expected {count} x {count} switches of {switches.text}"
        )
    if ports.max(initial=-1) >= switches.ports or ports.min(initial=-1) < -1:
        raise ValueError(
            f"routing {name}: port {ports.max()}, expected -1 to {switches.ports - 1} on {switches.text}"
        )
    for switch, row in enumerate(ports):
        wrong = np.argwhere((row >= 0) & (switches.neighbor[switch, row] < 0))
        if len(wrong):
            target, n = wrong[0]
            raise ValueError(
                f"routing {name}: from switch {switch} to switch {target} by port {row[target, n]}, "
                "which leads to no switch"
            )


def _check_paths(switches: Switches, hops: Levels, ports: NDArray[np.int16], name: str) -> None:
    """Raise ValueError if two switches with nodes have no way between them."""
    ends = switches.with_nodes
    missing = np.argwhere(hops[np.ix_(ends, ends)] < 0)
    if len(missing):
        a, b = ends[missing[0]]
        if (ports[a, b] < 0).all():
            raise ValueError(f"routing {name}: no route from switch {a} to switch {b} of {switches.text}")
        raise ValueError(
            f"routing {name}: the route from switch {a} to switch {b} of {switches.text} has a cycle or a "
            f"dead end"
        )


@dataclass(frozen=True)
class Verdict:
    """The findings about a routing on a network.

    Attributes
    ----------
    needed : int
        Number of virtual channels that the routing needs: one per level that packets can reach, plus any
        escape channel.
    base : int
        Number of levels used only on the way to an intermediate switch, if phases have separate levels.
    channels, dependencies : int
        Number of channels in use between switches, and of pairs of channels of which one waits for the other;
        0 if the routing is computed, and not in tables.
    cycle : tuple of (router, port, neighbour, level)
        Channels that wait for each other in a cycle; empty if there is no cycle, and therefore no deadlock.
    """

    needed: int
    base: int
    channels: int
    dependencies: int
    cycle: tuple[tuple[int, int, int, int], ...] = ()

    @property
    def free(self) -> bool:
        """Whether the routing is free of deadlock."""
        return not self.cycle


def check(switches: Switches, routes: Routes) -> Verdict:
    """Return whether a routing can lead to a deadlock, with a cycle of channels if it can.

    Dimension order with datelines, without tables, cannot (Dally and Seitz, section IV): a ring needs two
    channels if packets cross a link after the one that closes it. Neither can routes that never go up in a
    tree after they have gone down.
    """
    if routes.computed:
        rings = routes.grid is not None and routes.grid.wraps and max(routes.grid.sizes) > 3
        return Verdict(1 + rings, 0, 0, 0)
    if switches.compute_nodes:
        reach(switches, routes.ports, rises(switches, routes)[0], routes.name)
        planes = range(1 if switches.planes_alike else switches.planes)
        return _together([check(*of_plane(switches, routes, plane)) for plane in planes])
    step, _ = rises(switches, routes)
    reached = reach(switches, routes.ports, step, routes.name)
    if routes.escape is not None:
        reach(switches, routes.escape[:, :, None], step, f"{routes.name}, escape")
    parts = 1 + 2 * routes.detours  # of a way that follow the table: before PAR turns, aside, home
    highest = parts * (1 + int(max(reached.used.max(), reached.arrival.max())))
    room = 64 + 16 * (3 * switches.ports // 64)
    check_memory(
        switches.text, int((switches.neighbor >= 0).sum()) * highest * room, "the check for deadlock"
    )
    ways = Ways(switches, routes, highest)
    _, phase, level = ways.parts(ways.used)
    tops = [int(level[phase == n].max(initial=-1)) + 1 for n in (0, 1)]
    needed = max(1, sum(tops)) + (routes.escape is not None)
    return Verdict(needed, tops[0] if tops[1] else 0, len(ways.used), len(ways.waits), _cycle(ways, tops[0]))


def _together(verdicts: list[Verdict]) -> Verdict:
    """Return the verdict for planes that are used together, with the levels of the plane that needs most."""
    base = max(verdict.base for verdict in verdicts)
    return Verdict(
        base + max(verdict.needed - verdict.base for verdict in verdicts), base,
        sum(verdict.channels for verdict in verdicts), sum(verdict.dependencies for verdict in verdicts),
        next((verdict.cycle for verdict in verdicts if verdict.cycle), ()),
    )  # fmt: skip


def _cycle(ways: Ways, base: int) -> tuple[tuple[int, int, int, int], ...]:
    """Return channels that wait for each other in a ring, if there are any."""
    if not ways.circular:
        return ()
    import scipy.sparse

    waiting, waited_for = np.divmod(ways.waits, max(1, ways.count))
    used = ways.used
    a, b = np.searchsorted(used, waiting), np.searchsorted(used, waited_for)
    matrix = scipy.sparse.csr_array((np.ones(len(a), np.int8), (a, b)), shape=(len(used), len(used)))
    _, label = scipy.sparse.csgraph.connected_components(matrix, connection="strong")
    rows = []
    for channel in _shortest_cycle(label, a, b):
        link, phase, level = (int(part) for part in ways.parts(used[channel]))
        first = ways.switches.first
        here, end = int(ways.here[link]) + first, int(ways.end[link]) + first
        rows.append((here, int(ways.port[link]), end, level + phase * base))
    return tuple(rows)


def _shortest_cycle(label: NDArray[np.int32], a: Int, b: Int) -> list[int]:
    import networkx as nx

    sizes = np.bincount(label)
    loops = label[a[a == b]]
    part = int(loops[0]) if loops.size else int(np.flatnonzero(sizes > 1)[0])
    inside = (label[a] == part) & (label[b] == part)
    graph = nx.DiGraph(zip(a[inside].tolist(), b[inside].tolist(), strict=True))
    start = min(graph.nodes)
    way = min((nx.shortest_path(graph, after, start) for after in graph[start]), key=len)
    return [start, *way[:-1]]
