"""The share of its packets that a simulation has delivered, told while networks advance; what it costs."""

from __future__ import annotations

import math
from collections.abc import Callable

from netplace.netsim import Network

HOPS_PER_SECOND = 1e7  # of the kernel on a core of 2020


class PacketMeter:
    """Counts the packets that watched networks have delivered.

    `tell` receives the share in per cent, several times per second; `announce`, once this is known, the CPU
    seconds that all takes, about.
    """

    def __init__(self, tell: Callable[[int], None], announce: Callable[[float], None]) -> None:
        self._tell, self._announce = tell, announce
        self._expected = math.inf
        self._delivered: list[int] = []  # by network

    def expect(self, packets: float, diameter: int) -> None:
        """Set how many packets all networks together will deliver, about, on ways of half the diameter."""
        self._expected = max(1.0, packets)
        self._announce(packets * (1 + diameter / 2) / HOPS_PER_SECOND)

    def watch_alone(self, network: Network, packets: float) -> None:
        """Watch a network that delivers all packets."""
        self.expect(packets, network.topology.diameter)
        self.watch(network)

    def watch(self, network: Network) -> None:
        place = len(self._delivered)
        self._delivered.append(0)

        def between() -> None:
            self._delivered[place] = network.counters().delivered
            self._tell(min(99, int(100 * sum(self._delivered) / self._expected)))

        network.between = between
