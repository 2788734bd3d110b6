"""The packet, the unit of switching."""

from __future__ import annotations

from netplace.netsim.reference.messages import Load

__all__ = ["Packet"]


class Packet:
    """A packet under way.

    Attributes
    ----------
    source, destination : int
        Source node and destination node.
    created : int
        Cycle in which the node created it.
    hops : list of int
        Remaining signed hops in each dimension of a mesh or torus; empty on a tree.
    load : Load
        Load to which the packet belongs.
    trip : object
        State of a routing in tables; None at first.
    gone : bool
        Whether a fault has ended it, so that it is discarded.
    first_vc : int
        First virtual channel of its traffic class, on every link.
    counted : bool
        Whether it counts as a created packet.
    marked : bool
        Whether it was marked when it left a long queue for a contended output.
    """

    __slots__ = (
        "counted",
        "created",
        "destination",
        "first_vc",
        "gone",
        "hops",
        "load",
        "marked",
        "source",
        "trip",
    )

    def __init__(self, source: int, destination: int, created: int, hops: list[int], load: Load) -> None:
        self.source = source
        self.destination = destination
        self.created = created
        self.hops = hops
        self.load = load
        self.trip: object = None
        self.gone = False
        self.first_vc = 0
        self.counted = True
        self.marked = False

    def cross(self, port: int) -> None:
        """Count the hop through the link that leaves by `port`."""
        if self.hops:
            self.hops[port // 2] -= 1 if port % 2 == 0 else -1
