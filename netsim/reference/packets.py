"""Packets, and loads: the packets that a node is to create."""

from __future__ import annotations

from dataclasses import dataclass

import simpy


class Load:
    """Packets that a node creates for one destination, one after another; as such, open-loop traffic."""

    job = -1  # number of the job to which they belong; -1 for open-loop traffic
    begun = False  # whether one was created

    def __init__(self, env: simpy.Environment, destination: int, packets: int) -> None:
        self.destination = destination  # node that consumes them
        self.left = packets  # packets that are still to be created
        self.over = env.event()  # event of the cycle in which the last of them is created

    def begin(self, now: int) -> None:
        """Record that the first packet was created in cycle `now`."""

    def created(self) -> None:
        """Record that a packet was created."""

    def consumed(self, now: int) -> None:
        """Record that the tail of one of the packets was consumed in cycle `now`."""


@dataclass(eq=False, repr=False)
class Packet:
    source: int  # node
    destination: int  # node
    created: int  # cycle in which the source created it
    hops: list[int]  # remaining signed hops in each dimension of a mesh or torus; otherwise empty
    load: Load
