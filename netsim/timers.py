"""Timers of the kernel: lists for the cycles to come, and a heap of those further away, of every domain."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.netsim.kernel import state as k

__all__ = ["read_timers", "write_timers"]


def read_timers(s: Any, now: int) -> list[tuple[int, int]]:
    """Return (cycle, entry) of all timers of a domain."""
    count = int(s.clock[k.TIMERS])
    timers = list(zip(s.timer[:count].tolist(), s.timer_entry[:count].tolist(), strict=True))
    for at in np.flatnonzero(s.near >= 0).tolist():
        cycle = now + (at - now) % k.NEAR_CYCLES
        entry = int(s.near[at])
        while entry >= 0:
            timers.append((cycle, entry))
            entry = int(s.near_next[entry])
    return timers


def write_timers(s: Any, now: int, cycles: NDArray[Any], entries: NDArray[Any]) -> None:
    """Replace all timers of a domain: lists for the cycles to come, and the others sorted, as a heap."""
    order = np.argsort(cycles, kind="stable")
    cycles, entries = cycles[order], entries[order]
    near = int(np.searchsorted(cycles, now + k.NEAR_CYCLES))
    at = cycles[:near] & (k.NEAR_CYCLES - 1)
    first = np.flatnonzero(np.diff(at, prepend=-1))
    s.near[:] = -1
    s.near[at[first]] = entries[first]
    s.near_next[entries[:near]] = np.append(entries[1:near], -1)[:near]
    s.near_next[entries[np.append(first[1:], near)[: len(first)] - 1]] = -1
    far = len(cycles) - near
    s.timer[:far], s.timer_entry[:far] = cycles[near:], entries[near:]
    s.clock[k.NEAR], s.clock[k.TIMERS] = near, far
