"""Limits of size: objects are counted before they are built, and refused if they need too much memory."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from pathlib import Path

MOST_BYTES = 4 << 30  # of one object: a small file or text can describe a large one
MOST_STEPS = 10**13  # of what takes some nanoseconds each: days
_MANY = 10**15  # beyond it no number is written out
_CONTAINER = Path("/sys/fs/cgroup")  # of a process, in version 2 of control groups and in version 1
_LIMITS = ("memory.max", "memory/memory.limit_in_bytes")


@cache
def available() -> int:
    """Return the bytes of memory of the machine or container, or what ``ulimit -v`` allows; 2^62 if unknown.

    The installed memory counts, not the free memory, because a refusal must not depend on other processes.
    """
    found = [1 << 62]
    with suppress(AttributeError, OSError, ValueError):
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for limit in _LIMITS:
        with suppress(OSError, ValueError):  # none, or "max"
            found.append(int((_CONTAINER / limit).read_text()))
    with suppress(ImportError, OSError, ValueError):
        import resource

        if (soft := resource.getrlimit(resource.RLIMIT_AS)[0]) != resource.RLIM_INFINITY:
            found.append(soft)
    return min(found)


def most_bytes() -> int:
    """Return how many bytes one object may take: `MOST_BYTES`, or three quarters of a small memory."""
    return min(MOST_BYTES, available() * 3 // 4)


def check_size(count: int, bytes_each: int, what: str, where: str) -> None:
    """Check that so many items of `bytes_each` at the peak fit into memory.

    `what` names the items, such as ``"cables"``; `where` says where the number comes from.
    """
    need, most = count * bytes_each, most_bytes()
    if need > most:
        raise ValueError(
            f"{where}: too large, {_number(count)} {what} would take {gigabytes(need)} of memory, expected "
            f"at most {gigabytes(most)}"
        )


def check_steps(count: int, what: str, where: str) -> None:
    """Check that a number of steps, each of a few nanoseconds, is feasible; see `check_size`."""
    if count > MOST_STEPS:
        raise ValueError(f"{where}: {_number(count)} {what} would take days, expected at most {MOST_STEPS:,}")


def _number(count: int) -> str:
    return f"{count:,}" if count <= _MANY else "over 10**15"


def gigabytes(count: int) -> str:
    if count > 10**24:
        return "over 10**15 GB"
    return f"{count / 1e9:,.1f} GB"
