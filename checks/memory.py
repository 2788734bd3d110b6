"""The available memory: of the machine, of the container, and of this process.

The installed memory counts, not the free memory, because a refusal must not depend on other processes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_CGROUP = Path("/sys/fs/cgroup")
# The limit of a container, in version 2 of control groups and in version 1.
_LIMITS = ("memory.max", "memory/memory.limit_in_bytes")


def available() -> int:
    """Return the bytes of memory for this process; 2^62 if unknown."""
    return max(0, min([_installed(), *_of_process()]))


@cache
def _installed() -> int:
    """Return the limits that are constant while this process lives; some readers ask often."""
    return min([1 << 62, *_of_machine(), *_of_container()])


def _of_machine() -> Iterator[int]:
    try:
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return


def _of_container() -> Iterator[int]:
    for limit in _LIMITS:
        try:
            yield int((_CGROUP / limit).read_text())
        except (OSError, ValueError):  # none, or "max"
            continue


def _of_process() -> Iterator[int]:
    """Yield what ``ulimit -v`` leaves."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            yield limit - int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (ImportError, OSError, ValueError):
        return
