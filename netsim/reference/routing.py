"""What a routing tells: the hops of a new packet, what a header may ask for, and what it asks for now."""

from __future__ import annotations

from abc import ABC, abstractmethod

from netplace.netsim.config import Config
from netplace.netsim.reference.packet import Packet
from netplace.netsim.reference.router import Fifo, Head, Output

__all__ = ["Routing"]


class Routing(ABC):
    """What may happen (`head`) apart from what is chosen now (`request`).

    Parameters
    ----------
    config : Config
        Settings.
    seed : int
        Seed of the draws.

    Attributes
    ----------
    injected : int
        Cycles from the creation of a packet to its first request.
    """

    def __init__(self, config: Config, seed: int) -> None:
        self.seed = seed
        self.injected = 0
        self.vcs = config.vcs
        self.packet_phits = config.packet_phits
        self.bubble_phits = config.bubble * config.packet_phits

    @abstractmethod
    def hops(self, source: int, destination: int, now: int) -> list[int]:
        """Return the route record of a packet created in cycle `now`: signed hops by dimension, or empty."""

    @abstractmethod
    def head(self, fifo: Fifo, now: int) -> Head:
        """Return what the header that came to the head of `fifo` may ask for, first in cycle `now`."""

    @abstractmethod
    def request(self, fifo: Fifo, head: Head, now: int) -> Output | None:
        """Return the output that a header asks for in cycle `now`, if any; called once a cycle."""

    def creates(self, source: int, destination: int) -> bool:
        """Return whether a packet between two nodes is created; not if one of them is cut off."""
        return True

    def crossed(self, packet: Packet, output: Output) -> None:
        """Note with a packet that it begins to cross the link of `output`."""
        packet.cross(output.port)

    def arrived(self, packet: Packet, fifo: Fifo) -> bool:
        """Return whether `fifo` stands in the destination's router."""
        return packet.destination == fifo.router.number

    def may_enter(self, fifo: Fifo, output: Output) -> bool:
        """Return whether `output` has room for the head packet of `fifo`, its bubble included.

        A packet enters a ring when it comes from any FIFO but the one of that very port and VC, whose number
        is that of the output; that FIFO is the one by which the ring's traffic enters this router.
        """
        if output.fifo is None:
            return True
        if output.fifo.room < self.packet_phits:
            return False
        if not output.ring or fifo.number == output.number:
            return True
        return fifo.router.fifos[output.number].room >= self.bubble_phits
