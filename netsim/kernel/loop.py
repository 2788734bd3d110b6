"""The cycle: what tasks do, what routers decide, and what that cycle completes.

Between cycles all is applied that earlier cycles have completed, so what is counted is right whenever `run`
returns.
"""

from __future__ import annotations

from typing import Any

from netplace.netsim.kernel.bits import bare, fetch, inlined, lowest, settled, spliced, wide
from netplace.netsim.kernel.blame import charge_everything, fetch_parking
from netplace.netsim.kernel.decide import decide
from netplace.netsim.kernel.entry import IDLE, JOB_ENDED, REACHED, ROOM
from netplace.netsim.kernel.events import (
    NEVER,
    act_on_timers,
    fetch_timers,
    next_due,
    next_timer,
    no_timer_now,
    take,
    take_count,
    wrapped,
)
from netplace.netsim.kernel.fifos import fed, feeder, fifo_of, head_slot, output_of, slot_of
from netplace.netsim.kernel.heads import expose
from netplace.netsim.kernel.links import fetch_place, start
from netplace.netsim.kernel.room import arrive, enter, tail_left
from netplace.netsim.kernel.sources import begin_sources
from netplace.netsim.kernel.state import (
    ARRIVALS,
    DIRTY,
    ENDED,
    ENTERING,
    EVENTS,
    EXPOSED,
    HOME,
    INPUT,
    KEY_WORDS,
    LABEL,
    LISTED,
    NAME_BITS,
    NEAR,
    NOW,
    QUIET,
    SIDE,
    STARTING,
    TAILS,
    TASK_WORDS,
    TIMERS,
    TODO,
    VIEWS,
    WHEN_WORDS,
    Setting,
    State,
)
from netplace.netsim.kernel.tasks import act

# mypy: disable-error-code="untyped-decorator"

__all__ = ["charging", "cycles", "sowing"]

LINE = 64  # bytes of a cache line


@spliced
def turn_over(s: State, side: int) -> None:
    """Make the lists of the next cycle those of this one; `side` was this one's, now the next one's."""
    s.clock[SIDE] = side
    s.clock[TODO + side] = 0
    s.clock[DIRTY + side] = 0
    s.clock[ENTERING + side] = 0


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
def let_tasks_act(s: State, u: Setting, cycle: int, side: int) -> None:
    """Let the tasks act that have something to do in `cycle`."""
    act_on_timers(s, u, cycle)
    if u.ahead > 0:
        fetch_timers(s, cycle + 1)
    acts = s.clock[TODO + side]
    for n in range(acts):
        node = wide(s.todo[side * u.nodes + n])
        if u.ahead > 0:
            fetch_node(s, u, wide(s.todo[side * u.nodes + min(n + u.ahead, acts - 1)]))
        act(s, u, node, cycle)
        s.task[node * TASK_WORDS + LISTED] &= ~(1 << side)
    s.clock[EVENTS] += acts


@spliced
def take_routers(s: State, u: Setting, side: int) -> int:
    """Put the routers that are to be looked at into `deciding`, in order; returns how many."""
    count = 0
    if s.clock[DIRTY + side] == 0:
        return count
    for top in range(side * u.tops, (side + 1) * u.tops):
        words = s.dirty_top[top]
        s.dirty_top[top] = 0
        while words:
            word = (top - side * u.tops) << 6 | lowest(words)
            words &= words - 1
            routers = s.dirty[side * u.words + word]
            s.dirty[side * u.words + word] = 0
            while routers:
                s.deciding[count] = word << 6 | lowest(routers)
                routers &= routers - 1
                count += 1
    s.clock[EVENTS] += count
    return count


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


@spliced
def expose_all(s: State, u: Setting, cycle: int) -> None:
    """Make all packets that have become heads known to their routers."""
    count = s.clock[EXPOSED]
    s.clock[EXPOSED] = 0
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


@inlined
def fetch_node(s: State, u: Setting, node: int) -> None:
    """Ask for what a node will soon act on."""
    fetch(s.task, node * TASK_WORDS)
    fetch(s.when, node * WHEN_WORDS)
    fetch(s.counts, fifo_of(u, node, fed(s, u, node * u.row)))


def cycles(known: tuple[int, ...], kinds: tuple[str, ...]) -> Any:
    """Return the loop for settings of which some are known, and arrays of these kinds."""
    arrays_at = bare(kinds, State, VIEWS)
    settings_at = settled(known, Setting)

    def run(arrays: Any, given: Any, until: int) -> int:
        """Simulate cycles up to `until`, or to the end of a job, or until nothing is left to happen."""
        s = arrays_at(arrays)
        u = settings_at(given)
        cycle = s.clock[NOW]
        while True:
            side = 1 - s.clock[SIDE]
            if (
                s.clock[TODO + side] == 0
                and s.clock[DIRTY + side] == 0
                and s.clock[EXPOSED] == 0
                and no_timer_now(s, cycle)
            ):
                due = next_due(s.clock, TAILS, s.tail_count, u.tail_cycles, cycle)
                if u.hop > 1:
                    due = min(due, next_due(s.clock, ARRIVALS, s.arrival_count, u.arrival_cycles, cycle))
                due = min(due, next_timer(s, cycle))
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
            expose_all(s, u, cycle)
            decide_all(s, u, cycle, side)
            cycle += 1
            turn_over(s, side)
            fall_due(s, u, cycle, 1 - side)
            if s.clock[ENDED]:
                s.clock[ENDED] = 0
                s.clock[NOW] = cycle
                return JOB_ENDED

    return run


def charging(known: tuple[int, ...], kinds: tuple[str, ...]) -> Any:
    """Return what charges all waiting heads between two cycles, up to the start of a cycle."""
    arrays_at = bare(kinds, State, VIEWS)
    settings_at = settled(known, Setting)

    def charged_up_to_now(arrays: Any, given: Any, cycle: int) -> int:
        """Charge all waiting up to the start of `cycle`."""
        charge_everything(arrays_at(arrays), settings_at(given), cycle)
        return 0

    return charged_up_to_now


def sowing(known: tuple[int, ...], kinds: tuple[str, ...]) -> Any:
    """Return what draws when each source of open-loop traffic has its first packet."""
    arrays_at = bare(kinds, State, VIEWS)
    settings_at = settled(known, Setting)

    def first_draws(arrays: Any, given: Any, now: int) -> int:
        """Draw for every node that is not its own destination."""
        begin_sources(arrays_at(arrays), settings_at(given), now)
        return 0

    return first_draws
