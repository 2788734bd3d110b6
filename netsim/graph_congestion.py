"""The kernel's constants and arrays of congestion control in the general router."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.netsim.classes import read_classes
from netplace.netsim.config import Config
from netplace.netsim.congestion import read_congestion
from netplace.netsim.kernel import graph_state as g
from netplace.netsim.line_rate import LEAST_RATE, LINE_RATE
from netplace.topologies import Topology

__all__ = ["congestion_arrays", "congestion_bytes", "congestion_setting", "events_to_come", "longest_wait"]

_LONG_WAIT = 1 << 12  # cycles after which a node that waits for its turn is woken at the latest


def congestion_bytes(topology: Topology, config: Config, fifos: int) -> int:
    """Return the bytes that are kept for pairs of nodes, and for flows that keep their order.

    Raises
    ------
    ValueError
        If there are more pairs than the kernel can tell apart.
    """
    control = read_congestion(config.congestion_control)
    flows = topology.nodes**2 * read_classes(config.traffic_classes).count if config.ordered_flows else 0
    pairs = topology.nodes**2 if control.by_pair else 0
    if fifos + g.WAKE * pairs + topology.nodes >= 1 << 31:
        raise ValueError(
            f"congestion_control: {topology} has {pairs} pairs of nodes, more than the kernel's {1 << 30}"
        )
    return pairs * (2 * int(control.window > 0) + 8 * g.PACE_WORDS * int(control.rate > 0)) + 8 * flows


def congestion_setting(config: Config) -> dict[str, int]:
    """Return the constants."""
    control = read_congestion(config.congestion_control)
    return {
        "ordered": int(config.ordered_flows),
        "window": control.window,
        "ack": control.ack,
        "rate": control.rate,
        "marks": control.marks,
        "every": control.every,
        "timer": control.timer,
        "gain": control.gain,
        "increase": control.step,
    }


def congestion_arrays(topology: Topology, u: Any, slots: int) -> dict[str, NDArray[Any]]:
    """Return the arrays of an empty network with places for so many packets."""
    pairs = topology.nodes**2
    return {
        "flow": np.zeros(pairs * u.classes if u.ordered else 1, np.int64),
        "under_way": np.zeros(pairs if u.window else 1, np.int16),
        "pace": np.zeros(pairs * g.PACE_WORDS if u.rate else 1, np.int64),
        "wake": np.zeros(topology.nodes if u.rate else 1, np.int64),
        "marked": np.zeros(slots if u.marks else 1, np.int8),
        "freed": np.zeros(topology.neighbor.size + topology.nodes if u.marks else 1, np.int64),
    }


def longest_wait(config: Config) -> int:
    """Return after how many cycles at most something falls due."""
    control = read_congestion(config.congestion_control)
    wake = min(_LONG_WAIT, config.packet_phits * LINE_RATE // LEAST_RATE) if control.rate else 0
    return max(control.ack, wake)


def events_to_come(topology: Topology, u: Any, entries: int) -> int:
    """Return how many events may be to come at most, with so many FIFOs from which nodes consume."""
    kinds = int(u.window > 0) + int(u.marks > 0) if u.ack else 0
    return int(kinds * entries * (u.ack // u.phits + 2) + topology.nodes * int(u.rate > 0))
