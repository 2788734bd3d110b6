"""What happens when: events of constant delay, timers, and the lists of what must be looked at.

Delays of the network are constants, so events come in the order in which they were made: a ring of words in
order and, for each cycle to come, how many fall due in it. What is due in the next cycle is a plain list.
Timers stand in a list for each of the cycles to come; those that are further away in a heap.
Routers to be looked at are bits, so that each is looked at once and in order.
"""

from __future__ import annotations

from netplace.netsim.kernel.bits import fetch, inlined, where, wide
from netplace.netsim.kernel.state import (
    ARRIVALS,
    DIRTY,
    ENTERING,
    EXPOSED,
    I32,
    I64,
    LISTED,
    LONG_HOP,
    NEAR,
    NEAR_CYCLES,
    SIDE,
    TAILS,
    TASK_WORDS,
    TIMERS,
    TODO,
    Setting,
    State,
)

# mypy: disable-error-code="untyped-decorator"

NEVER = 1 << 62


@inlined
def header_enters(s: State, u: Setting, name: int) -> None:
    """Let a header enter a FIFO in the next cycle: it takes room there."""
    side = s.clock[SIDE]
    n = s.clock[ENTERING + side]
    s.entering[side * u.links + n] = name
    s.clock[ENTERING + side] = n + 1


@inlined
def head_if(s: State, name: int, so: bool) -> None:
    """Let the packet at the head of a FIFO be looked at in this cycle, if `so`.

    Nobody can foretell the condition: it is cheaper to write always, to a place that is taken or not.
    """
    n = s.clock[EXPOSED]
    s.exposed[n] = name
    s.clock[EXPOSED] = n + int(so)


@inlined
def becomes_head(s: State, name: int) -> None:
    """Let the packet at the head of a FIFO be looked at in this cycle."""
    head_if(s, name, True)


@inlined
def wrapped(place: int, words: int) -> int:
    """Return a place of a ring of `words`, counted on beyond its end."""
    return place - words if place >= words else place


@inlined
def push(clock: I64, at: int, ring: I32, words: int, name: int) -> None:
    """Put an event into a ring of `words`, whose scalars are at ``clock[at]``."""
    place = clock[at + 1]
    ring[place] = name
    clock[at + 1] = wrapped(place + 1, words)
    clock[at + 2] += 1


@inlined
def tail_leaves(s: State, u: Setting, name: int, cycle: int) -> None:
    """Let the head of a FIFO leave, the header in `cycle`."""
    push(s.clock, TAILS, s.tail, u.tail_words, name)
    s.tail_count[(cycle + u.phits) & (u.tail_cycles - 1)] += 1


@where(hop=LONG_HOP)
@inlined
def header_arrives(s: State, u: Setting, name: int, cycle: int) -> None:
    """Let a header that leaves in `cycle` be seen after the delay of a hop."""
    push(s.clock, ARRIVALS, s.arrival, u.arrival_words, name)
    s.arrival_count[(cycle + u.hop) & (u.arrival_cycles - 1)] += 1


@inlined
def next_due(clock: I64, at: int, counts: I32, cycles: int, cycle: int) -> int:
    """Return the first cycle from `cycle` on in which an event of a ring falls due, or `NEVER`."""
    if clock[at + 2] == 0:
        return NEVER
    while counts[cycle & (cycles - 1)] == 0:
        cycle += 1
    return cycle


@inlined
def take(clock: I64, at: int, ring: I32, words: int) -> int:
    """Remove and return the next word of a ring."""
    place = clock[at]
    clock[at] = wrapped(place + 1, words)
    return wide(ring[place])


@inlined
def take_count(clock: I64, at: int, counts: I32, cycles: int, cycle: int) -> int:
    """Return how many words of a ring fall due in `cycle`, all of which the caller takes."""
    place = cycle & (cycles - 1)
    count = counts[place]
    counts[place] = 0
    clock[at + 2] -= count
    return count


@inlined
def look_at(s: State, u: Setting, router: int, side: int) -> None:
    """Let a router decide in the cycle that a half of `dirty` belongs to."""
    word = router >> 6
    s.dirty[side * u.words + word] |= 1 << (router & 63)
    s.dirty_top[side * u.tops + (word >> 6)] |= 1 << (word & 63)
    s.clock[DIRTY + side] = 1


@inlined
def look_now(s: State, u: Setting, router: int) -> None:
    """Let a router decide in this cycle."""
    look_at(s, u, router, 1 - s.clock[SIDE])


@inlined
def look_if(s: State, u: Setting, router: int, side: int, so: bool) -> None:
    """Let a router decide in the cycle that a half of `dirty` belongs to, if `so`; see `head_if`."""
    word = router >> 6
    some = int(so)
    s.dirty[side * u.words + word] |= some << (router & 63)
    s.dirty_top[side * u.tops + (word >> 6)] |= some << (word & 63)
    s.clock[DIRTY + side] |= some


@inlined
def act_at(s: State, u: Setting, node: int, side: int) -> None:
    """Let a node act in the cycle that a half of `todo` belongs to, once."""
    base = node * TASK_WORDS
    if s.task[base + LISTED] >> side & 1 == 0:
        s.task[base + LISTED] |= 1 << side
        n = s.clock[TODO + side]
        s.todo[side * u.nodes + n] = node
        s.clock[TODO + side] = n + 1


@inlined
def act_now(s: State, u: Setting, node: int) -> None:
    """Let a node act in this cycle."""
    act_at(s, u, node, 1 - s.clock[SIDE])


@inlined
def act_next(s: State, u: Setting, node: int) -> None:
    """Let a node act in the next cycle."""
    act_at(s, u, node, s.clock[SIDE])


@inlined
def set_timer(s: State, now: int, cycle: int, node: int, kind: int) -> None:
    """Let a node act in a later cycle; it has at most one such timer of each `kind`, 0 or 1."""
    if cycle - now >= NEAR_CYCLES:
        set_far_timer(s, cycle, 2 * node + kind)
        return
    at = cycle & (NEAR_CYCLES - 1)
    s.near_next[2 * node + kind] = s.near[at]
    s.near[at] = 2 * node + kind
    s.clock[NEAR] += 1


@inlined
def no_timer_now(s: State, cycle: int) -> bool:
    """Tell whether no timer is due in `cycle`, and none was before."""
    return s.near[cycle & (NEAR_CYCLES - 1)] < 0 and (s.clock[TIMERS] == 0 or s.timer[0] > cycle)


@inlined
def next_timer(s: State, cycle: int) -> int:
    """Return the first cycle from `cycle` on in which a timer is due, or `NEVER`."""
    due = s.timer[0] if s.clock[TIMERS] > 0 else NEVER
    if s.clock[NEAR] > 0:
        while cycle < due and s.near[cycle & (NEAR_CYCLES - 1)] < 0:
            cycle += 1
        due = min(due, cycle)
    return due


@inlined
def act_on_timers(s: State, u: Setting, cycle: int) -> None:
    """Let the nodes act in this cycle whose timers are due."""
    at = cycle & (NEAR_CYCLES - 1)
    entry = s.near[at]
    s.near[at] = -1
    while entry >= 0:
        s.clock[NEAR] -= 1
        act_now(s, u, entry >> 1)
        entry = s.near_next[entry]
    while s.clock[TIMERS] > 0 and s.timer[0] == cycle:
        act_now(s, u, take_far_timer(s) >> 1)


@inlined
def fetch_timers(s: State, cycle: int) -> None:
    """Ask for what is needed of the nodes whose timers are due in `cycle`."""
    entry = s.near[cycle & (NEAR_CYCLES - 1)]
    while entry >= 0:
        fetch(s.task, (entry >> 1) * TASK_WORDS)
        entry = s.near_next[entry]


@inlined
def set_far_timer(s: State, cycle: int, entry: int) -> None:
    """Let a node act in a cycle that the lists do not reach (a binary heap)."""
    at = s.clock[TIMERS]
    s.clock[TIMERS] = at + 1
    while at > 0:
        above = (at - 1) >> 1
        if s.timer[above] <= cycle:
            break
        s.timer[at] = s.timer[above]
        s.timer_entry[at] = s.timer_entry[above]
        at = above
    s.timer[at] = cycle
    s.timer_entry[at] = entry


@inlined
def take_far_timer(s: State) -> int:
    """Remove the earliest timer of the heap and return its entry."""
    entry = s.timer_entry[0]
    n = s.clock[TIMERS] - 1
    s.clock[TIMERS] = n
    cycle = s.timer[n]
    last = s.timer_entry[n]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= n:
            break
        if below + 1 < n and s.timer[below + 1] < s.timer[below]:
            below += 1
        if cycle <= s.timer[below]:
            break
        s.timer[at] = s.timer[below]
        s.timer_entry[at] = s.timer_entry[below]
        at = below
    s.timer[at] = cycle
    s.timer_entry[at] = last
    return entry
