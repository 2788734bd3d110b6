"""The network without its nodes: routers, links, and the events of a cycle."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from netplace.netsim.config import Config
from netplace.netsim.reference.arbiters import ARBITERS
from netplace.netsim.reference.packets import Packet
from netplace.netsim.reference.router import Fifo, Link, Output, Router
from netplace.netsim.reference.routing import Routing
from netplace.topologies import Topology


class Observer:
    """Sees every cycle of a fabric; this one does nothing."""

    def begins(self, fabric: Fabric, now: int) -> None:
        """See the beginning of cycle `now`; nothing has moved since the last one that was observed."""

    def granted(self, fabric: Fabric) -> None:
        """See the grants of a cycle before any phit moves."""

    def crosses(self, link: Link, packet: Packet) -> None:
        """See that a phit of a packet crosses a link in this cycle."""

    def ends(self, now: int) -> None:
        """See the end of cycle `now`."""


class Fabric:
    """Routers and links, and the sets of those that have something to do.

    Its owner puts packets into injection FIFOs (`inject`), and is given them back when they are consumed
    (`deliver`).
    """

    def __init__(
        self,
        topology: Topology,
        routers: list[Router],
        routing: Routing,
        config: Config,
        deliver: Callable[[Packet, int], None],
    ) -> None:
        self.routers = routers
        self.routing = routing
        self.links = list(
            {output.link: None for router in routers for output in router.outputs if output.link}
        )
        self.observer = Observer()
        # FIFOs whose head is a header that has arrived and holds no output (keys in order of arrival).
        self.waiting: dict[Fifo, None] = {}
        self.busy: dict[Link, None] = {}  # links with a held virtual channel
        self.consuming: dict[Fifo, None] = {}  # FIFOs whose head packet is on its way into the node
        self.wires: dict[int, list[Fifo]] = {}  # destinations of the phits on the links, by cycle of arrival
        # Shape (routers, ports): packets that started to cross each link.
        self.link_packets: NDArray[np.int64] = np.zeros(topology.neighbor.shape, np.int64)
        # Shape (routers, ports): cycles in which each link carried a phit.
        self.link_cycles: NDArray[np.int64] = np.zeros(topology.neighbor.shape, np.int64)
        self.phits = 0  # moved phits, including consumed ones
        self.moved = False  # whether links or consumption moved a phit in the last cycle
        self._freed = False  # whether `single` consumption became free, so that its router looks once more
        self._packet_phits = config.packet_phits
        self._single = config.ejection == "single"
        self._arbiter = ARBITERS[config.arbiter]
        self._deliver = deliver

    def inject(self, fifo: Fifo, packet: Packet, now: int) -> None:
        """Put a whole packet into an injection FIFO that has room for it."""
        fifo.packets.append(packet)
        fifo.present += self._packet_phits
        fifo.ready += self._packet_phits
        if fifo.output is None:
            self.waiting[fifo] = None

    def cycle(self, now: int) -> bool:
        """Execute steps 2 to 4 of cycle `now`; return whether anything can move in the next one.

        The wires are unloaded first, so arrivals are present at the start of this cycle.
        """
        self.observer.begins(self, now)
        before = self.phits
        self.moved = self._freed = False
        self._unload(now)
        self._grant(self._requests(now), now)
        self.observer.granted(self)
        self._cross(now)
        self._consume(now)
        self.observer.ends(now)
        if self._in_motion() or self.wires or self._freed:
            return True
        # Headers alone. If phits moved there may be new room. If none did, no header found anything to ask
        # for, and each stands as it would after any number of such cycles: they can be left out.
        return bool(self.waiting) and (self.phits > before or any(map(self._hopeful, self.waiting)))

    def _in_motion(self) -> bool:
        """Return whether a packet is on its way over a link or into a node."""
        return bool(self.busy or self.consuming)

    def _hopeful(self, fifo: Fifo) -> bool:
        """Return whether the header that waits in `fifo` could request an output if nothing else moved."""
        if fifo.head is None:  # come to the head since requests were placed
            return True
        return any(self.routing.may_enter(fifo, output) for output in fifo.head.candidates)

    def _unload(self, now: int) -> None:
        """Make arriving phits ready."""
        for fifo in self.wires.pop(now, ()):
            fifo.ready += 1
            if fifo.output is None:
                self.waiting[fifo] = None

    def _requests(self, now: int) -> dict[Output, list[Fifo]]:
        """Return the requests of each output; every waiting header makes at most one request."""
        requests: dict[Output, list[Fifo]] = {}
        for fifo in self.waiting:
            head = fifo.head
            if head is None:
                head = fifo.head = self.routing.head(fifo, now)
            output = self.routing.request(fifo, head, now)
            if output is not None:
                requests.setdefault(output, []).append(fifo)
        return requests

    def _grant(self, requests: dict[Output, list[Fifo]], now: int) -> None:
        """Grant each free output to one of its requests; the other requests are lost."""
        for output, fifos in requests.items():
            if output.shared:
                for fifo in fifos:
                    self._tie(fifo, output)
            elif output.holder is None:
                winner = self._choose(output, fifos, now)
                output.pointer = (winner.number + 1) % len(output.router.fifos)
                self._tie(winner, output)

    def _choose(self, output: Output, asking: list[Fifo], now: int) -> Fifo:
        return self._arbiter(output, asking, now, self.routing.seed)

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
        for link in list(self.busy):
            output = link.choose()
            if output is not None and output.holder is not None and output.holder.ready:
                self._send(link, output, output.holder, now)
                self._free(link, output, output.holder, now)

    def _send(self, link: Link, output: Output, source: Fifo, now: int) -> None:
        """Let a phit leave `source` by a link."""
        target = output.fifo
        assert target is not None
        self._emit(source, now)
        target.present += 1
        self.wires.setdefault(link.arrival(now, source.sent), []).append(target)
        packet = source.packets[0]
        if source.sent == 1:
            self.routing.crossed(packet, output)
            target.packets.append(packet)
            self.link_packets[link.place] += 1
        self.link_cycles[link.place] += 1
        self.observer.crosses(link, packet)

    def _free(self, link: Link, output: Output, source: Fifo, now: int) -> None:
        """Release the output, and the link if it is the last, when the tail of a packet has left."""
        if source.sent == self._packet_phits:
            self._leave(source, now)
            link.finish(output)
            if not link.held:
                del self.busy[link]

    def _consume(self, now: int) -> None:
        """Move a phit into the node from each FIFO whose packet has arrived."""
        for fifo in list(self.consuming):
            if not fifo.ready:
                continue
            self._emit(fifo, now)
            if fifo.sent == self._packet_phits:
                del self.consuming[fifo]
                if fifo.output is not None:
                    fifo.output.holder = None
                    self._freed = self._single
                self._deliver(self._leave(fifo, now), now)

    def _emit(self, fifo: Fifo, now: int) -> None:
        """Let a phit leave `fifo`."""
        fifo.ready -= 1
        fifo.present -= 1
        fifo.sent += 1
        self.phits += 1
        self.moved = True

    def _leave(self, fifo: Fifo, now: int) -> Packet:
        """Remove the packet whose tail has left from `fifo`, and let the next header wait if it is there."""
        packet = fifo.release()
        if fifo.ready:
            self.waiting[fifo] = None
        return packet
