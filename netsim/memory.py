"""Refuse what would need more memory than there is, before it is asked for."""

from __future__ import annotations

import os

__all__ = ["NotEnoughMemoryError", "available", "demand"]


class NotEnoughMemoryError(ValueError, MemoryError):
    """What is asked for is more than this machine can hold now; another may."""


def available() -> int:
    """Return the bytes of memory that can still be used; a very large number where that is not known."""
    try:
        with open("/proc/meminfo") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 1 << 62


def demand(needed: int, what: str) -> None:
    """Raise `NotEnoughMemoryError` if `needed` bytes for `what` are more than there are."""
    there = available()
    if needed > there:
        raise NotEnoughMemoryError(
            f"{what} would need {needed / 2**30:.1f} GiB of memory, "
            f"but only {there / 2**30:.1f} GiB are available"
        )
