"""Settings of existing fabrics; docs/guides/fabrics.md names the source of each figure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["FABRICS", "Preset"]


@dataclass(frozen=True)
class Preset:
    """A fabric: its published properties as settings.

    Attributes
    ----------
    says : str
        Description in one line.
    settings : dict
        Values of fields of `netplace.netsim.Config`.
    """

    says: str
    settings: dict[str, Any] = field(default_factory=dict)


def _preset(says: str, gigabytes: float, phit_bytes: int, packet_bytes: int, **more: Any) -> Preset:
    """Return a fabric whose links carry so many GB/s in one direction."""
    settings = {
        "phit_bytes": phit_bytes,
        "packet_phits": packet_bytes // phit_bytes,
        "cycle_ns": phit_bytes / gigabytes,
    }
    return Preset(says, settings | more)


FABRICS = {
    "infiniband-ndr": _preset(
        "InfiniBand NDR, 400 Gb/s, switches of 200 ns",
        50.0, 64, 2048,
        pipeline=156, cable_latency="node=2m,local=20m", credit_delay=0, queue_packets=16,
    ),
    "slingshot-11": _preset(
        "Slingshot 11, 200 Gb/s, switches of 350 ns, packets under way bounded by pair",
        25.0, 32, 2048,
        pipeline=273, cable_latency="node=2.6m,local=2.6m,global=50m", credit_delay=0, queue_packets=16,
        congestion_control="window=16",
    ),
    "omnipath": _preset(
        "Omni-Path 100, 100 Gb/s, switches of 110 ns",
        12.5, 16, 2048,
        pipeline=86, cable_latency="node=2m,local=20m", credit_delay=0, queue_packets=8,
    ),
    "bluegene-q": _preset(
        "Blue Gene/Q, torus of 2 GB/s links, hops of 40 ns",
        2.0, 8, 512,
        pipeline=9, credit_delay=0, queue_packets=4,
    ),
    "tofu-d": _preset(
        "Tofu interconnect D, torus of 6.8 GB/s links, hops of 100 ns",
        6.8, 17, 2040,
        pipeline=40, credit_delay=0, queue_packets=4,
    ),
}  # fmt: skip
