"""The network without its nodes: routers, links, and the events of a cycle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from netplace.netsim.chance import CROSSBAR, pick
from netplace.netsim.config import Config
from netplace.netsim.congestion import read_congestion
from netplace.netsim.reference.arbiters import arbiter_of
from netplace.netsim.reference.graphs import GraphRouting
from netplace.netsim.reference.messages import Packet
from netplace.netsim.reference.router import Fifo, Link, Output
from netplace.netsim.reference.stall_attribution import StallAttribution
from netplace.netsim.reference.wiring import join, make_routers
from netplace.netsim.table_router import TableRouter, uses_table_router
from netplace.topologies import Topology


class Fabric:
    """Routers and links, and the sets of those that have something to do."""

    def __init__(
        self, topology: Topology, config: Config, seed: int, deliver: Callable[[Packet, int], None]
    ) -> None:
        self.routing, self.routers, cycles, delay = make_routers(topology, config, seed)
        self._injected = self.routing.injected
        join(self.routers, topology, config.of_all_classes, cycles, delay)
        # FIFOs whose head is a header that has arrived and holds no output (keys in order of arrival).
        self.waiting: dict[Fifo, None] = {}
        self.busy: dict[Link, None] = {}  # links with a held virtual channel
        self.consuming: dict[Fifo, None] = {}  # FIFOs whose head packet is on its way into the node
        self.wires: dict[int, list[Fifo]] = {}  # destinations of the phits on the links, by cycle of arrival
        # FIFOs with a credit on its way to the previous router, by cycle of arrival.
        self.credits: dict[int, list[Fifo]] = {}
        # Shape (routers, ports): packets that started to cross each link.
        self.link_packets: NDArray[np.int64] = np.zeros(topology.neighbor.shape, np.int64)
        # Shape (routers, ports): cycles in which each link carried a phit.
        self.link_cycles: NDArray[np.int64] = np.zeros(topology.neighbor.shape, np.int64)
        self.phits = 0  # moved phits, including consumed ones
        self.moved = False  # whether links or consumption moved a phit in the last cycle
        self._freed = False  # whether `single` consumption became free, so that its router looks once more
        self._seed = seed
        self._packet_phits = config.packet_phits
        self._crossbar = config.crossbar_speedup
        self._single = config.ejection == "single"
        self._marks = read_congestion(config.congestion_control).marks
        self._arbiter = arbiter_of(config.arbiter, uses_table_router(topology, config))
        self._deliver = deliver
        self.blame: StallAttribution | None = None  # stall attribution, if requested

    def inject(self, fifo: Fifo, packet: Packet, now: int) -> None:
        """Put a whole packet into an injection FIFO that has room for it."""
        fifo.packets.append(packet)
        fifo.present += self._packet_phits
        ready = packet.created + self._injected
        if ready > now:
            self.wires.setdefault(ready, []).extend([fifo] * self._packet_phits)
            return
        fifo.ready += self._packet_phits
        if fifo.output is None:
            self.waiting[fifo] = None

    def cycle(self, now: int) -> bool:
        """Execute steps 2 to 4 of cycle `now`; return whether anything can move in the next one.

        The wires are unloaded first, so arrivals are present at the start of this cycle.
        """
        self.charge_up_to(now)
        before = self.phits
        self.moved = self._freed = False
        self._unload(now)
        self._grant(self._requests(now), now)
        if self.blame is not None:
            self.blame.look([*self.waiting, *self._granted()])
        self._cross(now)
        self._consume(now)
        if self.blame is not None:
            self.blame.charge(now)
        if self._in_motion() or self.wires or self.credits or self._freed:
            return True
        # Headers alone. If phits moved there may be new room. If none did, no header found anything to ask
        # for, and each stands as it would after any number of such cycles: they can be left out.
        return bool(self.waiting) and (self.phits > before or any(map(self._hopeful, self.waiting)))

    def _in_motion(self) -> bool:
        """Return whether a packet is on its way over a link or into a node."""
        return bool(self.busy or self.consuming)

    def charge_up_to(self, now: int) -> None:
        """Charge all waiting before cycle `now`, if waiting is charged."""
        if self.blame is not None:
            self.blame.charge_up_to(now, [*self.waiting, *self._granted()])

    def route(self, config: Config, table: TableRouter) -> None:
        self.routing = GraphRouting(table, config, self._seed, self.routers)

    def pace(self, cycles: NDArray[np.int64], delay: NDArray[np.int64]) -> None:
        for link in self._links():
            place = link.outputs[0].router.number, link.outputs[0].port
            link.pace(int(cycles[place]), int(delay[place]))

    def blocked(self) -> list[tuple[int, int, int, list[tuple[int, int]]]]:
        """Return each FIFO whose header waits, as `netplace.netsim.engine.Blocked` lists them."""
        rows = []
        for fifo in self.waiting:
            outputs = fifo.head.candidates if fifo.head else []
            wants = [(o.fifo.router.number, o.fifo.number) for o in outputs if o.fifo is not None]
            rows.append((fifo.router.number, fifo.number, len(fifo.packets), wants))
        return sorted(rows)

    def pointers(self) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
        outputs = [output.pointer for output in self._outputs()]
        links = [pointer for link in self._links() for pointer in (*link.pointers, link.turn)]
        return np.array(outputs, np.int16), np.array(links, np.int16)

    def set_pointers(self, pointers: tuple[NDArray[np.int16], ...]) -> None:
        outputs, links = pointers
        for output, pointer in zip(self._outputs(), outputs.tolist(), strict=True):
            output.pointer = pointer
        given = iter(links.tolist())
        for link in self._links():
            link.pointers = [next(given) for _ in link.pointers]
            link.turn = next(given)

    def _outputs(self) -> list[Output]:
        return [output for router in self.routers for output in (*router.outputs, router.consumption)]

    def _links(self) -> list[Link]:
        return [output.link for output in self._outputs() if output.link is not None and output.vc == 0]

    def _granted(self) -> list[Fifo]:
        """Return the FIFOs whose head is granted an output and has not begun to cross its link."""
        holders = [output.holder for link in self.busy for output in link.outputs]
        return [fifo for fifo in holders if fifo is not None and fifo.sent == 0]

    def _hopeful(self, fifo: Fifo) -> bool:
        """Return whether the header that waits in `fifo` could request an output if nothing else moved."""
        if fifo.head is None:  # come to the head since requests were placed: behind a tail on a slow link
            return True
        return any(self.routing.may_enter(fifo, output) for output in fifo.head.candidates)

    def _unload(self, now: int) -> None:
        """Make arriving phits ready, and update the room of FIFOs whose credits return."""
        for fifo in self.credits.pop(now, ()):
            fifo.untold -= 1
        for fifo in self.wires.pop(now, ()):
            fifo.ready += 1
            if fifo.output is None:
                self.waiting[fifo] = None

    def _requests(self, now: int) -> dict[Output, list[Fifo]]:
        """Return the requests of each output; every waiting header makes at most one request."""
        asked: dict[Output, list[Fifo]] = {}
        for fifo in self.waiting:
            head = fifo.head
            if head is None:
                head = fifo.head = self.routing.head(fifo, now)
            output = self.routing.request(fifo, head, now)
            if output is not None:
                asked.setdefault(output, []).append(fifo)
        return asked

    def _grant(self, asked: dict[Output, list[Fifo]], now: int) -> None:
        """Grant each free output to one of its requests; the other requests are lost."""
        for output, all_fifos in asked.items():
            if output.shared:
                for fifo in all_fifos:
                    self._tie(fifo, output)
            elif output.holder is None:
                fifos = output.of_next_class(all_fifos)
                winner = fifos[0] if len(fifos) == 1 else self._arbiter(output, fifos, now, self._seed)
                output.pointer = (winner.number + 1) % len(output.router.fifos)
                if self._marks and len(fifos) > 1 and winner.arrived(self._packet_phits) >= self._marks:
                    winner.packets[0].marked |= (output.link or output).in_use(now)
                self._tie(winner, output)

    def _tie(self, fifo: Fifo, output: Output) -> None:
        """Reserve `output` for the head packet of `fifo` until its tail has left."""
        del self.waiting[fifo]
        fifo.head = None
        fifo.output = output
        if output.link is not None:
            output.link.take(output, fifo)
            self.busy[output.link] = None
            return
        if not output.shared:
            output.holder = fifo
        self.consuming[fifo] = None

    def _cross(self, now: int) -> None:
        """Move a phit over each link, of the packet that it serves."""
        leaving = self._leaving()
        for link in self._in_turn(now):
            idle = link.serving is None
            output = link.choose(lambda fifo: not self._crossbar or leaving[_entry(fifo)] < self._crossbar)
            if output is None:
                continue
            if idle and output.holder is not None:
                leaving[_entry(output.holder)] += 1
            source = output.holder
            assert source is not None
            if link.rest == 0:
                if not source.ready:
                    continue
                self._emit(link, output, source, now)
                link.rest = link.cycles
            if self.blame is not None:
                self.blame.crosses(link, source.packets[0].load.job)
            link.rest -= 1
            self.link_cycles[output.router.number, output.port] += 1
            self.moved = True
            if link.rest == 0 and source.sent == self._packet_phits:
                self._leave(source, now)
                link.finish(output, now)
                if not link.held:
                    del self.busy[link]

    def _leaving(self) -> Counter[tuple[int, int, int]]:
        """Return the number of packets that are leaving each input port for links, if that is limited."""
        if not self._crossbar:
            return Counter()
        sources = [link.serving.holder for link in self.busy if link.serving is not None]
        there = [fifo for fifo in sources if fifo is not None and fifo.router.fifos[fifo.number] is fifo]
        return Counter(map(_entry, there))

    def _in_turn(self, now: int) -> list[Link]:
        """Return the links with held channels; if they share crossbars, starting from a drawn port."""
        if not self._crossbar:
            return list(self.busy)

        def turn(link: Link) -> int:
            router, port = link.outputs[0].router, link.outputs[0].port
            return (port - pick(self._seed, CROSSBAR, router.number, 0, now, router.ports)) % router.ports

        return sorted(self.busy, key=turn)

    def _emit(self, link: Link, output: Output, source: Fifo, now: int) -> None:
        """Let a phit leave `source` by a link."""
        # Behind a slow link a header waits until its phits can follow one a cycle, and they are held back so.
        target = output.fifo
        assert target is not None
        source.emit()
        self._phit_left(source, now)
        target.present += 1
        arrival = now + link.delay - (link.cycles - 1) * (source.sent - 1)
        self.wires.setdefault(arrival, []).append(target)
        self.phits += 1
        if source.sent == 1:
            packet = source.packets[0]
            self.routing.crossed(packet, output)
            target.packets.append(packet)
            self.link_packets[output.router.number, output.port] += 1

    def _consume(self, now: int) -> None:
        for fifo in list(self.consuming):
            if not fifo.ready:
                continue
            fifo.emit()
            self._phit_left(fifo, now)
            self.phits += 1
            self.moved = True
            if fifo.sent == self._packet_phits:
                del self.consuming[fifo]
                if fifo.output is not None:
                    fifo.output.finish(now)
                    self._freed = self._single
                self._deliver(self._leave(fifo, now), now)

    def _leave(self, fifo: Fifo, now: int) -> Packet:
        """Remove the packet whose tail has left from `fifo`, and let the next header wait if it is there."""
        packet = fifo.release()
        self._packet_left(fifo, now)
        if fifo.ready:
            self.waiting[fifo] = None
        return packet

    def _phit_left(self, fifo: Fifo, now: int) -> None:
        """Record that a phit has left a FIFO in cycle `now`; its place is free when the packet has left."""

    def _packet_left(self, fifo: Fifo, now: int) -> None:
        if fifo.lag:
            self._tell_room(fifo, now)

    def _tell_room(self, fifo: Fifo, now: int) -> None:
        """Schedule the credit of a FIFO that something has left in cycle `now`."""
        fifo.untold += 1
        self.credits.setdefault(now + 1 + fifo.lag, []).append(fifo)


def _entry(fifo: Fifo) -> tuple[int, int, int]:
    """Return the input port or injector of a FIFO; each is one way into the crossbar."""
    return fifo.router.number, fifo.port, fifo.vc if fifo.port < 0 else 0
