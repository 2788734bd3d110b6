"""Channels and dependencies of routings are those of packets that are followed one by one."""

from collections import defaultdict
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from netplace.topologies import Topology, from_networkx, parse
from netplace.topologies.routing import (
    DISCIPLINES,
    ROUTINGS,
    Routes,
    Switches,
    barred,
    make_routes,
    reach,
    rises,
)
from netplace.topologies.routing.dependencies import Ways

MANY = 200  # levels


class _Packets:
    """The channels (switch, port, phase, level) that packets use, and which of them wait for which."""

    def __init__(self, switches: Switches, routes: Routes) -> None:
        self.switches, self.routes = switches, routes
        self.ports = routes.ports if routes.escape is None else routes.escape[:, :, None]
        self.step, self.kind = rises(switches, routes)
        self.place = barred(switches, routes)
        self.used, self.waits = set(), set()
        (self._follow_detours if routes.detours else self._follow_table)()

    def _out(self, at, target, level=0, kind=-1, phase=0):
        """Return the channels that packets at a switch request for a target."""
        found = []
        for port in self.ports[at, target][self.ports[at, target] >= 0].tolist():
            again = self.routes.anew and kind >= 0 and kind != self.kind[at, port]
            found.append((at, port, phase, 0 if again else level))
        assume(found or at == target)
        assume(level < MANY)
        return found if at != target else []

    def _on(self, channel, target, rise=0, phase=None):
        """Return the channels that packets in a channel request next."""
        at, port, was, level = channel
        level += int(self.step[at, port]) + rise
        kind, phase = self.kind[at, port], was if phase is None else phase
        return self._out(self._end(channel), target, level, kind, phase)

    def _end(self, channel):
        return int(self.switches.neighbor[channel[0], channel[1]])

    def _inside(self, channel):
        return self.switches.group[channel[0]] == self.switches.group[self._end(channel)]

    def _spread(self, begun, on=lambda channel: True):
        """Follow packets (channel before, channel, target, origin); return all (channel, target, origin)."""
        seen, todo = set(), list(begun)
        while todo:
            before, *state = todo.pop()
            channel, target, origin = state
            self.used.add(channel)
            if before is not None:
                self.waits.add((before, channel))
            if tuple(state) not in seen and on(channel):
                seen.add(tuple(state))
                todo += [(channel, other, target, origin) for other in self._on(channel, target)]
        return seen

    def _follow_table(self):
        ends = self.switches.with_nodes.tolist()
        sources = ends if self.routes.escape is None else range(self.switches.count)
        leads = [(a, b) for a in sources for b in ends if self.routes.ports[a, b, 0] >= 0]
        self._spread((None, channel, b, None) for a, b in leads for channel in self._out(a, b))

    def _differ(self, at, other):
        return other != at and (self.place[at] != self.place[other] or self.place[at] < 0)

    def _follow_detours(self):
        ends, group, last = self.switches.with_nodes.tolist(), self.switches.group, int(self.routes.anew)
        via = np.arange(self.switches.count)[None, :] if self.routes.via is None else self.routes.via
        rows = np.broadcast_to(via, (self.switches.count, via.shape[1])).tolist()
        drawn = {(at, via) for at, row in enumerate(rows) for via in row if self._differ(at, via)}
        begun = [
            (None, channel, via, at)
            for at, via in drawn
            if at in ends and sum(self._differ(via, home) for home in ends) > 1
            for channel in self._out(at, via)
        ]
        if self.routes.choice == "par":
            turned = defaultdict(set)
            apart = [(a, b) for a in ends for b in ends if group[a] != group[b]]
            sent = [(None, c, b, None) for a, b in apart for c in self._out(a, b, phase=last)]
            for channel, home, _ in self._spread(sent, self._inside):
                turned[channel].add(int(self.place[home]))
            for channel, places in turned.items():
                at = self._end(channel)
                for via in [via for here, via in drawn if here == at]:
                    if places != {self.place[via]} or places == {-1}:
                        after = self._on(channel, via, rise=1 - last, phase=0)
                        begun += [(channel, other, via, ("group", group[at])) for other in after]
        arrived = defaultdict(set)
        for channel, via, origin in self._spread(begun):
            if self._end(channel) == via:
                arrived[channel].add(origin)
        begun = []
        for home in ends:
            for at in ends:
                if self.routes.choice != "valiant" or at in rows[at] or home in rows[at]:
                    begun += [(None, channel, home, None) for channel in self._out(at, home, phase=last)]
            for channel, origins in arrived.items():
                via = self._end(channel)
                own = {home} if group is None else {home, ("group", group[home])}
                if self._differ(via, home) and not (len(origins) == 1 and origins & own):
                    after = self._out(via, home, phase=1) if last else self._on(channel, home)
                    begun += [(channel, other, home, None) for other in after]
        self._spread(begun)


NETWORKS = [
    "torus:5x2,c=1",
    "torus:4x3",
    "hyperx:3x3,c=1",
    "dragonfly:a=2,p=1,h=1",
    "dragonfly:a=3,p=1,h=1",
    "dragonfly+:leaves=2,spines=2,p=1,h=1",
    "xgft:3;2,2,2;1,2,2",
    "slimfly:3,p=1",
    "faulty:links=0.2,seed=1/dragonfly:a=3,p=1,h=1,g=3",
    "faulty:links=0.1,seed=4/dragonfly+:leaves=2,spines=2,p=1,h=2,g=3",
]


def _graph(seed: int, vertices: int, share: float) -> Topology:
    graph = nx.gnp_random_graph(vertices, share, seed)
    graph.add_edges_from(nx.random_labeled_tree(vertices, seed=seed).edges)
    return from_networkx(graph)


_TOPOLOGIES = st.one_of(
    st.sampled_from(NETWORKS).map(parse),
    st.builds(_graph, st.integers(0, 10**6), st.integers(4, 9), st.floats(0.15, 0.6)),
)


@given(_TOPOLOGIES, st.sampled_from(sorted(ROUTINGS)), st.sampled_from(["", *DISCIPLINES]), st.data())
def test_channels_and_dependencies_are_those_of_packets(topology, name, discipline, data):
    try:
        switches, routes = make_routes(topology, name, discipline)
        routes = _changed(switches, routes, data)
        rises(switches, routes)
        reach(switches, routes.ports, switches.neighbor * 0, "changed")
    except ValueError:
        assume(False)  # not defined there, or does not lead everywhere
    packets = _Packets(switches, routes)
    ways = Ways(switches, routes, MANY)

    def shown(numbers):
        link, phase, level = ways.parts(numbers)
        columns = ways.here[link], ways.port[link], phase, level
        return [tuple(row) for row in np.stack(columns, axis=1).tolist()]

    before, after = np.divmod(ways.waits, ways.count)
    assert set(shown(ways.used)) == packets.used
    assert set(zip(shown(before), shown(after), strict=True)) == packets.waits
    assert ways.circular == (not nx.is_directed_acyclic_graph(nx.DiGraph(packets.waits)))


def _changed(switches: Switches, routes: Routes, data: st.DataObject) -> Routes:
    """Return a routing with some other ports, and other intermediate switches."""
    one = st.integers(0, switches.count - 1)
    ports = routes.ports.copy()
    for a, b, n in data.draw(st.lists(st.tuples(one, one, st.integers(0, 99)), max_size=3)):
        wired = np.flatnonzero(switches.neighbor[a] >= 0)
        if a != b and len(wired):
            ports[a, b, n % ports.shape[2]] = wired[n % len(wired)]
    if routes.via is None or data.draw(st.booleans()):
        return replace(routes, ports=ports)
    rows, width = data.draw(st.sampled_from([1, switches.count])), data.draw(st.integers(1, 4))
    via = data.draw(st.lists(one, min_size=rows * width, max_size=rows * width))
    return replace(routes, ports=ports, via=np.array(via, np.int32).reshape(rows, width))


@given(_TOPOLOGIES)
def test_hops_are_those_of_networkx(topology):
    switches = Switches.of(topology)
    here, port = np.nonzero(switches.neighbor >= 0)
    graph = nx.DiGraph(zip(here.tolist(), switches.neighbor[here, port].tolist(), strict=True))
    graph.add_nodes_from(range(switches.count))
    expected = np.full((switches.count, switches.count), -1)
    for a, row in nx.all_pairs_shortest_path_length(graph):
        expected[a, list(row)] = list(row.values())
    assert (switches.hops == expected).all()


@pytest.mark.parametrize("network", ["torus:5x5", "xgft:3;2,2,2;1,2,2", "dragonfly:a=4,p=2,h=2"])
def test_reach_is_the_longest_way(network):
    switches, routes = make_routes(parse(network), "up-down")
    step = np.random.default_rng(1).integers(0, 3, switches.neighbor.shape)
    found = reach(switches, routes.ports, step, "up-down")
    for a, b in np.argwhere(found.hops >= 0):
        at, hops, level, used = a, 0, 0, 0
        while at != b:
            port = routes.ports[at, b, 0]
            used = max(used, level)
            level += step[at, port]
            at, hops = switches.neighbor[at, port], hops + 1
        assert (found.hops[a, b], found.used[a, b], found.arrival[a, b]) == (hops, used, level)
