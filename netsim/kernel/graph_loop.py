"""The cycle of the general router; see `netplace.netsim.kernel.loop`."""

from __future__ import annotations

from typing import Any

from netplace.netsim.kernel.bits import bare, inlined, settled, spliced, wide
from netplace.netsim.kernel.cycle import (
    Phases,
    charging_of,
    cycles_of,
    first_draws_of,
    has_work,
    take_exposed,
    take_routers,
)
from netplace.netsim.kernel.events import NEVER, next_timer
from netplace.netsim.kernel.graph_decide import decide
from netplace.netsim.kernel.graph_events import (
    becomes_known,
    enter,
    expose,
    fetch_way,
    seen,
    send_off,
    tail_left,
)
from netplace.netsim.kernel.graph_links import start
from netplace.netsim.kernel.graph_state import COMING, LEAVING, SPARE, TABLE, GraphSetting, GraphState
from netplace.netsim.kernel.state import (
    ENTERING,
    EVENTS,
    QUIET,
    SIDE,
    STARTING,
    TODO,
)

# mypy: disable-error-code="untyped-decorator"

__all__ = ["PHASES", "charging", "choose_ways", "cycles", "expose_chosen", "first_draws", "taken_from"]


@spliced
def fall_due(s: GraphState, u: GraphSetting, cycle: int, side: int) -> None:
    """Apply what the cycle before `cycle` has completed; new heads are listed in `exposed`."""
    events = s.clock[ENTERING + side]
    s.clock[ENTERING + side] = 0
    for n in range(events):
        enter(s, u, s.entering[side * u.links + n])
    if s.tally[COMING] > 0:
        at = cycle & (u.head_ring - 1)
        entry = s.head_at[at]
        s.head_at[at] = -1
        while entry >= 0:
            after = s.head_next[entry]
            s.head_next[entry] = s.tally[SPARE]
            s.tally[SPARE] = entry
            s.tally[COMING] -= 1
            what = wide(s.head_fifo[entry])
            if u.fabric == 1 and what < 0:
                becomes_known(s, u, ~what, cycle)
            else:
                seen(s, u, what)
            entry = after
    at = cycle & (u.tail_ring - 1)
    f = s.tail_at[at]
    s.tail_at[at] = -1
    if f >= 0:
        s.clock[QUIET] = cycle
    while f >= 0:
        after = s.tail_next[f]
        s.tally[LEAVING] -= 1
        tail_left(s, u, f, cycle)
        events += 1
        f = after
    s.clock[EVENTS] += events


@spliced
def choose_ways(s: GraphState, u: GraphSetting, count: int, cycle: int) -> None:
    """Choose ways for all packets that have become heads, before any of them is known to its router."""
    if u.choice != TABLE:
        for n in range(count):
            send_off(s, u, wide(s.exposed[n]), cycle)


@spliced
def expose_chosen(s: GraphState, u: GraphSetting, count: int, cycle: int) -> None:
    """Make packets that have become heads, and have their ways, known to their routers."""
    for n in range(count):
        if u.ahead > 0:
            fetch_way(s, u, wide(s.exposed[min(n + u.ahead, count - 1)]))
        expose(s, u, wide(s.exposed[n]), cycle)


@spliced
def expose_all(s: GraphState, u: GraphSetting, cycle: int) -> None:
    """Make all packets that have become heads known to their routers."""
    count = take_exposed(s)
    choose_ways(s, u, count, cycle)
    expose_chosen(s, u, count, cycle)


@spliced
def decide_all(s: GraphState, u: GraphSetting, cycle: int, side: int) -> None:
    """Let every router decide that is to be looked at in `cycle`, then let packets leave."""
    for n in range(take_routers(s, u, side)):
        decide(s, u, wide(s.deciding[n]), cycle)
    for n in range(s.clock[STARTING]):
        start(s, u, wide(s.starting[n]), cycle)
    s.clock[STARTING] = 0


@inlined
def is_busy(s: GraphState, u: GraphSetting, cycle: int) -> bool:
    """Tell whether something is to be done in `cycle`; behind a tail none may be seen yet."""
    return has_work(s, u, cycle) or (u.fabric == 1 and s.clock[TODO + s.clock[SIDE]] != 0)


@spliced
def next_event(s: GraphState, u: GraphSetting, cycle: int) -> int:
    """Return the first cycle from `cycle` on in which anything falls due, or `NEVER`."""
    due = NEVER
    if s.tally[LEAVING] > 0:
        due = cycle
        while s.tail_at[due & (u.tail_ring - 1)] < 0:
            due += 1
    if s.tally[COMING] > 0:
        soon = cycle
        while s.head_at[soon & (u.head_ring - 1)] < 0:
            soon += 1
        due = min(due, soon)
    return min(due, next_timer(s, cycle))


# --- what is compiled -----------------------------------------------------------------------------

PHASES = Phases(is_busy, next_event, fall_due, expose_all, decide_all)


def taken_from(known: tuple[int, ...], kinds: tuple[str, ...]) -> tuple[Any, Any]:
    """Return what takes arrays of these kinds, and settings of which some are known, from their addresses."""
    return bare(kinds, GraphState), settled(known, GraphSetting)


def cycles(known: tuple[int, ...], kinds: tuple[str, ...]) -> Any:
    """Return the loop for settings of which some are known, and arrays of these kinds."""
    return cycles_of(*taken_from(known, kinds), PHASES)


def charging(known: tuple[int, ...], kinds: tuple[str, ...]) -> Any:
    """Return what charges all waiting heads between two cycles, up to the start of a cycle."""
    return charging_of(*taken_from(known, kinds))


def first_draws(known: tuple[int, ...], kinds: tuple[str, ...]) -> Any:
    """Return what draws when each source of open-loop traffic has its first packet."""
    return first_draws_of(*taken_from(known, kinds))
