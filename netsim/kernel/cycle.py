"""The cycle on any kind of network: what is done in which order.

`loop` and `graph_loop` bring what grids and trees, and networks of any wiring, do in each phase; nodes do the
same on both.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from netplace.netsim.kernel.bits import fetch, inlined, lowest, spliced, wide
from netplace.netsim.kernel.blame import charge_everything
from netplace.netsim.kernel.constants import IDLE, JOB_ENDED, REACHED, ROOM
from netplace.netsim.kernel.events import NEVER, act_on_timers, fetch_timers, no_timer_now
from netplace.netsim.kernel.fifos import fed, fifo_of
from netplace.netsim.kernel.messages import own_head
from netplace.netsim.kernel.sources import begin_sources
from netplace.netsim.kernel.state import (
    DIRTY,
    ENDED,
    ENTERING,
    EVENTS,
    EXPOSED,
    LISTED,
    NEAR,
    NOW,
    SIDE,
    TASK_WORDS,
    TIMERS,
    TODO,
    WHEN_WORDS,
    Setting,
    State,
)
from netplace.netsim.kernel.tasks import act

# mypy: disable-error-code="untyped-decorator"

__all__ = [
    "Phases",
    "charging_of",
    "cycles_of",
    "first_draws_of",
    "has_work",
    "is_short",
    "let_tasks_act",
    "take_exposed",
    "take_routers",
    "turn_over",
]


class Phases(NamedTuple):
    """What a kind of network does in a cycle: compiled functions of arrays, settings and the cycle.

    Attributes
    ----------
    is_busy
        Tell whether something is to be done in the cycle.
    next_event
        Return the first cycle from this one on in which anything falls due, or `NEVER`.
    fall_due
        Apply what the cycle before has completed; takes the side of the lists of what entered.
    expose
        Make all packets that have become heads known to their routers.
    decide
        Let every router decide that is to be looked at, then let packets leave; takes the side of the lists.
    """

    is_busy: Any
    next_event: Any
    fall_due: Any
    expose: Any
    decide: Any


@inlined
def has_work(s: State, u: Setting, cycle: int) -> bool:
    """Tell whether a node acts in `cycle`, or a router has something to decide."""
    side = 1 - s.clock[SIDE]
    return (
        s.clock[TODO + side] != 0
        or s.clock[DIRTY + side] != 0
        or s.clock[EXPOSED] != 0
        or not no_timer_now(s, cycle)
    )


@inlined
def is_short(s: State, u: Setting, others: int) -> bool:
    """Tell whether more messages may begin in this cycle than there are entries for.

    So many `others` may act beside the nodes that are known to.
    """
    acting = s.clock[TODO + 1 - s.clock[SIDE]] + s.clock[TIMERS] + s.clock[NEAR] + others
    return acting > s.open_start[own_head(u)] and u.record == 0


@spliced
def turn_over(s: State, side: int) -> None:
    """Make the lists of the next cycle those of this one; `side` was this one's, now the next one's."""
    s.clock[SIDE] = side
    s.clock[TODO + side] = 0
    s.clock[DIRTY + side] = 0
    s.clock[ENTERING + side] = 0


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


@inlined
def fetch_node(s: State, u: Setting, node: int) -> None:
    """Ask for what a node will soon act on."""
    fetch(s.task, node * TASK_WORDS)
    fetch(s.when, node * WHEN_WORDS)
    fetch(s.counts, fifo_of(u, node, fed(s, u, node * u.row)))


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


@inlined
def take_exposed(s: State) -> int:
    """Return how many packets have become heads, and begin to count anew."""
    count = s.clock[EXPOSED]
    s.clock[EXPOSED] = 0
    return int(count)


def cycles_of(arrays_at: Any, settings_at: Any, phases: Phases) -> Any:
    """Return the loop of a network that one thread simulates.

    Parameters
    ----------
    arrays_at, settings_at
        What takes arrays and settings from their addresses; see `bits`.
    phases : Phases
        Of this kind of network.
    """
    is_busy, next_event, fall_due, expose, decide = phases

    def run(arrays: Any, given: Any, until: int) -> int:
        """Simulate cycles up to `until`, or to the end of a job, or until nothing is left to happen."""
        s = arrays_at(arrays)
        u = settings_at(given)
        cycle = s.clock[NOW]
        while True:
            side = 1 - s.clock[SIDE]
            if not is_busy(s, u, cycle):
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
            if is_short(s, u, 0):
                s.clock[NOW] = cycle
                return ROOM
            let_tasks_act(s, u, cycle, side)
            expose(s, u, cycle)
            decide(s, u, cycle, side)
            cycle += 1
            turn_over(s, side)
            fall_due(s, u, cycle, 1 - side)
            if s.clock[ENDED]:
                s.clock[ENDED] = 0
                s.clock[NOW] = cycle
                return JOB_ENDED

    return run


def charging_of(arrays_at: Any, settings_at: Any) -> Any:
    """Return what charges all waiting heads between two cycles, up to the start of a cycle."""

    def charged_up_to_now(arrays: Any, given: Any, cycle: int) -> int:
        """Charge all waiting up to the start of `cycle`."""
        charge_everything(arrays_at(arrays), settings_at(given), cycle)
        return 0

    return charged_up_to_now


def first_draws_of(arrays_at: Any, settings_at: Any) -> Any:
    """Return what draws when each source of open-loop traffic has its first packet."""

    def draw_first(arrays: Any, given: Any, now: int) -> int:
        """Draw for every node that is not its own destination."""
        begin_sources(arrays_at(arrays), settings_at(given), now)
        return 0

    return draw_first
