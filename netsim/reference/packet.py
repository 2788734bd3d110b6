"""The unit of switching."""

from __future__ import annotations

from netplace.netsim.reference.messages import Load

__all__ = ["Packet"]


class Packet:
    """A packet under way.

    Attributes
    ----------
    source, destination : int
        Nodes.
    created : int
        Cycle in which the node created it.
    hops : list of int
        Signed hops still to go in each dimension of a mesh or torus; empty on a tree.
    load : Load
        What it carries a part of.
    trip : object
        What a routing in tables keeps with it; None before.
    gone : bool
        Whether a fault has made an end of it: it is thrown away.
    first_vc : int
        First virtual channel of its traffic class, on every link.
    counted : bool
        Whether it is one of the packets that were created.
    marked : bool
        Whether it has left a long queue for a contended output.
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
