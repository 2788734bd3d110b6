"""Memory of arrays: refused where there is not so much before it is asked for, and in lines of cache."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.checks.memory import available

__all__ = ["LINE", "NotEnoughMemoryError", "aligned", "demand"]

LINE = 64  # bytes of a cache line


def aligned(size: int) -> NDArray[np.int8]:
    """Return `size` bytes of 0 that begin with a cache line."""
    memory = np.zeros(size + LINE, np.int8)
    begin = -memory.ctypes.data % LINE
    return memory[begin : begin + size]


class NotEnoughMemoryError(ValueError, MemoryError):
    """What is asked for is more than this machine can hold now; another may."""


def demand(needed: int, what: str) -> None:
    """Raise `NotEnoughMemoryError` if `needed` bytes for `what` are more than there are."""
    there = available()
    if needed > there:
        raise NotEnoughMemoryError(
            f"{what} would need {needed / 2**30:.1f} GiB of memory, "
            f"but only {there / 2**30:.1f} GiB are available"
        )
