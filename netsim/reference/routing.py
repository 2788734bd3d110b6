"""The routing interface: the hops of a new packet, the outputs that a header can request, and its request."""

from __future__ import annotations

from abc import ABC, abstractmethod

from netplace.netsim.config import Config
from netplace.netsim.reference.packets import Packet
from netplace.netsim.reference.router import Fifo, Head, Output


class Routing(ABC):
    """Separates the possible outputs (`head`) from the request in a cycle (`request`)."""

    def __init__(self, config: Config, seed: int) -> None:
        self.seed = seed
        self.vcs = config.vcs
        self.packet_phits = config.packet_phits

    def hops(self, source: int, destination: int, now: int) -> list[int]:
        """Return the route record of a packet created in cycle `now`; empty if routers look up the way."""
        return []

    @abstractmethod
    def head(self, fifo: Fifo, now: int) -> Head:
        """Return the outputs that the header at the head of `fifo` can request, first in cycle `now`."""

    @abstractmethod
    def request(self, fifo: Fifo, head: Head, now: int) -> Output | None:
        """Return the output that a header requests in cycle `now`, if any; called once per cycle."""

    def crossed(self, packet: Packet, output: Output) -> None:
        """Record in a packet that it begins to cross the link of `output`."""
        return

    def arrived(self, packet: Packet, fifo: Fifo) -> bool:
        return packet.destination == fifo.router.number

    def may_enter(self, fifo: Fifo, output: Output) -> bool:
        """Return whether `output` has room for the head packet of `fifo`."""
        return output.fifo is None or output.fifo.room >= self.packet_phits
