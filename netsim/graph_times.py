"""When events fall due on the links of the general router, and how many may be under way."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.netsim.config import Config
from netplace.netsim.layout import power_of_two
from netplace.topologies import Topology

__all__ = [
    "credit_times",
    "credits_under_way",
    "header_times",
    "link_times",
    "ring_setting",
    "under_way",
]

Int = NDArray[np.int64]


def link_times(cycles: Int, config: Config) -> NDArray[np.int32]:
    """Return for how many cycles a packet holds each link."""
    return np.asarray((cycles * config.packet_phits).astype(np.int32).ravel())


def header_times(topology: Topology, config: Config, delay: Int, first: Int) -> NDArray[np.int32]:
    """Return the cycles from a header's departure for each FIFO to its first request there."""
    return _at_entries(topology, config, delay, np.ones(int(first[-1]), np.int32), first)


def credit_times(topology: Topology, config: Config, lag: Int, first: Int) -> NDArray[np.int32]:
    """Return for each FIFO how many cycles later than at once the router before it knows of room."""
    return _at_entries(topology, config, lag, np.zeros(int(first[-1]), np.int32), first)


def _at_entries(
    topology: Topology, config: Config, of_port: Int, at_fifo: NDArray[np.int32], first: Int
) -> NDArray[np.int32]:
    """Give the FIFOs at the end of each link what its port has; the others keep what they have."""
    router, port, end, entry = topology.links().T.astype(np.int64)
    for vc in range(config.vcs):
        at_fifo[first[end] + entry * config.vcs + vc] = of_port[router, port]
    return at_fifo


def under_way(cycles: Int, delay: Int, config: Config) -> int:
    """Return how many headers may be on links of such speeds at most."""
    return int((delay // (cycles * config.packet_phits) + 2).sum())


def credits_under_way(lag: Int, config: Config) -> int:
    """Return how many credits may be on their way back over such links at most."""
    of_fifo = np.minimum(config.queue_packets, lag // config.packet_phits + 2)
    return int((config.vcs * of_fifo)[lag > 0].sum())


def ring_setting(cycles: Int, delay: Int, config: Config, least: int = 0) -> dict[str, int]:
    """Return the lengths of the rings of events that links of such speeds, and `least` cycles, need."""
    return {
        "tail_ring": power_of_two(int(cycles.max(initial=1)) * config.packet_phits + 1),
        "head_ring": power_of_two(max(least, int(delay.max(initial=1))) + 1),
    }
