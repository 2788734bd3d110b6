"""The packet, the unit of switching."""

from __future__ import annotations

from netplace.netsim.reference.messages import Load


class Packet:
    def __init__(self, source: int, destination: int, created: int, hops: list[int], load: Load) -> None:
        # Source node and destination node.
        self.source = source
        self.destination = destination
        self.created = created  # cycle in which the node created it
        self.hops = hops  # remaining signed hops in each dimension of a mesh or torus; empty on a tree
        self.load = load
        self.trip: object = None  # state of a routing in tables; None at first
        self.gone = False  # whether a fault has ended it, so that it is discarded
        self.first_vc = 0  # first virtual channel of its traffic class, on every link
        self.counted = True  # whether it counts as a created packet
        self.marked = False  # whether it was marked when it left a long queue for a contended output

    def cross(self, port: int) -> None:
        """Count the hop through the link that leaves by `port`."""
        if self.hops:
            self.hops[port // 2] -= 1 if port % 2 == 0 else -1
