"""Fabrics of the table router: cables, crossbars, classes and marks (docs/background/model-fabrics.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from netplace.netsim.chance import CROSSBAR, pick
from netplace.netsim.config import Config
from netplace.netsim.fabric_texts import Classes, read_classes, read_congestion
from netplace.netsim.reference.arbiters import turns
from netplace.netsim.reference.fabric import Fabric
from netplace.netsim.reference.graphs import GraphRouting, as_routed
from netplace.netsim.reference.packets import Packet
from netplace.netsim.reference.router import Fifo, Link, Output, make_routers
from netplace.netsim.table_router import TableRouter
from netplace.topologies import Topology

T = TypeVar("T")


class Schedule:
    """The traffic class that is served next: by strict priority, or in turns of their weights."""

    def __init__(self, classes: Classes) -> None:
        self.turn = 0  # turn at which the next choice begins
        self._order: Sequence[int] = classes.schedule or range(classes.count)
        self._weighted = bool(classes.weights)

    def first(self, of_class: Callable[[int], T]) -> T | None:
        """Return the first truthy answer of `of_class` for the classes from the turn on."""
        for turn in [*range(self.turn, len(self._order)), *range(self.turn)]:
            if found := of_class(self._order[turn]):
                self.turn = (turn + 1) % len(self._order) if self._weighted else 0
                return found
        return None


class TableLink(Link):
    """A link that may take several cycles for a phit, and that traffic classes share."""

    def __init__(self, outputs: list[Output], cycles: int, delay: int, classes: Classes) -> None:
        super().__init__(outputs, delay)
        self.cycles = cycles  # cycles per phit
        self.later = cycles, delay  # cycles per phit and delay after the crossing packet has passed
        self.rest = 0  # remaining cycles for which the last phit occupies it
        self.schedule = Schedule(classes)
        # For each class, the virtual channel at which the next choice begins: after the one served last.
        self.pointers = [0] * classes.count

    @property
    def state(self) -> list[int]:
        return [*self.pointers, self.schedule.turn]

    @state.setter
    def state(self, state: list[int]) -> None:
        *self.pointers, self.schedule.turn = state

    def serve(self, may_leave: Callable[[Fifo], bool]) -> Output | None:
        """Return the channel to serve: the current one, or the first from the pointer on that may send."""
        if self.serving is None:
            self.serving = self.schedule.first(lambda number: self._of_class(number, may_leave))
        return self.serving

    def _of_class(self, number: int, may_leave: Callable[[Fifo], bool]) -> Output | None:
        """Return the first held VC of a class from its pointer on whose packet can leave."""
        count = len(self.outputs) // len(self.pointers)
        for n in range(count):
            vc = (self.pointers[number] + n) % count
            output = self.outputs[number * count + vc]
            if output.holder is not None and may_leave(output.holder):
                self.pointers[number] = (vc + 1) % count
                return output
        return None

    def arrival(self, now: int, phit: int) -> int:
        # Behind a slow link a header waits until its phits can follow one a cycle, and they are held back so.
        return now + self.delay - (self.cycles - 1) * (phit - 1)

    def pace(self, cycles: int, delay: int) -> None:
        self.later = cycles, delay
        if self.serving is None:
            self.cycles, self.delay = self.later

    def finish(self, output: Output) -> None:
        super().finish(output)
        self.cycles, self.delay = self.later


class TableFabric(Fabric):
    """Routers and links of a `TableRouter`."""

    routing: GraphRouting

    def __init__(
        self,
        topology: Topology,
        table: TableRouter,
        config: Config,
        seed: int,
        deliver: Callable[[Packet, int], None],
    ) -> None:
        classes, of_all = read_classes(config.traffic_classes), config.of_all_classes

        def link(outputs: list[Output]) -> Link:
            place = outputs[0].router.number, outputs[0].port
            for output in outputs:
                assert output.fifo is not None
                output.fifo.capacity = config.buffer_phits or output.fifo.capacity
                self._lag[output.fifo] = int(table.lag[place])
            return TableLink(outputs, int(table.cycles[place]), int(table.delay[place]), classes)

        # Packets (phits with wormhole switching) that have left FIFOs, of which the previous router does not
        # know yet; FIFOs with a credit under way, by cycle of arrival; and the delay of credits.
        self.untold: Counter[Fifo] = Counter()
        self._credits: dict[int, list[Fifo]] = {}
        self._lag: dict[Fifo, int] = {}
        routers = make_routers(topology, of_all, table.ports.tolist(), link)
        routing = GraphRouting(table, config, seed, routers, self.untold)
        super().__init__(topology, routers, routing, config, deliver)
        if config.arbiter == "longest":
            self._arbiter = _most_packets
        self._injected = table.injected
        self._by_phits = config.buffer_phits > 0
        self._crossbar = config.crossbar_speedup
        self._marks = read_congestion(config.congestion_control).marks
        self._class_vcs = config.vcs
        self._schedules = {router.consumption: Schedule(classes) for router in routers}
        # Cycle after the last tail that has passed a link or a consumption.
        self._passed: dict[Link | Output, int] = {}

    def route(self, config: Config, table: TableRouter) -> None:
        self.routing = GraphRouting(table, config, self.routing.seed, self.routers, self.untold)

    def pace(self, cycles: NDArray[np.int64], delay: NDArray[np.int64]) -> None:
        for link in cast("list[TableLink]", self.links):
            link.pace(int(cycles[link.place]), int(delay[link.place]))

    def inject(self, fifo: Fifo, packet: Packet, now: int) -> None:
        """Put a packet into an injection FIFO, which it can leave when its header has passed the pipeline."""
        ready = packet.created + self._injected
        if ready <= now:
            return super().inject(fifo, packet, now)
        fifo.packets.append(packet)
        fifo.present += self._packet_phits
        self.wires.setdefault(ready, []).extend([fifo] * self._packet_phits)
        return None

    def _in_motion(self) -> bool:
        return super()._in_motion() or bool(self._credits)

    def _unload(self, now: int) -> None:
        self.untold.subtract(self._credits.pop(now, ()))
        super()._unload(now)

    def _choose(self, output: Output, asking: list[Fifo], now: int) -> Fifo:
        """Choose among the requests of the class that is next; mark a packet that leaves a long queue."""
        if output.link is None:  # an output of a link has one class
            next_class = self._schedules[output].first(
                lambda number: [fifo for fifo in asking if fifo.vc // self._class_vcs == number]
            )
            asking = next_class or asking
        winner = super()._choose(output, asking, now)
        # Packets whose header has arrived over a link, before one leaves.
        arrived = -(-winner.ready // self._packet_phits) if winner.port >= 0 else 0
        if self._marks and len(asking) > 1 and arrived >= self._marks and self._in_use(output, now):
            as_routed(winner.packets[0]).marked = True
        return winner

    def _in_use(self, output: Output, now: int) -> bool:
        """Return whether a packet is passing a link or consumption, or has up to the cycle before `now`."""
        crossing = output.link is not None and output.link.serving is not None
        return crossing or self._passed.get(output.link or output) == now

    def _cross(self, now: int) -> None:
        leaving = self._leaving()
        for link in self._in_turn(now):
            idle = link.serving is None
            output = link.serve(lambda fifo: not self._crossbar or leaving[_entry(fifo)] < self._crossbar)
            if output is None or output.holder is None:
                continue
            source = output.holder
            if idle:
                leaving[_entry(source)] += 1
            if link.rest:
                self.link_cycles[link.place] += 1
                self.observer.crosses(link, source.packets[0])
                self.moved = True
            elif source.ready:
                self._send(link, output, source, now)
                link.rest = link.cycles
            else:
                continue
            link.rest -= 1
            if not link.rest:
                self._free(link, output, source, now)

    def _leaving(self) -> Counter[tuple[int, int, int]]:
        """Return the number of packets that are leaving each input port for links, if that is limited."""
        if not self._crossbar:
            return Counter()
        sources = [link.serving.holder for link in self.busy if link.serving is not None]
        there = [fifo for fifo in sources if fifo is not None and fifo.router.fifos[fifo.number] is fifo]
        return Counter(map(_entry, there))

    def _in_turn(self, now: int) -> list[TableLink]:
        """Return the links with held channels; if they share crossbars, starting from a drawn port."""
        links = cast("list[TableLink]", list(self.busy))
        if not self._crossbar:
            return links

        def turn(link: Link) -> int:
            number, port = link.place
            ports = self.routers[number].ports
            return (port - pick(self.routing.seed, CROSSBAR, number, 0, now, ports)) % ports

        return sorted(links, key=turn)

    def _leave(self, fifo: Fifo, now: int) -> Packet:
        if self._marks and fifo.output is not None:
            self._passed[fifo.output.link or fifo.output] = now + 1
        if not self._by_phits:
            self._tell_room(fifo, now)
        if fifo.output is not None and fifo.output.link is None:
            self.routing.consumed(as_routed(fifo.packets[0]))
        return super()._leave(fifo, now)

    def _emit(self, fifo: Fifo, now: int) -> None:
        super()._emit(fifo, now)
        if self._by_phits:
            self._tell_room(fifo, now)

    def _tell_room(self, fifo: Fifo, now: int) -> None:
        """Send the credit of a FIFO that something has left."""
        if lag := self._lag.get(fifo):
            self.untold[fifo] += 1
            self._credits.setdefault(now + 1 + lag, []).append(fifo)


def _most_packets(output: Output, asking: list[Fifo], now: int, seed: int) -> Fifo:
    """Return the FIFO with most packets, the first in round-robin order among equals."""
    return min(asking, key=lambda fifo: (-len(fifo.packets), turns(output, fifo)))


def _entry(fifo: Fifo) -> tuple[int, int, int]:
    """Return the input port or injector of a FIFO; each is one way into the crossbar."""
    return fifo.router.number, fifo.port, fifo.vc if fifo.port < 0 else 0
