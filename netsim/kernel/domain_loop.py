"""The cycle of one domain of a network that is cut: see `loop`, whose parts it calls.

All domains run this side by side, each on arrays of its own and on its own part of those that they share.
They meet twice a cycle: when all have decided, and when all that this completes has been applied.
"""

from __future__ import annotations

from typing import Any

from netplace.netsim.kernel.bits import bare, inlined, settled
from netplace.netsim.kernel.entry import IDLE, JOB_ENDED, REACHED, ROOM
from netplace.netsim.kernel.events import NEVER, next_due, next_timer, no_timer_now
from netplace.netsim.kernel.loop import decide_all, expose_all, fall_due, let_tasks_act, turn_over
from netplace.netsim.kernel.meeting import earliest, flags_of_all, meet
from netplace.netsim.kernel.state import (
    ARRIVALS,
    DIRTY,
    ENDED,
    EXPOSED,
    JOB_OVER,
    NEAR,
    NOW,
    SENT_ACROSS,
    SHORT,
    SIDE,
    TAILS,
    TIMERS,
    TODO,
    VIEWS,
    Setting,
    State,
)
from netplace.netsim.kernel.taking import take_decided, take_fallen_due

# mypy: disable-error-code="untyped-decorator"

__all__ = ["cycles", "is_busy", "news"]


@inlined
def is_busy(s: State, cycle: int) -> bool:
    """Tell whether something is to be done in `cycle`, here or where this domain has told something."""
    side = 1 - s.clock[SIDE]
    some = s.clock[TODO + side] | s.clock[DIRTY + side] | s.clock[EXPOSED] | s.clock[SENT_ACROSS]
    return some != 0 or not no_timer_now(s, cycle)


@inlined
def news(s: State, u: Setting) -> int:
    """Return what all domains must know of this one between two cycles."""
    flags = JOB_OVER if s.clock[ENDED] else 0
    acting = s.clock[TODO + 1 - s.clock[SIDE]] + s.clock[TIMERS] + s.clock[NEAR]
    if acting > s.open_start[u.domain] and u.record == 0:
        flags |= SHORT
    return flags


@inlined
def first_event(s: State, u: Setting, cycle: int) -> int:
    """Return the first cycle from `cycle` on in which something happens in this domain, or `NEVER`."""
    if is_busy(s, cycle):
        return cycle
    due = next_due(s.clock, TAILS, s.tail_count, u.tail_cycles, cycle)
    if u.hop > 1:
        due = min(due, next_due(s.clock, ARRIVALS, s.arrival_count, u.arrival_cycles, cycle))
    return min(due, next_timer(s, cycle))


@inlined
def agree(s: State, u: Setting, cycle: int) -> int:
    """Meet when all has fallen due, and take over what did so elsewhere; return the meeting's parity."""
    parity = meet(s, u, first_event(s, u, cycle), news(s, u))
    s.clock[SENT_ACROSS] = 0
    take_fallen_due(s, u, cycle)
    return parity


def cycles(known: tuple[int, ...], kinds: tuple[str, ...]) -> Any:
    """Return the loop of a domain for settings of which some are known, and arrays of these kinds."""
    arrays_at = bare(kinds, State, VIEWS)
    settings_at = settled(known, Setting)

    def run_domain(arrays: Any, given: Any, until: int) -> int:
        """Simulate cycles up to `until`, or to the end of a job, or until nothing is left to happen."""
        s = arrays_at(arrays)
        u = settings_at(given)
        cycle = s.clock[NOW]
        while True:
            parity = agree(s, u, cycle)
            due = earliest(s, u, parity)
            if flags_of_all(s, u, parity) & JOB_OVER:
                s.clock[ENDED] = 0
                s.clock[NOW] = cycle
                return JOB_ENDED
            if due == NEVER:
                s.clock[NOW] = cycle
                return IDLE
            if due > cycle:
                cycle = min(due, until)
                if due <= until:
                    meet(s, u, 0, 0)  # all have emptied their boxes, which are filled again
                    fall_due(s, u, cycle, 1 - s.clock[SIDE])
                    parity = agree(s, u, cycle)
            if cycle >= until:
                s.clock[NOW] = cycle
                return REACHED
            if flags_of_all(s, u, parity) & SHORT:
                s.clock[NOW] = cycle
                return ROOM
            side = 1 - s.clock[SIDE]
            let_tasks_act(s, u, cycle, side)
            expose_all(s, u, cycle)
            decide_all(s, u, cycle, side)
            meet(s, u, 0, 0)
            take_decided(s, u, cycle)
            cycle += 1
            turn_over(s, side)
            fall_due(s, u, cycle, 1 - side)

    return run_domain
