"""The cycle of the general router; see `netplace.netsim.kernel.loop`."""

from __future__ import annotations

from typing import Any

from netplace.netsim.kernel.bits import bare, settled, spliced, wide
from netplace.netsim.kernel.blame import charge_everything
from netplace.netsim.kernel.entry import IDLE, JOB_ENDED, REACHED, ROOM
from netplace.netsim.kernel.events import NEVER, next_timer, no_timer_now
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
from netplace.netsim.kernel.loop import let_tasks_act, take_routers, turn_over
from netplace.netsim.kernel.sources import begin_sources
from netplace.netsim.kernel.state import (
    DIRTY,
    ENDED,
    ENTERING,
    EVENTS,
    EXPOSED,
    NEAR,
    NOW,
    QUIET,
    SIDE,
    STARTING,
    TIMERS,
    TODO,
)

# mypy: disable-error-code="untyped-decorator"

__all__ = ["charging", "cycles", "sowing"]


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
def expose_all(s: GraphState, u: GraphSetting, count: int, cycle: int) -> None:
    """Make all packets that have become heads known to their routers."""
    for n in range(count):
        if u.ahead > 0:
            fetch_way(s, u, wide(s.exposed[min(n + u.ahead, count - 1)]))
        expose(s, u, wide(s.exposed[n]), cycle)


@spliced
def decide_all(s: GraphState, u: GraphSetting, cycle: int, side: int) -> None:
    """Let every router decide that is to be looked at in `cycle`, then let packets leave."""
    for n in range(take_routers(s, u, side)):
        decide(s, u, wide(s.deciding[n]), cycle)
    for n in range(s.clock[STARTING]):
        start(s, u, wide(s.starting[n]), cycle)
    s.clock[STARTING] = 0


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


def cycles(known: tuple[int, ...], kinds: tuple[str, ...]) -> Any:
    """Return the loop for settings of which some are known, and arrays of these kinds."""
    arrays_at = bare(kinds, GraphState)
    settings_at = settled(known, GraphSetting)

    def run_graph(arrays: Any, given: Any, until: int) -> int:
        """Simulate cycles up to `until`, or to the end of a job, or until nothing is left to happen."""
        s = arrays_at(arrays)
        u = settings_at(given)
        cycle = s.clock[NOW]
        while True:
            side = 1 - s.clock[SIDE]
            if (
                s.clock[TODO + side] == 0
                and (u.fabric == 0 or s.clock[TODO + 1 - side] == 0)  # behind a tail none may be seen yet
                and s.clock[DIRTY + side] == 0
                and s.clock[EXPOSED] == 0
                and no_timer_now(s, cycle)
            ):
                due = next_event(s, u, cycle)
                if due == NEVER:
                    s.clock[NOW] = cycle
                    return IDLE
                cycle = min(due, until)
                if due <= until:
                    fall_due(s, u, cycle, side)
            if cycle >= until:
                s.clock[NOW] = cycle
                return REACHED
            if s.clock[TODO + side] + s.clock[TIMERS] + s.clock[NEAR] > s.open_start[0] and u.record == 0:
                s.clock[NOW] = cycle
                return ROOM
            let_tasks_act(s, u, cycle, side)
            count = s.clock[EXPOSED]
            s.clock[EXPOSED] = 0
            choose_ways(s, u, count, cycle)
            expose_all(s, u, count, cycle)
            decide_all(s, u, cycle, side)
            cycle += 1
            turn_over(s, side)
            fall_due(s, u, cycle, 1 - side)
            if s.clock[ENDED]:
                s.clock[ENDED] = 0
                s.clock[NOW] = cycle
                return JOB_ENDED

    return run_graph


def charging(known: tuple[int, ...], kinds: tuple[str, ...]) -> Any:
    """Return what charges all waiting heads between two cycles, up to the start of a cycle."""
    arrays_at = bare(kinds, GraphState)
    settings_at = settled(known, GraphSetting)

    def charged_up_to_now(arrays: Any, given: Any, cycle: int) -> int:
        """Charge all waiting up to the start of `cycle`."""
        charge_everything(arrays_at(arrays), settings_at(given), cycle)
        return 0

    return charged_up_to_now


def sowing(known: tuple[int, ...], kinds: tuple[str, ...]) -> Any:
    """Return what draws when each source of open-loop traffic has its first packet."""
    arrays_at = bare(kinds, GraphState)
    settings_at = settled(known, GraphSetting)

    def first_draws(arrays: Any, given: Any, now: int) -> int:
        """Draw for every node that is not its own destination."""
        begin_sources(arrays_at(arrays), settings_at(given), now)
        return 0

    return first_draws
