"""Routing in tables on networks of any wiring: levels, detours, escape (docs/background/model-tables.md)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from netplace.netsim.chance import FLOW, ROUTE, VC_OF_FLOW, VIA, pick
from netplace.netsim.config import Config
from netplace.netsim.reference.packets import Packet
from netplace.netsim.reference.router import Fifo, Head, Output, Router
from netplace.netsim.reference.routing import Routing
from netplace.netsim.table_router import TableRouter


@dataclass
class Trip:
    via: int = -1  # intermediate switch, or -1 if it heads for its destination
    # Level within the phase, and the class of the link by which it arrived, or -1.
    level: int = 0
    kind: int = -1
    decided: bool = False  # whether it has visited a switch
    may_turn: bool = False  # whether it can still be diverted (PAR)
    escaped: bool = False  # whether it is on the escape channel, where it stays


@dataclass(eq=False, repr=False)
class RoutedPacket(Packet):
    first_vc: int = 0  # first virtual channel of its traffic class, on every link
    trip: Trip = field(default_factory=Trip)
    gone: bool = False  # whether a fault has ended it, so that it is discarded
    counted: bool = True  # whether it counts as a created packet
    marked: bool = False  # whether it was marked when it left a long queue for a contended output


def as_routed(packet: Packet) -> RoutedPacket:
    assert isinstance(packet, RoutedPacket)
    return packet


@dataclass
class Flow:
    """Packets of a traffic class from one node to another that keep their order."""

    under_way: int = 0  # number of packets that have reached their first switch and have not been consumed
    via: int = -1  # intermediate switch, or -1 if they head for their destination


@dataclass(frozen=True)
class Fork:
    # Current switch, intermediate switch, and destination switch.
    switch: int
    via: int
    home: int
    # Level on the direct way, and on the way through the intermediate switch.
    near: int
    far: int
    first_vc: int  # first virtual channel of its class


class GraphRouting(Routing):
    """Routes along the tables of a `TableRouter`."""

    def __init__(
        self, table: TableRouter, config: Config, seed: int, routers: list[Router], untold: Counter[Fifo]
    ) -> None:
        super().__init__(config, seed)
        self.table = table
        self._untold = untold  # packets (or phits) that have left FIFOs, and are not known to have
        self.queue_packets = config.queue_packets
        self._by_phits = config.buffer_phits > 0
        self._routers = routers
        self._first = table.switches.first
        self._home: list[int] = table.switches.home.tolist()
        self._compute_from = table.switches.count - table.switches.compute_nodes
        self._choice = table.routes.choice
        self._link_vcs = config.of_all_classes.vcs
        self._flows: dict[tuple[int, int, int], Flow] = {}

    def may_enter(self, fifo: Fifo, output: Output) -> bool:
        """Return whether the downstream FIFO is known to have room for a packet, or for one phit."""
        if self._by_phits and output.fifo is not None:
            return output.fifo.room > self._untold[output.fifo]
        return self._packets(output) < self.queue_packets

    def _packets(self, output: Output) -> int:
        """Return the packets that the downstream FIFO is known to hold, with coming and unreported ones."""
        if output.fifo is None:
            return 0
        return len(output.fifo.packets) + (0 if self._by_phits else self._untold[output.fifo])

    def creates(self, source: int, destination: int) -> bool:
        """Return whether a packet is created, which is not so if its source or destination is cut off."""
        return self._home[source] >= 0 and self._home[destination] >= 0

    def consumed(self, packet: RoutedPacket) -> None:
        flow = self._flow(packet)
        flow.under_way = max(0, flow.under_way - 1)

    def crossed(self, packet: Packet, output: Output) -> None:
        """Raise the level of a packet that begins to cross a link between switches."""
        switch = output.router.number - self._first
        if switch < 0 or self.table.switches.neighbor[switch, output.port] < 0:
            return
        packet = as_routed(packet)
        trip = packet.trip
        trip.level = self._level(trip, switch, output.port) + int(self.table.step[switch, output.port])
        trip.kind = int(self.table.kind[switch, output.port])
        if self.table.routes.escape is not None and output.vc == packet.first_vc:
            trip.escaped = True

    def head(self, fifo: Fifo, now: int) -> Head:
        """Determine the way of the packet from here, and return its outputs; escape is the last."""
        packet, router = as_routed(fifo.packets[0]), fifo.router
        if packet.gone:
            sink = Output(router, -1, 0, len(router.outputs), shared=True)
            return Head(now, [sink])  # which discards a phit per cycle
        if self.arrived(packet, fifo):
            return Head(now, [router.consumption])
        switch = router.number - self._first
        if switch < 0:
            return Head(now, self._any_vc(packet, router, 0))
        trip = packet.trip
        if switch < self._compute_from:
            gate = self._gate(switch, packet.destination)
            if switch != gate:
                self._settle(fifo, trip, switch, gate, now)
            trip.decided = True
            if trip.via == switch:
                trip.via = -1
                if self.table.anew:
                    trip.level, trip.kind = 0, -1
        target = self._home[packet.destination] if trip.via < 0 else trip.via
        if switch == target:
            port = int(self.table.node_port[packet.destination])
            return Head(now, self._any_vc(packet, router, port))
        return self._towards(packet, router, trip, target, now)

    def _gate(self, switch: int, node: int) -> int:
        """Return the switch to which ways to a node lead, in the plane of a switch."""
        plane = self.table.switches.of_plane
        return int(self.table.gate[node]) + switch // plane * plane

    def _leads_out(self, switch: int, node: int) -> bool:
        """Return whether the way home leaves the network, to the compute node or to its socket."""
        home = self._home[node]
        if switch < self._compute_from:
            return self._gate(switch, node) == switch and home >= self._compute_from
        port = int(self.table.routes.ports_at(switch, home)[0])
        return int(self.table.switches.neighbor[switch, port]) == home

    def _any_vc(self, packet: RoutedPacket, router: Router, port: int) -> list[Output]:
        """Return the outputs of a port on the virtual channels of its class that a packet can use."""
        return self._outputs(packet, router, port, range(self.vcs))

    def _outputs(self, packet: RoutedPacket, router: Router, port: int, vcs: range) -> list[Output]:
        """Return the outputs of a port on some channels of its class; only one for an ordered flow."""
        if self.table.ordered:
            n = pick(self.seed, VC_OF_FLOW, packet.source, packet.destination, 0, len(vcs))
            vcs = vcs[n : n + 1]
        first = port * self._link_vcs + packet.first_vc
        return [router.outputs[first + vc] for vc in vcs]

    def _towards(self, packet: RoutedPacket, router: Router, trip: Trip, target: int, now: int) -> Head:
        """Return the outputs that lead to switch `target`."""
        switch = router.number - self._first
        escape = None
        if trip.via < 0 and self._leads_out(switch, packet.destination):
            ports = self._ports(packet, switch, target)  # by any virtual channel: nothing behind stops
            outputs = [output for port in ports for output in self._any_vc(packet, router, port)]
            return Head(now, sorted(outputs, key=lambda output: output.number))
        if self.table.routes.escape is not None:
            escape = self._any_vc(packet, router, int(self.table.routes.escape[switch, target]))[0]
            if trip.escaped:
                return Head(now, [escape], escape)
        outputs = []
        for port in self._ports(packet, switch, target):
            level = self._level(trip, switch, port) + (self.table.base if trip.via < 0 else 0)
            outputs += self._outputs(packet, router, port, self._vcs_of(level))
        outputs.sort(key=lambda output: output.number)
        if escape is not None:
            outputs.append(escape)
        return Head(now, outputs, escape)

    def request(self, fifo: Fifo, head: Head, now: int) -> Output | None:
        """Return the free output with room and the fewest packets, drawn among equals; or escape."""
        if head.candidates[0].fifo is None:
            return head.candidates[0]
        free = [output for output in head.candidates if output.holder is None]
        usable = [output for output in free if self.may_enter(fifo, output)]
        preferred = [output for output in usable if output is not head.escape]
        if not preferred:
            return usable[0] if usable else None
        held = [self._packets(output) for output in preferred]
        equal = [output for output, count in zip(preferred, held, strict=True) if count == min(held)]
        if len(equal) == 1:
            return equal[0]
        return equal[pick(self.seed, ROUTE, fifo.router.number, fifo.number, now, len(equal))]

    def _ports(self, packet: RoutedPacket, switch: int, target: int) -> list[int]:
        """Return the ports by which a packet can leave: all in the table, or the one of its flow."""
        routes = self.table.routes
        ports = [port for port in routes.ports_at(switch, target).tolist() if port >= 0]
        if self.table.spread == "destination":
            stride = 1 if routes.stride is None else int(routes.stride[switch])
            return [ports[packet.destination // stride % len(ports)]]
        if self.table.spread == "flow":
            return [ports[pick(self.seed, FLOW, switch, packet.source, packet.destination, len(ports))]]
        return ports

    def _level(self, trip: Trip, switch: int, port: int) -> int:
        """Return the level of a packet on a link within its phase; it returns to 0 in another class."""
        same = trip.kind in (-1, int(self.table.kind[switch, port]))
        return trip.level if same or not self.table.anew else 0

    def _flow(self, packet: RoutedPacket) -> Flow:
        """Return the flow of a packet; if no order is kept, a flow of its own."""
        if not self.table.ordered:
            return Flow()
        return self._flows.setdefault((packet.source, packet.destination, packet.first_vc), Flow())

    def _settle(self, fifo: Fifo, trip: Trip, switch: int, home: int, now: int) -> None:
        """Choose the way if it is still open; for an ordered flow, only if no packet of it is under way."""
        if self._choice == "table" or (trip.decided and not trip.may_turn):
            return
        flow = self._flow(as_routed(fifo.packets[0]))
        if not flow.under_way:
            self._choose(fifo, trip, switch, home, now)
            flow.via = trip.via
        flow.under_way += 1
        trip.via = flow.via

    def _choose(self, fifo: Fifo, trip: Trip, switch: int, home: int, now: int) -> None:
        group = self.table.switches.group
        turning = trip.decided
        if turning:
            assert group is not None
            source = self._gate(switch, fifo.packets[0].source)
            if group[switch] != group[source]:
                trip.may_turn = False
                return
        drawn = self._drawn(fifo, switch, home, now)
        near, far = trip.level + self.table.base, trip.level + int(turning and not self.table.anew)
        fork = Fork(switch, drawn, home, near, far, as_routed(fifo.packets[0]).first_vc)
        if drawn not in (-1, switch, home) and not self.prefers_direct(fork, now):
            trip.via = drawn
            trip.may_turn = False
            trip.level = far
        elif self._choice == "par" and group is not None:
            trip.may_turn = bool(group[switch] != group[home])

    def _drawn(self, fifo: Fifo, switch: int, home: int, now: int) -> int:
        """Return a drawn intermediate switch, neither this one nor the destination's; -1 if there is none."""
        drawable = self.drawable(switch, home)
        if not drawable:
            return -1
        return drawable[pick(self.seed, VIA, fifo.router.number, fifo.number, now, len(drawable))]

    def drawable(self, switch: int, home: int) -> list[int]:
        via: list[int] = self.table.via[switch if len(self.table.via) > 1 else 0].tolist()
        barred = {int(self.table.place[end]) for end in (switch, home)}
        return [end for n, end in enumerate(via) if n not in barred]

    def prefers_direct(self, fork: Fork, now: int) -> bool:
        """Return whether few packets are on the direct way: on all its links, or on the first times hops."""
        switch, via, home = fork.switch, fork.via, fork.home
        if self._choice == "valiant":
            return False
        if self._choice == "ugal-g":
            direct = self._whole_way(switch, home, fork.first_vc, now)
            aside = self._whole_way(switch, via, fork.first_vc, now)
            aside += self._whole_way(via, home, fork.first_vc, now)
        else:
            hops = self.table.hops
            near, far = (self._vcs_of(level, fork.first_vc) for level in (fork.near, fork.far))
            direct = self._first_link(switch, home, near, now) * int(hops[switch, home])
            aside = self._first_link(switch, via, far, now) * int(hops[switch, via] + hops[via, home])
        return direct <= aside + self.table.routes.threshold

    def _first_link(self, switch: int, target: int, vcs: range, now: int) -> int:
        """Return the packets behind the first port that leads to `target`, and those that wait for it."""
        # Counted are those on virtual channels `vcs`, numbered over all classes. Heads that came in this very
        # cycle do not count.
        port = int(self.table.routes.ports_at(switch, target)[0])
        router = self._routers[self._first + switch]
        outputs = [router.outputs[port * self._link_vcs + vc] for vc in vcs]
        waiting = [fifo.head for fifo in router.fifos if fifo.head is not None and fifo.head.since < now]
        heads = sum(any(output in outputs for output in head.candidates) for head in waiting)
        return heads + sum(map(self._packets, outputs))

    def _whole_way(self, switch: int, target: int, first_vc: int, now: int) -> int:
        """Return the sum of these over all links of the way by first ports and all channels of a class."""
        total = 0
        while switch != target:
            total += self._first_link(switch, target, range(first_vc, first_vc + self.vcs), now)
            port = int(self.table.routes.ports_at(switch, target)[0])
            switch = int(self.table.switches.neighbor[switch, port])
        return total

    def _vcs_of(self, level: int, first: int = 0) -> range:
        return range(first + self.table.low[level], first + self.table.high[level])
