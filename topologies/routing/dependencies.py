"""The channel dependency graph of a routing, which shows whether packets could wait in a cycle.

W. J. Dally and C. L. Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE
Trans. Computers C-36 (1987) 547-553: there is no deadlock if the graph of waiting channels has no cycle. For
routings with an escape channel: J. Duato, "A new theory of deadlock-free adaptive routing in wormhole
networks", IEEE Trans. Parallel Distrib. Syst. 4 (1993) 1320-1331: there is no deadlock if the escape channels
can be requested everywhere, lead everywhere, and have no cycle among themselves. Because a packet on an
escape channel stays on escape channels, these wait for each other only along the escape table. A channel is a
link at a level.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.topologies.limits import check_memory
from netplace.topologies.routing.compute_nodes import of_plane
from netplace.topologies.routing.reach import reach
from netplace.topologies.routing.routes import Routes, rises
from netplace.topologies.routing.switches import Switches
from netplace.topologies.routing.ways import Ways

__all__ = ["Verdict", "check"]

Int = NDArray[np.int64]


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
        Number of channels in use between switches, and of pairs of channels of which one waits for the other.
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
    """Return whether a routing can lead to a deadlock, with a cycle of channels if it can."""
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
        base + max(verdict.needed - verdict.base for verdict in verdicts),
        base,
        sum(verdict.channels for verdict in verdicts),
        sum(verdict.dependencies for verdict in verdicts),
        next((verdict.cycle for verdict in verdicts if verdict.cycle), ()),
    )


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
