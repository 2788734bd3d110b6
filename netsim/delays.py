"""Histogram of delays: exact up to 255 cycles, then 128 bins per octave (within 0.8 %)."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

_EXACT = 256
_HALF = 128
_OCTAVES = 52  # up to 2**60 cycles, the last that can be simulated
BINS = _EXACT + _HALF * _OCTAVES


def bin_of(delay: int) -> int:
    """Return the number of the bin that holds `delay` (cycles, at least 0)."""
    octave = 0
    while delay >= _EXACT:
        delay >>= 1
        octave += 1
    return delay if octave == 0 else _EXACT + (octave - 1) * _HALF + delay - _HALF


@cache
def bin_start() -> NDArray[np.int64]:
    """Return the smallest delay of every bin, shape (BINS,), read-only."""
    upper = [(_HALF + np.arange(_HALF, dtype=np.int64)) << octave for octave in range(1, _OCTAVES + 1)]
    starts = np.concatenate([np.arange(_EXACT, dtype=np.int64), *upper])
    starts.setflags(write=False)
    return starts


def percentile(histogram: NDArray[np.int64], share: float) -> float:
    """Return the delay that `share` (0..1) of the entries do not exceed, the middle of a bin, or nan."""
    total = int(histogram.sum())
    if total == 0:
        return float("nan")
    rank = max(1, int(np.ceil(share * total)))
    place = int(np.searchsorted(np.cumsum(histogram), rank))
    starts = bin_start()
    width = starts[place + 1] - starts[place] if place + 1 < BINS else 1
    return float(starts[place]) + (float(width) - 1) / 2
