"""The checker's channel dependency graph is that of the steps which the reference engine itself takes."""

from collections.abc import Iterator

import numpy as np
import pytest

from netplace.netsim import Config, Network, measure_load
from netplace.netsim.reference.fabric import Fabric
from netplace.netsim.reference.graphs import Fork, GraphRouting, RoutedPacket, Trip
from netplace.netsim.reference.packets import Load
from netplace.netsim.reference.router import Fifo, Output
from netplace.netsim.reference.run import make_fabric
from netplace.netsim.reference.table_fabric import TableFabric
from netplace.netsim.table_router import verdict_on
from netplace.topologies import Topology, parse
from netplace.topologies.routing import DISCIPLINES, ROUTINGS, Verdict
from netplace.topologies.routing.dependencies import Ways

Channel = tuple[int, int, int]  # router, port, virtual channel


class _Script(GraphRouting):
    """The engine's routing with its choice of way as it is told, and all ports of its table."""

    choice: tuple[int, bool] = (-1, True)

    def _ports(self, packet: RoutedPacket, switch: int, target: int) -> list[int]:
        return [port for port in self.table.routes.ports[switch, target].tolist() if port >= 0]

    def _drawn(self, fifo: Fifo, switch: int, home: int, now: int) -> int:
        return self.choice[0]

    def prefers_direct(self, fork: Fork, now: int) -> bool:
        return self.choice[1]


def _states(fabric: Fabric, routing: _Script, topology: Topology) -> Iterator[tuple[Channel | None, Channel]]:
    """Yield every channel, with that from which a packet comes to it, in all ways that packets can take."""
    home = routing.table.switches.home.tolist()
    first = {node: routing.table.switches.first + home[node] for node in range(topology.nodes)}
    speakers = {home[node]: node for node in reversed(range(topology.nodes))}.values()
    for source in speakers:
        for destination in speakers:
            if home[source] == home[destination]:
                continue
            seen = set()
            begun = fabric.routers[first[source]].fifos[-1]  # of the node, or an injector
            todo: list[tuple[Fifo, Trip, Channel | None]] = [(begun, Trip(), None)]
            while todo:
                fifo, trip, before = todo.pop()
                for output, after in _steps(routing, fifo, trip, source, destination):
                    if output.fifo is None or output.fifo.router.number < routing.table.switches.first:
                        continue  # it is consumed, or goes to its node
                    if not routing.table.switches.direct and output.fifo.router.number < topology.nodes:
                        continue
                    channel = (output.router.number, output.port, output.vc)
                    yield before, channel
                    state = (output.fifo, tuple(vars(after).values()))
                    if state not in seen:
                        seen.add(state)
                        todo.append((output.fifo, after, channel))


def _steps(
    routing: _Script, fifo: Fifo, trip: Trip, source: int, destination: int
) -> Iterator[tuple[Output, Trip]]:
    """Yield the outputs for which a packet may ask, whatever it draws and prefers, and its trip then."""
    switch = fifo.router.number - routing.table.switches.first
    home = int(routing.table.switches.home[destination])
    drawn = [-1]
    if routing.table.routes.detours and switch != home and (not trip.decided or trip.may_turn):
        drawn = routing.drawable(switch, home) or [-1]
    for choice in [(via, direct) for via in drawn for direct in (True, False)]:
        if choice[1] and routing.table.routes.choice == "valiant":
            continue  # it never prefers the direct way
        routing.choice = choice
        packet = RoutedPacket(source, destination, 0, [], Load.__new__(Load))
        packet.trip = Trip(**vars(trip))
        fifo.packets.clear()
        fifo.packets.append(packet)
        head = routing.head(fifo, 0)
        settled = packet.trip
        assert isinstance(settled, Trip)
        for output in head.candidates:
            packet.trip = Trip(**vars(settled))
            if output.fifo is not None:
                routing.crossed(packet, output)
            yield output, packet.trip


def _dependencies(
    network: str, name: str, discipline: str
) -> tuple[set[Channel], set[tuple[Channel, Channel]]]:
    """Return the channels and the dependencies of the engine's steps; a channel is a level."""
    topology = parse(network)
    _, _, verdict = verdict_on(topology, name, discipline)
    config = Config(routing=name, vc_discipline=discipline, vcs=verdict.needed, allow_deadlock=True)
    fabric = make_fabric(topology, config, 0, lambda packet, now: None)
    assert isinstance(fabric, TableFabric)
    routing = _Script(fabric.routing.table, config, 0, fabric.routers, fabric.untold)
    channels, waits = set(), set()
    for before, channel in _states(fabric, routing, topology):
        channels.add(channel)
        if before is not None:
            waits.add((before, channel))
    return channels, waits


def _checked(
    network: str, name: str, discipline: str
) -> tuple[Verdict, set[Channel], set[tuple[Channel, Channel]]]:
    """Return the checker's verdict, and the channels and dependencies that it follows."""
    switches, routes, verdict = verdict_on(parse(network), name, discipline)
    ways = Ways(switches, routes, 16)
    link, phase, level = ways.parts(np.arange(ways.count))
    router, port, vc = ways.here[link] + switches.first, ways.port[link], level + phase * verdict.base
    channel = list(zip(router.tolist(), port.tolist(), vc.tolist(), strict=True))
    used = {channel[n] for n in ways.used.tolist()}
    return verdict, used, {(channel[n // ways.count], channel[n % ways.count]) for n in ways.waits.tolist()}


NETWORKS = [
    "torus:5x2,c=1",
    "torus:4x3",
    "hyperx:3x3,c=1",
    "dragonfly:a=2,p=1,h=1",
    "dragonfly+:leaves=2,spines=2,p=1,h=1",
    "xgft:3;2,2,2;1,2,2",
    "faulty:links=0.2,seed=1/dragonfly:a=3,p=1,h=1,g=3",
]
MORE_NETWORKS = [
    "torus:5x3,c=1",
    "mesh:3x3,c=2",
    "torus:7,c=1",
    "dragonfly:a=4,p=1,h=1,links=circulant",
    "faulty:links=0.2,seed=1/dragonfly:a=3,p=1,h=1",
    "faulty:links=0.1,seed=4/dragonfly+:leaves=2,spines=2,p=1,h=2,g=3",
    "faulty:links=0.1,seed=3/torus:4x4,c=1",
    "slimfly:3,p=1",
]


def _compare(network: str, disciplines: tuple[str, ...]) -> None:
    for name in ROUTINGS:
        for discipline in disciplines:
            try:
                _, routes, _ = verdict_on(parse(network), name, discipline)
            except ValueError:
                continue  # the routing is not defined there
            where = f"{name} by {discipline} on {network}"
            verdict, used, waits = _checked(network, name, discipline)
            if routes.escape is not None:
                continue  # of these the escape channels alone are followed
            channels, dependencies = _dependencies(network, name, discipline)
            highest = 1 + max(vc for _, _, vc in channels)
            if name == "par" and network.startswith("faulty"):
                assert highest <= verdict.needed <= highest + 1, where  # its homes are not kept apart
            else:
                assert verdict.needed == highest, where
            assert dependencies <= waits, where
            if name != "par" and not (routes.detours and parse(network).nodes == parse(network).routers):
                # PAR's homes are not kept apart, nor packets that meet their node on the way aside.
                assert channels == used, where
                assert dependencies == waits, where


@pytest.mark.parametrize("network", NETWORKS)
def test_checker_follows_the_engine(network: str) -> None:
    _compare(network, ("default", "phase"))


@pytest.mark.nightly
@pytest.mark.parametrize("network", [*NETWORKS, *MORE_NETWORKS])
def test_checker_follows_the_engine_under_every_discipline(network: str) -> None:
    _compare(network, ("default", *DISCIPLINES))


@pytest.mark.parametrize(
    ("network", "routing", "discipline", "free"),
    [
        ("torus:9x9", "dor", "default", True),
        ("torus:5x5", "ugal-l", "default", True),
        # On from a spine switch, which has no nodes, back up to another.
        ("dragonfly+:leaves=2,spines=2,p=2,h=1", "valiant", "phase", False),
        # From the direct way, in the upper phase, to one aside, in the lower.
        ("dragonfly:a=4,p=1,h=1", "par", "phase", False),
    ],
)
def test_verdicts_on_ways_that_are_easily_missed(network, routing, discipline, free):
    assert verdict_on(parse(network), routing, discipline)[2].free == free


def test_par_where_groups_are_several_links_wide():
    network = "faulty:links=0.1,seed=1/dragonfly:a=4,p=2,h=2"
    assert verdict_on(parse(network), "par", "default")[2].needed == 10
    with pytest.raises(ValueError, match=r"vcs: 9 virtual channels are too few for routing par .* needs 10"):
        Network(parse(network), Config(routing="par", vcs=9))


@pytest.mark.parametrize("settings", [{}, {"faults": "at=100,slow=0.05"}])
def test_datelines_begin_anew_in_every_dimension(settings):
    # A packet that closed a ring of X once kept its upper level in Y, and rings of Y locked.
    config = Config(routing="dor", vcs=2, **settings)
    load = {"traffic": "tornado", "config": config, "warmup": 0, "measure": 3000}
    assert measure_load(parse("torus:9x9"), 0.5, **load).packets > 0


def test_datelines_on_both_engines():
    config = Config(routing="dor", vcs=2, queue_packets=1, bubble=0)
    load = {"traffic": "tornado", "config": config, "warmup": 0, "measure": 600}
    kernel, reference = (
        measure_load(parse("torus:7x5"), 0.9, engine=engine, **load) for engine in ("kernel", "reference")
    )
    assert (kernel.packets, kernel.packet_hops) == (reference.packets, reference.packet_hops)
