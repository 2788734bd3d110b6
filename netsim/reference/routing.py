"""The routing interface: the hops of a new packet, the outputs that a header can request, and its request."""

from __future__ import annotations

from abc import ABC, abstractmethod

from netplace.netsim.config import Config
from netplace.netsim.reference.messages import Packet
from netplace.netsim.reference.router import Fifo, Head, Output


class Routing(ABC):
    """Separates the possible outputs (`head`) from the request in a cycle (`request`)."""

    def __init__(self, config: Config, seed: int) -> None:
        self.seed = seed
        self.injected = 0  # cycles from the creation of a packet to its first request
        self.vcs = config.vcs
        self.packet_phits = config.packet_phits
        self.bubble_phits = config.bubble * config.packet_phits

    @abstractmethod
    def hops(self, source: int, destination: int, now: int) -> list[int]:
        """Return the route record of a packet created in cycle `now`: signed hops by dimension, or empty."""

    @abstractmethod
    def head(self, fifo: Fifo, now: int) -> Head:
        """Return the outputs that the header at the head of `fifo` can request, first in cycle `now`."""

    @abstractmethod
    def request(self, fifo: Fifo, head: Head, now: int) -> Output | None:
        """Return the output that a header requests in cycle `now`, if any; called once per cycle."""

    def creates(self, source: int, destination: int) -> bool:
        """Return whether a packet between two nodes is created, which is not so if one of them is cut off."""
        return True

    def crossed(self, packet: Packet, output: Output) -> None:
        """Record in a packet that it begins to cross the link of `output`."""
        packet.cross(output.port)

    def arrived(self, packet: Packet, fifo: Fifo) -> bool:
        return packet.destination == fifo.router.number

    def may_enter(self, fifo: Fifo, output: Output) -> bool:
        """Return whether `output` has room for the head packet of `fifo`, including its bubble.

        A packet enters a ring unless it comes from the FIFO of the same port and VC, which has the number of
        the output. The traffic of the ring enters this router through that FIFO.
        """
        if output.fifo is None:
            return True
        if output.fifo.room < self.packet_phits:
            return False
        if not output.ring or fifo.number == output.number:
            return True
        return fifo.router.fifos[output.number].room >= self.bubble_phits
