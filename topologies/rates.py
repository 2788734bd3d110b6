"""Speeds and latencies of links in files, as cycles, and the length of such a cycle."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import abbreviate
from netplace.topologies.limits import MOST_CYCLES, MOST_DELAY

_MOST_MULTIPLE = 64  # cycles a phit of the fastest link
_NEAR = 0.01  # relative: how far a link's cycles may be from a whole number

_PREFIXES = {
    **{"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12},
    **{"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40},
}
SPEEDS = {  # bytes per second of each unit
    f"{prefix}{unit}": size / bits
    for prefix, size in _PREFIXES.items()
    for unit, bits in (("Bps", 1), ("B/s", 1), ("bps", 8), ("bit/s", 8), ("b/s", 8))
}
TIMES = {  # seconds of each unit
    **{"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0},
    **{"m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0},
}
_QUANTITY = re.compile(r"\s*(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)\s*([A-Za-zµ/]*)\s*")


@dataclass(frozen=True)
class Rates:
    """The speed of the fastest links of a network that a file describes, and what of the file was read."""

    byte_ns: float  # time of a byte on the fastest link, if that takes one cycle per phit
    phit_bytes: int  # for which the delays of the network are in cycles
    source: str  # what the file is, such as "ASTRA-sim's network.yml"
    notes: tuple[str, ...] = ()  # what of the file is ignored or assumed


@dataclass(frozen=True)
class Paces:
    """Cycles of links of given speeds; the fastest takes the fewest cycles for which all are whole."""

    cycles: NDArray[np.int64]  # cycles per phit of each link
    cycle: float  # seconds per cycle
    phit: int  # bytes
    text: str  # of the network, for messages

    def delay(self, seconds: float) -> int:
        """Return a latency in whole cycles."""
        if (cycles := round(seconds / self.cycle)) > MOST_DELAY:
            raise ValueError(
                f"{self.text}: a latency of {seconds:g} s is {cycles} cycles of {self.cycle * 1e9:.3g} ns, "
                f"expected at most {MOST_DELAY}; larger phits (phit=) take longer cycles"
            )
        return cycles

    def rates(self, source: str, *notes: str) -> Rates:
        """Return the rates of a network whose links have these paces."""
        return Rates(self.cycle * 1e9 / self.phit, self.phit, source, notes)


def paces_of(text: str, speeds: Sequence[float], phit: int) -> Paces:
    """Return the cycles per phit of links of these speeds in bytes per second, within 1 %."""
    fastest = max(speeds)
    kinds = {speed: fastest / speed for speed in speeds}
    for multiple in range(1, _MOST_MULTIPLE + 1):
        cycles = {speed: round(multiple * ratio) for speed, ratio in kinds.items()}
        if max(cycles.values()) > MOST_CYCLES:
            break
        if all(abs(cycles[s] - multiple * ratio) <= _NEAR * multiple * ratio for s, ratio in kinds.items()):
            per_phit = np.array([cycles[speed] for speed in speeds], np.int64)
            return Paces(per_phit, phit / fastest / multiple, phit, text)
    raise ValueError(
        f"{text}: bandwidths from {min(speeds):g} to {fastest:g} bytes per second have no ratios of "
        f"whole numbers up to {MOST_CYCLES} within 1 %"
    )


def read_quantity(given: str, units: Mapping[str, float], where: str, example: str) -> float:
    """Return a number in the base unit: bytes per second, or seconds; only a time may be 0.

    A number without a unit is in the base unit.
    """
    match = _QUANTITY.fullmatch(given)
    size = float(match[1]) * units.get(match[2], 1.0 if not match[2] else math.nan) if match else math.nan
    if not (0 <= size < math.inf) or (size == 0 and units is SPEEDS):
        raise ValueError(f"{where}: {abbreviate(given)}, expected a number with a unit such as {example}")
    return size
