"""The cycle: what tasks do, what routers decide, and what that cycle completes.

Between cycles all is applied that earlier cycles have completed, so what is counted is right whenever `run`
returns.
"""

from __future__ import annotations

from typing import Any

from netplace.netsim.kernel.bits import bare, fetch, inlined, settled, spliced, wide
from netplace.netsim.kernel.blame import fetch_parking
from netplace.netsim.kernel.cycle import (
    Phases,
    charging_of,
    cycles_of,
    first_draws_of,
    has_work,
    take_exposed,
    take_routers,
)
from netplace.netsim.kernel.decide import decide
from netplace.netsim.kernel.events import (
    next_due,
    next_timer,
    take,
    take_count,
    wrapped,
)
from netplace.netsim.kernel.fifos import fed, feeder, fifo_of, head_slot, output_of, slot_of
from netplace.netsim.kernel.heads import expose
from netplace.netsim.kernel.links import fetch_place, start
from netplace.netsim.kernel.room import arrive, enter, tail_left
from netplace.netsim.kernel.state import (
    ARRIVALS,
    ENTERING,
    EVENTS,
    HOME,
    INPUT,
    KEY_WORDS,
    LABEL,
    NAME_BITS,
    QUIET,
    STARTING,
    TAILS,
    TASK_WORDS,
    VIEWS,
    Setting,
    State,
)

# mypy: disable-error-code="untyped-decorator"

__all__ = ["PHASES", "charging", "cycles", "first_draws", "taken_from"]

LINE = 64  # bytes of a cache line


@spliced
def fall_due(s: State, u: Setting, cycle: int, side: int) -> None:
    """Apply what the cycle before `cycle` has completed; new heads are listed in `exposed`."""
    events = s.clock[ENTERING + side]
    s.clock[ENTERING + side] = 0
    first = side * u.links
    for n in range(events):
        if u.ahead > 0:
            fetch_fifo(s, u, wide(s.entering[first + min(n + 2 * u.ahead, events - 1)]))
            fetch_feeder(s, u, wide(s.entering[first + min(n + u.ahead, events - 1)]))
        enter(s, u, wide(s.entering[first + n]), cycle)
    if u.hop > 1:
        for _ in range(take_count(s.clock, ARRIVALS, s.arrival_count, u.arrival_cycles, cycle)):
            arrive(s, u, take(s.clock, ARRIVALS, s.arrival, u.arrival_words))
    count = take_count(s.clock, TAILS, s.tail_count, u.tail_cycles, cycle)
    for n in range(count):
        if u.ahead > 0:
            last = count - 1 - n
            at = s.clock[TAILS]
            fetch_fifo(s, u, wide(s.tail[wrapped(at + min(2 * u.ahead, last), u.tail_words)]))
            fetch_feeder(s, u, wide(s.tail[wrapped(at + min(u.ahead, last), u.tail_words)]))
            fetch_key(s, u, wide(s.tail[wrapped(at + min(u.ahead // 2, last), u.tail_words)]))
        tail_left(s, u, take(s.clock, TAILS, s.tail, u.tail_words), cycle)
    if count > 0:
        s.clock[QUIET] = cycle
    s.clock[EVENTS] += events + count


@spliced
def decide_all(s: State, u: Setting, cycle: int, side: int) -> None:
    """Let every router decide that is to be looked at in `cycle`, then let packets leave."""
    count = take_routers(s, u, side)
    started = 0
    for n in range(count):
        if n + u.ahead < count and u.ahead > 0:
            fetch_row(s, u, wide(s.deciding[n + u.ahead]))
            if u.explain == 1:
                fetch_parking(s, u, wide(s.deciding[n + u.ahead]))
        decide(s, u, wide(s.deciding[n]), cycle)
        while u.behind > 0 and started + u.behind < s.clock[STARTING]:
            fetch_place(s, u, wide(s.starting[started + u.behind // 2]))
            start(s, u, wide(s.starting[started]), cycle)
            started += 1
    for n in range(started, s.clock[STARTING]):
        start(s, u, wide(s.starting[n]), cycle)
    s.clock[STARTING] = 0


@inlined
def next_event(s: State, u: Setting, cycle: int) -> int:
    """Return the first cycle from `cycle` on in which anything falls due, or `NEVER`."""
    due = next_due(s.clock, TAILS, s.tail_count, u.tail_cycles, cycle)
    if u.hop > 1:
        due = min(due, next_due(s.clock, ARRIVALS, s.arrival_count, u.arrival_cycles, cycle))
    return min(due, next_timer(s, cycle))


@spliced
def expose_all(s: State, u: Setting, cycle: int) -> None:
    """Make all packets that have become heads known to their routers."""
    count = take_exposed(s)
    for n in range(count):
        if u.ahead > 0:
            fetch_fifo(s, u, wide(s.exposed[min(n + 2 * u.ahead, count - 1)]))
            name = wide(s.exposed[min(n + u.ahead, count - 1)])
            fetch(s.slot, head_slot(s, u, name >> NAME_BITS, name & INPUT))
        expose(s, u, wide(s.exposed[n]), cycle)


@inlined
def fetch_row(s: State, u: Setting, router: int) -> None:
    """Ask for the row of a router that will soon decide."""
    for byte in range(0, u.row_bytes, LINE):
        fetch(s.byte, router * u.row_bytes + byte)


@inlined
def fetch_fifo(s: State, u: Setting, name: int) -> None:
    """Ask for what an event at a FIFO will soon read."""
    router = name >> NAME_BITS
    fetch(s.row, router * u.row)
    fetch(s.byte, router * u.row_bytes + LINE)
    if u.fifo_far == 1:
        fetch(s.counts, fifo_of(u, router, name & INPUT))


@inlined
def fetch_feeder(s: State, u: Setting, name: int) -> None:
    """Ask for the sets of the router that feeds a FIFO, or for what its node does, the record being there."""
    router = name >> NAME_BITS
    i = name & INPUT
    if i < fed(s, u, router * u.row):
        fetch(s.row, (feeder(s, u, router, i) >> NAME_BITS) * u.row)
    else:
        fetch(s.task, router * TASK_WORDS)


@inlined
def fetch_key(s: State, u: Setting, name: int) -> None:
    """Ask for the key of a packet that is consumed, which is the head of a FIFO."""
    router = name >> NAME_BITS
    word = s.counts[fifo_of(u, router, name & INPUT)]
    if output_of(u, word) == HOME:
        label = s.slot[slot_of(s, u, router, name & INPUT, word & u.field) + LABEL]
        fetch(s.key, (label >> 2) * KEY_WORDS)


# --- what is compiled -----------------------------------------------------------------------------

PHASES = Phases(has_work, next_event, fall_due, expose_all, decide_all)


def taken_from(known: tuple[int, ...], kinds: tuple[str, ...]) -> tuple[Any, Any]:
    """Return what takes arrays of these kinds, and settings of which some are known, from their addresses."""
    return bare(kinds, State, VIEWS), settled(known, Setting)


def cycles(known: tuple[int, ...], kinds: tuple[str, ...]) -> Any:
    """Return the loop for settings of which some are known, and arrays of these kinds."""
    return cycles_of(*taken_from(known, kinds), PHASES)


def charging(known: tuple[int, ...], kinds: tuple[str, ...]) -> Any:
    """Return what charges all waiting heads between two cycles, up to the start of a cycle."""
    return charging_of(*taken_from(known, kinds))


def first_draws(known: tuple[int, ...], kinds: tuple[str, ...]) -> Any:
    """Return what draws when each source of open-loop traffic has its first packet."""
    return first_draws_of(*taken_from(known, kinds))
