"""Refuse what would need more memory than there is, before it is asked for."""

from __future__ import annotations

from netplace.checks.memory import available

__all__ = ["NotEnoughMemoryError", "demand"]


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
