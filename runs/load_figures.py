"""The figures of a point of a load curve, as stored and printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from netplace.checks.plain import from_plain, to_plain
from netplace.netsim import LoadPoint
from netplace.netsim.result import versions
from netplace.runs.run_figures import DelayFigures


@dataclass(frozen=True)
class LoadFigures:
    """The measurements at a point of a load curve."""

    # Offered and accepted load in phits per node and cycle; the accepted load is that of the measurement.
    offered: float
    accepted: float
    # Delays of the packets consumed in the measurement, in cycles, from creation to consumption of the tail.
    delay: DelayFigures
    # Cycles of the measuring phase, and with those of the warm-up.
    cycles: int
    drained_cycles: int
    # Packets consumed and links crossed in the measuring phase.
    packets: int
    packet_hops: int
    cpu_seconds: float  # CPU time of the measuring phase
    seed: int  # random seed
    events: int  # state changes of the measuring phase
    mean_delay: float | None  # mean of `delay`; None if no packet was consumed
    versions: dict[str, str] = field(default_factory=dict)  # versions of the software

    @classmethod
    def of(cls, point: LoadPoint) -> LoadFigures:
        delay = DelayFigures.of(point.delay)
        return cls(**{**vars(point), "delay": delay}, mean_delay=delay.mean, versions=versions())

    def to_dict(self) -> dict[str, Any]:
        return to_plain(self)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> LoadFigures:
        """Return the figures of a checked dict from a store or file."""
        return from_plain(cls, plain)
