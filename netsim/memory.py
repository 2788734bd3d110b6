"""Memory of arrays, refused before allocation if there is not enough."""

from __future__ import annotations

import os


def available() -> int:
    """Return the bytes of memory of this machine."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


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
