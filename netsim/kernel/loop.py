"""The cycle: what falls due, then what tasks do, then what routers decide."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from numba import njit

from netsim.kernel.events import ARRIVE, ENTER, NEVER, TAIL, act_at, next_due, take, take_batch, take_timer
from netsim.kernel.node import act, tail_left
from netsim.kernel.router import arrive, decide, enter
from netsim.kernel.state import (
    DIRTY,
    ENDED,
    EVENTS,
    NAME_BITS,
    NOW,
    SIDE,
    TIMERS,
    TODO,
    Setting,
    State,
)

__all__ = ["run"]

REACHED, JOB_ENDED, IDLE = 0, 1, 2  # as netsim.engine.Exit


def _sources_digest() -> int:
    """Return a digest of all that is compiled into the loop."""
    here = Path(__file__).parent
    files = [*sorted(here.glob("*.py")), here.parent / "chance.py", here.parent / "delays.py"]
    content = b"".join(file.read_bytes() for file in files)
    return int.from_bytes(hashlib.sha256(content).digest()[:6], "big")


def _build(digest: int) -> Callable[[State, Setting, int], int]:
    """Compile the loop.

    Numba's cache does not notice an edited callee in another file. The loop closes over a digest of all
    sources, which is part of its key in the cache.
    """

    @njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
    def run(s: State, u: Setting, until: int) -> int:
        """Simulate cycles up to `until`, or to the end of a job, or until nothing is left to happen."""
        cycle = s.clock[NOW] if digest else 0
        while True:
            side = s.clock[SIDE]
            if s.clock[TODO + side] == 0 and s.clock[DIRTY + side] == 0:
                due = min(next_due(s, ENTER), next_due(s, TAIL))
                if u.hop > 1:
                    due = min(due, next_due(s, ARRIVE))
                if s.clock[TIMERS] > 0:
                    due = min(due, s.timer[0])
                if due == NEVER:
                    s.clock[NOW] = cycle
                    return IDLE
                cycle = max(cycle, min(due, until))
            if cycle >= until:
                s.clock[NOW] = cycle
                return REACHED
            s.clock[SIDE] = 1 - side
            s.clock[TODO + 1 - side] = 0
            s.clock[DIRTY + 1 - side] = 0

            if next_due(s, ENTER) == cycle:
                count = take_batch(s, ENTER)
                s.clock[EVENTS] += count
                for _ in range(count):
                    enter(s, u, take(s, ENTER), cycle)
            if u.hop > 1 and next_due(s, ARRIVE) == cycle:
                for _ in range(take_batch(s, ARRIVE)):
                    arrive(s, u, take(s, ARRIVE), cycle)
            if next_due(s, TAIL) == cycle:
                count = take_batch(s, TAIL)
                s.clock[EVENTS] += count
                for _ in range(count):
                    name = take(s, TAIL)
                    router = name >> NAME_BITS
                    i = name & ((1 << NAME_BITS) - 1)
                    tail_left(s, u, router, i, cycle)
            while s.clock[TIMERS] > 0 and s.timer[0] == cycle:
                act_at(s, u, take_timer(s), cycle, side)
            n = 0
            while n < s.clock[TODO + side]:
                act(s, u, s.todo[side * u.nodes + n], cycle)
                n += 1
            s.clock[EVENTS] += n

            for n in range(s.clock[DIRTY + side]):
                decide(s, u, s.dirty[side * len(s.first) + n], cycle)
            cycle += 1
            if s.clock[ENDED]:
                s.clock[ENDED] = 0
                s.clock[NOW] = cycle
                return JOB_ENDED

    return run  # type: ignore[no-any-return]


run = _build(_sources_digest())
