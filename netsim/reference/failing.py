"""Faults at a cycle, phit by phit: packets on dying links, and packets that have nowhere to go."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from netplace.netsim.reference.graphs import RoutedPacket, Trip, as_routed
from netplace.netsim.reference.packets import Packet
from netplace.netsim.reference.router import Fifo, Link
from netplace.netsim.reference.table_fabric import TableFabric
from netplace.netsim.table_router import TableRouter


@dataclass
class Outage:
    """The effects of a fault on the packets of a fabric, between two cycles."""

    fabric: TableFabric
    table: TableRouter
    dead: NDArray[np.bool_]  # routers
    down: NDArray[np.bool_]  # links
    repeats: bool  # whether packets on these links are sent again
    # Packets lost, and packets that will be sent again.
    lost: int = 0
    again: int = 0
    losers: set[int] = field(default_factory=set)  # jobs with lost packets

    def __post_init__(self) -> None:
        self._withdraw_grants()
        self._cut_links()
        self._lose_what_has_no_way()
        self._begin_anew()

    def lose(self, packet: Packet) -> None:
        """Mark a packet as lost: it is discarded where its header next is at the head of a FIFO."""
        packet = as_routed(packet)
        if not packet.gone:
            packet.gone = True
            self.lost += 1
            if packet.load.job >= 0:
                self.losers.add(packet.load.job)

    def nowhere(self, packet: Packet, router: int) -> bool:
        """Return whether a packet whose header is in `router` has no way to its destination."""
        node = packet.destination
        return bool(self.dead[router] or self.dead[node]) or not self.table.leads(router, node)

    def _withdraw_grants(self) -> None:
        """Withdraw the grant of every output whose packet has not begun to cross."""
        for link in list(self.fabric.busy):
            for output in link.outputs:
                fifo = output.holder
                if fifo is not None and fifo.sent == 0:
                    output.holder = fifo.output = None
                    link.held -= 1
                    self.fabric.waiting[fifo] = None
            if not link.held:
                del self.fabric.busy[link]

    def _cut_links(self) -> None:
        """Lose, or send again, packets that cross a failing link; the first of several links counts."""
        crossing = {link.serving.holder: link for link in self.fabric.busy if link.serving is not None}
        dying = [fifo for fifo, link in crossing.items() if fifo is not None and self.down[link.place]]
        for fifo in dying:
            packet = as_routed(fifo.packets[0])
            ways = [other for other in dying if other is not fifo and other.packets[0] is packet]
            if (
                packet.gone
                or not _holds_on(crossing, fifo)
                or any(fifo in _beyond(crossing, other) for other in ways)
            ):
                continue
            if self.repeats and not self.nowhere(packet, fifo.router.number):
                self._send_again(fifo, crossing)
            else:
                self.lose(packet)

    def _send_again(self, fifo: Fifo, crossing: dict[Fifo | None, Link]) -> None:
        """Restore the head of a FIFO; the part that has left continues without an owner and is discarded."""
        packet = fifo.packets[0]
        source, destination = packet.source, packet.destination
        rest = RoutedPacket(source, destination, packet.created, [], packet.load, gone=True, counted=False)
        for beyond in _beyond(crossing, fifo):
            beyond.packets[beyond.packets.index(packet)] = rest
            if beyond.packets[0] is not rest:
                break
        output = fifo.output
        assert output is not None
        phantom = Fifo(fifo.router, fifo.port, fifo.vc, fifo.number, fifo.capacity)
        phantom.packets.append(rest)
        phantom.sent, phantom.output = fifo.sent, output
        phantom.ready = phantom.present = self.fabric.routing.packet_phits - fifo.sent
        output.holder = phantom
        fifo.ready += fifo.sent
        fifo.present += fifo.sent
        fifo.sent = 0
        fifo.output = None
        self.fabric.waiting[fifo] = None
        self.again += 1

    def _lose_what_has_no_way(self) -> None:
        """Lose packets in dead routers and packets to unreachable nodes, wherever their header is."""
        for router in self.fabric.routers:
            for fifo in router.fifos:
                crossing = fifo.sent > 0 and fifo.output is not None and fifo.output.link is not None
                for packet in list(fifo.packets)[int(crossing) :]:
                    if self.nowhere(packet, router.number):
                        self.lose(packet)

    def _begin_anew(self) -> None:
        """Let every packet choose its way again from its current position."""
        for router in self.fabric.routers:
            for fifo in router.fifos:
                fifo.head = None
                for packet in fifo.packets:
                    as_routed(packet).trip = Trip()


def _beyond(crossing: dict[Fifo | None, Link], fifo: Fifo) -> Iterator[Fifo]:
    """Yield the FIFO into which the head of `fifo` is crossing, that into which the head there is, and on."""
    link = crossing.get(fifo)
    while link is not None and link.serving is not None and link.serving.fifo is not None:
        yield link.serving.fifo
        link = crossing.get(link.serving.fifo)


def _holds_on(crossing: dict[Fifo | None, Link], fifo: Fifo) -> bool:
    """Return whether all routers behind a link that a packet is crossing still hold it, up to its header."""
    packet = fifo.packets[0]
    for beyond in _beyond(crossing, fifo):
        if packet not in beyond.packets:
            return False
        if beyond.packets[0] is not packet or beyond not in crossing:
            return True
    return False
