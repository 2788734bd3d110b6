"""Whether packets could wait for each other in a circle: the channel dependency graph of a routing.

W. J. Dally and C. L. Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE
Trans. Computers C-36 (1987) 547-553: no deadlock if the graph of which channel waits for which has no
cycle. With an escape channel: J. Duato, "A new theory of deadlock-free adaptive routing in wormhole
networks", IEEE Trans. Parallel Distrib. Syst. 4 (1993) 1320-1331: none if the escape channels can be asked
for everywhere, lead everywhere, and have no cycle among themselves. As a packet that is on them stays on
them, one of them waits for others of them only along the escape table. A channel is a link at a level.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.topologies.limits import check_memory
from netplace.topologies.routing.levels import levels, via_of
from netplace.topologies.routing.routes import Routes, steps
from netplace.topologies.routing.switches import Switches

__all__ = ["Verdict", "check"]

Int = NDArray[np.int64]


@dataclass(frozen=True)
class Verdict:
    """What was found about a routing on a network.

    Attributes
    ----------
    needed : int
        Virtual channels that the routing needs.
    channels, dependencies : int
        Channels in use between switches, and pairs of them of which one waits for the other.
    cycle : tuple of (router, port, neighbour, level)
        Channels that wait for each other in a circle; empty: there is none, and no deadlock.
    """

    needed: int
    channels: int
    dependencies: int
    cycle: tuple[tuple[int, int, int, int], ...] = ()

    @property
    def free(self) -> bool:
        """Whether the routing is free of deadlock."""
        return not self.cycle


class _Channels:
    """Channels and the dependencies found so far."""

    def __init__(self, switches: Switches, routes: Routes, ports: NDArray[np.int16], highest: int) -> None:
        self.switches = switches
        self.ports = ports
        self.step, self.kind = steps(switches, routes.discipline)
        self.anew = routes.span > 0
        self.highest = highest
        self.from_switch, self.port = np.nonzero(switches.neighbor >= 0)
        self.end = switches.neighbor[self.from_switch, self.port]
        self.number = np.full(switches.neighbor.shape, -1, np.int64)
        self.number[self.from_switch, self.port] = np.arange(len(self.end))
        self.count = len(self.end) * highest
        self.waits: list[Int] = []

    def follow(self, channel: Int, target: Int) -> tuple[Int, Int]:
        """Note what packets for `target` in each `channel` may wait for; return these (channel, target)."""
        link, level = np.divmod(channel, self.highest)
        here, port = self.from_switch[link], self.port[link]
        at = self.end[link]
        rise = level + self.step[here, port].astype(np.int64)
        return self._go(at, target, channel, rise, self.kind[here, port].astype(np.int64))

    def begin(self, source: Int, target: Int) -> tuple[Int, Int]:
        """Return the (channel, target) in which packets from `source` to `target` may begin."""
        return self._go(source, target, None, np.zeros_like(source), None)

    def _go(self, at: Int, target: Int, channel: Int | None, rise: Int, kind: Int | None) -> tuple[Int, Int]:
        found = []
        for n in range(self.ports.shape[2]):
            port = self.ports[at, target, n]
            chosen = (port >= 0) & (at != target)
            level = rise
            if self.anew and kind is not None:
                level = np.where(self.kind[at, port] == kind, rise, 0)
            chosen &= level < self.highest
            new = (self.number[at, port] * self.highest + level)[chosen]
            if channel is not None:
                self.waits.append(np.unique(channel[chosen] * self.count + new))
            found.append((new, target[chosen]))
        return np.concatenate([new for new, _ in found]), np.concatenate([to for _, to in found])


def check(switches: Switches, routes: Routes) -> Verdict:
    """Return whether a routing can lead to a deadlock, with a cycle if it can.

    Raises
    ------
    ValueError
        If the routing does not lead everywhere, or the graph would not fit into memory.
    """
    needed = levels(switches, routes)
    if routes.escape is not None:
        found = _Channels(switches, routes, routes.escape[:, :, None], 1)
        found.step = np.zeros_like(found.step)
        _walk(found, switches.with_nodes, switches.with_nodes, all_sources=True)
        return _verdict(found, needed + 1)
    highest = routes.span or needed  # phases that have levels of their own: what holds for one holds for all
    found = _Channels(switches, routes, routes.ports, highest)
    size = found.count * switches.count
    check_memory(switches.text, 2 * size, "the check for deadlock")
    if routes.detours:
        _walk_by_detours(found, switches, routes)
    else:
        _walk(found, switches.with_nodes, switches.with_nodes)
    return _verdict(found, needed)


def _walk(found: _Channels, sources: Int, targets: Int, all_sources: bool = False) -> NDArray[np.bool_]:
    """Follow packets from all sources to all targets; return which (channel, target) occur."""
    if all_sources:
        sources = np.arange(found.switches.count)
    pair = np.stack(np.meshgrid(sources, targets, indexing="ij")).reshape(2, -1)
    return _spread(found, *found.begin(pair[0], pair[1]))


def _spread(
    found: _Channels, channel: Int, target: Int, seen: NDArray[np.bool_] | None = None
) -> NDArray[np.bool_]:
    """Follow packets until nothing new occurs."""
    count = found.switches.count
    if seen is None:
        seen = np.zeros(found.count * count, bool)
    while channel.size:
        place = np.unique(channel * count + target)
        place = place[~seen[place]]
        seen[place] = True
        channel, target = found.follow(*np.divmod(place, count))
    return seen


def _walk_by_detours(found: _Channels, switches: Switches, routes: Routes) -> None:
    """Follow packets to intermediate switches and from there, and those that turn aside later."""
    count = switches.count
    ends = switches.with_nodes
    source, middle = _pairs(switches, routes, ends)
    first = _spread(found, *found.begin(source, middle))
    direct = _walk(found, ends, ends)
    if routes.choice == "par":
        # After a hop within the first group a packet may turn aside, a level higher.
        assert switches.group is not None
        begun = np.unique(found.begin(*(part.ravel() for part in np.meshgrid(ends, ends)))[0])
        link, level = np.divmod(begun, found.highest)
        here, port = found.from_switch[link], found.port[link]
        inside = switches.group[here] == switches.group[found.end[link]]
        for one, up in zip(link[inside], (level + found.step[here, port] + 1)[inside], strict=True):
            at = int(found.end[one])
            to = via_of(switches, routes, at)
            before = np.full(len(to), one * found.highest)
            found_next = found._go(np.full(len(to), at), to, before, np.full(len(to), up), None)
            first = _spread(found, *found_next, first)
    if routes.span:
        return
    channel, target = np.divmod(np.flatnonzero(first), count)
    there = np.unique(channel[found.end[channel // found.highest] == target])
    for part in np.array_split(there, max(1, len(there) * len(ends) // 2**21)):
        onward = np.stack(np.meshgrid(part, ends, indexing="ij")).reshape(2, -1)
        _spread(found, *found.follow(onward[0], onward[1]), direct)


def _pairs(switches: Switches, routes: Routes, ends: Int) -> tuple[Int, Int]:
    """Return all (source switch, intermediate switch)."""
    ways = [(switch, via_of(switches, routes, int(switch))) for switch in ends]
    source = np.concatenate([np.full(len(to), switch) for switch, to in ways])
    return source, np.concatenate([to for _, to in ways])


def _verdict(found: _Channels, needed: int) -> Verdict:
    import scipy.sparse

    pairs = np.unique(np.concatenate([*found.waits, np.zeros(0, np.int64)]))
    one, other = np.divmod(pairs, max(1, found.count))
    used = np.unique(np.concatenate((one, other)))
    a, b = np.searchsorted(used, one), np.searchsorted(used, other)
    matrix = scipy.sparse.csr_array((np.ones(len(a), np.int8), (a, b)), shape=(len(used), len(used)))
    parts, label = scipy.sparse.csgraph.connected_components(matrix, connection="strong")
    cycle: tuple[tuple[int, int, int, int], ...] = ()
    if parts < len(used) or (a == b).any():
        cycle = _shortest_cycle(found, used, label, a, b)
    return Verdict(needed, len(used), len(pairs), cycle)


def _shortest_cycle(
    found: _Channels, used: Int, label: NDArray[np.int32], a: Int, b: Int
) -> tuple[tuple[int, int, int, int], ...]:
    """Return a cycle, of those through one channel a shortest."""
    import networkx as nx

    sizes = np.bincount(label)
    loops = label[a[a == b]]
    part = int(loops[0]) if loops.size else int(np.flatnonzero(sizes > 1)[0])
    inside = (label[a] == part) & (label[b] == part)
    graph = nx.DiGraph(zip(a[inside].tolist(), b[inside].tolist(), strict=True))
    start = min(graph.nodes)
    way = min((nx.shortest_path(graph, after, start) for after in graph[start]), key=len)
    rows = []
    for channel in [start, *way[:-1]]:
        link, level = divmod(int(used[channel]), found.highest)
        here, port = int(found.from_switch[link]), int(found.port[link])
        first = found.switches.first
        rows.append((here + first, port, int(found.end[link]) + first, level))
    return tuple(rows)
