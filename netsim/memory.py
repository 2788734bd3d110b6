"""Memory of arrays: refused before allocation if there is not enough, and aligned to cache lines."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.checks.memory import available

LINE = 64  # bytes of a cache line


def aligned(size: int) -> NDArray[np.int8]:
    """Return `size` zero bytes that begin at a cache line."""
    memory = np.zeros(size + LINE, np.int8)
    begin = -memory.ctypes.data % LINE
    return memory[begin : begin + size]


class NotEnoughMemoryError(ValueError, MemoryError):
    """More memory is needed than this machine has free now; another machine may have enough."""


def demand(needed: int, what: str) -> None:
    """Raise `NotEnoughMemoryError` if `needed` bytes for `what` are not available."""
    there = available()
    if needed > there:
        raise NotEnoughMemoryError(
            f"{what} would need {needed / 2**30:.1f} GiB of memory, "
            f"but only {there / 2**30:.1f} GiB are available"
        )
