"""The way of one packet: the FIFO with its header in each cycle, the obstacles, and the grants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from netplace.netsim.reference.fabric import Fabric, Observer
from netplace.netsim.reference.node import Node
from netplace.netsim.reference.packets import Packet
from netplace.netsim.reference.router import Fifo, Output
from netplace.topologies import Topology

STATES = ("behind others", "waiting for a channel", "moving")


@dataclass(frozen=True)
class Step:
    """Cycles, first to last, in which the header of a packet did the same."""

    begin: int
    end: int
    # Where it stood: an injector, an injection FIFO, or the FIFO beyond a link and its virtual channel.
    place: str
    state: str  # one of `STATES`
    # Behind what it stood, which channels it can ask for and which packets hold them, or its grant.
    detail: str

    @property
    def alike(self) -> tuple[str, str, str]:
        return self.place, self.state, self.detail


class PacketLife(Observer):
    """Follows the header of one packet, the `number`-th (from 0) from a node to another; see `steps`."""

    def __init__(self, topology: Topology, node: Node, destination: int, number: int) -> None:
        self._topology, self._node, self._destination, self._number = topology, node, destination, number
        self._seen, self._last = 0, -1  # packets of the pair so far, and cycle of creation of the last
        self._packet: Packet | None = None
        self._at: Fifo | None = None  # with its header; None while it is in an injector
        self._place = ""
        self._noted = STATES[0], ""
        self._output: Output | None = None  # that the header was granted
        self.steps: list[Step] = []
        self.created = self.consumed = -1  # cycles of its creation and of the consumption of its tail

    @property
    def count(self) -> int:
        """Packets from the node to the destination that have been created."""
        return self._seen

    def begins(self, fabric: Fabric, now: int) -> None:
        """Find the packet once it is created; move it from its injector to the injection FIFO."""
        for injector in self._node.injectors:
            for packet in (*injector.buffer, *injector.fifo.packets):
                if packet.destination == self._destination and packet.created > self._last:
                    self._last, self._seen = packet.created, self._seen + 1
                    if self._seen == self._number + 1:
                        self._packet, self.created = packet, packet.created
                if packet is self._packet and self._at is None:
                    self._place = f"injector {injector.fifo.vc} of node {self._node.number}"
                    if packet in injector.fifo.packets:
                        self._at, self._place = injector.fifo, f"injection FIFO of {self._place}"

    def granted(self, fabric: Fabric) -> None:
        """Note the state of the header between the grants and the moves of a cycle."""
        if self._packet is not None and self.consumed < 0:
            self._noted = self._state()
            self._output = None if self._at is None or self._ahead(self._at.packets) else self._at.output

    def _state(self) -> tuple[str, str]:
        fifo = self._at
        if fifo is None:
            ahead = max(self._ahead(buffer.buffer) for buffer in self._node.injectors)
            return STATES[0], f"{ahead} packets before it, and a full injection FIFO"
        if ahead := self._ahead(fifo.packets):
            first = fifo.packets[0]
            return STATES[0], f"{ahead} packets before it, the first {first.source} to {first.destination}"
        if fifo.output is not None:
            return STATES[2], f"granted {self._named(fifo.output)}"
        if not fifo.ready or fifo.head is None:
            return STATES[2], "on the wire"
        return STATES[1], "; ".join(map(self._wanted, fifo.head.candidates))

    def _ahead(self, packets: Sequence[Packet]) -> int:
        return next((place for place, one in enumerate(packets) if one is self._packet), -1)

    def _wanted(self, output: Output) -> str:
        """Return what stands in the way of a channel that the header can ask for."""
        if output.holder is not None:
            holder = output.holder.packets[0]
            return f"{self._named(output)} is held by {holder.source} to {holder.destination}"
        return f"{self._named(output)} is not asked for, or full beyond"

    def _named(self, output: Output) -> str:
        port = self._topology.ports if output.fifo is None else output.port
        name = self._topology.link_name(output.router.number, port)
        return name if output.fifo is None else f"{name} VC {output.vc}"

    def ends(self, now: int) -> None:
        """Add the cycle to the steps, and follow the header if it has left."""
        if self._packet is None or self.consumed >= 0:
            return
        state, detail = self._noted
        if self.steps:  # cycles that were skipped are like the last one
            self.steps[-1] = replace(self.steps[-1], end=now - 1)
        if not self.steps or self.steps[-1].alike != (self._place, state, detail):
            self.steps.append(Step(now, now, self._place, state, detail))
        self.steps[-1] = replace(self.steps[-1], end=now)
        output = self._output
        if output is not None and output.fifo is not None and self._packet in output.fifo.packets:
            self._at, self._place = output.fifo, f"FIFO of {self._named(output)}"
        elif self._at is not None and self._ahead(self._at.packets) < 0:
            self.consumed = now
