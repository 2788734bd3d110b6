"""Whom waiting is charged to (docs/background/model.md, "Waiting"), where `Setting.explain` is 1.

A head is charged lazily: up to now when something changes that decides who is charged. That is a packet that
begins to cross the link it waits for, another head in the FIFO beyond, or its own grant. A head that goes on
in the cycle in which it came waits for nothing, and is not looked at: heads are *parked* when their router
has decided and they are left. All of it is the same on grids, trees and the general router (`places`).
"""

from __future__ import annotations

from netplace.netsim.kernel.bits import fetch, inlined, lowest, outlined, where
from netplace.netsim.kernel.borders import is_ours, tell_of_head
from netplace.netsim.kernel.places import (
    consumption,
    fifo_at,
    first_choice,
    head_label,
    held_output,
    holds_packets,
    input_at,
    is_fed,
    link_port,
    name_before,
    name_beyond,
    router_at,
    wait_for_home,
    waits,
)
from netplace.netsim.kernel.state import (
    AIMED,
    AIMED_BITS,
    BLAMED,
    CHARGED,
    COLUMN,
    COLUMNS,
    CROSSER,
    CROSSING,
    FOR_OTHERS,
    FOR_OWN,
    I32,
    I64,
    JOBS,
    PARKED,
    PARKING_WORDS,
    STAND_SETS,
    TIED,
    WAITED,
    WATCHED,
    Setting,
    State,
)

# mypy: disable-error-code="untyped-decorator"

LINE_WORDS = 8  # of a cache line
LOOK_UP = -1  # whom a head is charged to
OUTPUT_AIMED = (1 << AIMED_BITS) - 1


@inlined
def owner(s: State, u: Setting, router: int, i: int) -> int:
    """Return the job of the head of an input, counted from 1; 0: open-loop traffic, or a packet of nobody."""
    label = head_label(s, u, router, i)
    return int(s.key_job[label >> 2]) if label >= 0 else 0


@inlined
def way(u: Setting, router: int, port: int) -> int:
    """Return the first word of a link; behind a router's ports comes its consumption."""
    return (router * (u.ports + 1) + port) * (BLAMED + u.wide)


@inlined
def stands(u: Setting, router: int, which: int, i: int) -> int:
    """Return the word of a router's set in `stand` that input `i` belongs to."""
    return (router * STAND_SETS + which) * u.wide + (i >> 6)


@inlined
def way_aimed(s: State, u: Setting, router: int, aimed: int) -> int:
    """Return the first word of the link that a parked head waits for."""
    output = aimed & OUTPUT_AIMED
    return way(u, router, u.ports if output == consumption(s, u) else link_port(s, u, output))


@outlined
def watch(clock: I64, column: I32, watched: I64, culprit: int, link: int, cycles: int) -> None:
    """Count what the watched job waited for a link by the job that it is charged to."""
    place = column[culprit]
    if place < 0:
        place = clock[COLUMN]
        column[culprit] = place
        clock[COLUMN] = min(place + 1, COLUMNS - 1)
    watched[link * COLUMNS + place] += cycles


@inlined
def add(s: State, u: Setting, victim: int, culprit: int, at: int, cycles: int) -> None:
    """Charge cycles of waiting at the link whose first word is `at`."""
    s.matrix[victim * s.clock[JOBS] + culprit] += cycles
    s.way[at + (FOR_OWN if culprit == victim else FOR_OTHERS)] += cycles
    if victim == s.clock[WATCHED]:
        watch(s.clock, s.column, s.watched, culprit, at // (BLAMED + u.wide), cycles)


@inlined
def head_beyond(s: State, u: Setting, router: int, output: int, victim: int) -> int:
    """Return the job of the head of the FIFO that an output feeds; `victim` if it is empty.

    Of a FIFO of another domain only that is read which nobody changes meanwhile, see `head_goes`.
    """
    to = name_beyond(s, u, router, output)
    there = router_at(s, u, to)
    j = input_at(s, u, to)
    if u.split == 0 and s.stand[stands(u, there, PARKED, j)] >> (j & 63) & 1:
        return s.parking[fifo_at(s, u, there, j) * PARKING_WORDS + AIMED] >> AIMED_BITS
    return owner(s, u, there, j) if holds_packets(s, u, there, j) else victim


@inlined
def charge(s: State, u: Setting, router: int, i: int, at: int, beyond: int, cycle: int) -> None:
    """Charge what the parked head of an input has waited since it was charged last, up to `cycle`.

    `beyond` is the job of the head in the FIFO that it is to go to, or `LOOK_UP`.
    """
    parking = fifo_at(s, u, router, i) * PARKING_WORDS
    begin = s.parking[parking + CHARGED]
    if begin < cycle:
        s.parking[parking + CHARGED] = cycle
        aimed = s.parking[parking + AIMED]
        victim = aimed >> AIMED_BITS
        crossed = min(s.way[at + CROSSING], cycle)
        if begin < crossed:
            add(s, u, victim, s.way[at + CROSSER], at, crossed - begin)
            begin = crossed
        if begin < cycle:
            culprit = beyond
            if beyond == LOOK_UP:
                culprit = victim
                if aimed & OUTPUT_AIMED != consumption(s, u):
                    culprit = head_beyond(s, u, router, aimed & OUTPUT_AIMED, victim)
            add(s, u, victim, culprit, at, cycle - begin)


@inlined
def charge_all(s: State, u: Setting, router: int, port: int, cycle: int) -> None:
    """Charge all heads of a router that wait for a port, up to `cycle`."""
    at = way(u, router, port)
    for w in range(u.wide):
        waiting = s.way[at + BLAMED + w]
        while waiting:
            i = w << 6 | lowest(waiting)
            waiting &= waiting - 1
            charge(s, u, router, i, at, LOOK_UP, cycle)


@inlined
def begins_to_wait(s: State, cycle: int) -> None:
    """Note that a head may wait from `cycle` on."""
    s.clock[WAITED] -= cycle


@where(explain=(1,))
@inlined
def park(s: State, u: Setting, router: int, cycle: int) -> None:
    """Note what the heads wait for that have come in `cycle` and are left when their router has decided."""
    for w in range(u.wide):
        tied = s.stand[stands(u, router, TIED, w << 6)]
        parked = s.stand[stands(u, router, PARKED, w << 6)]
        home = wait_for_home(s, u, router, w)
        fresh = (waits(s, u, router, w) | tied | home) & ~parked
        s.stand[stands(u, router, PARKED, w << 6)] = parked | fresh
        while fresh:
            n = lowest(fresh)
            bit = 1 << n
            i = w << 6 | n
            fresh &= fresh - 1
            output = consumption(s, u)
            if tied & bit:
                output = held_output(s, u, router, i)
            elif home & bit == 0:
                output = first_choice(s, u, router, i)
            aimed = owner(s, u, router, i) << AIMED_BITS | output
            parking = fifo_at(s, u, router, i) * PARKING_WORDS
            s.parking[parking + CHARGED] = cycle
            s.parking[parking + AIMED] = aimed
            s.way[way_aimed(s, u, router, aimed) + BLAMED + w] |= bit


@where(explain=(1,))
@inlined
def note_grant(s: State, u: Setting, router: int, i: int, output: int, cycle: int) -> None:
    """Note that a head waits for the link of its output alone, from `cycle` on."""
    bit = 1 << (i & 63)
    if s.stand[stands(u, router, PARKED, i)] & bit:
        parking = fifo_at(s, u, router, i) * PARKING_WORDS + AIMED
        at = way_aimed(s, u, router, s.parking[parking])
        charge(s, u, router, i, at, LOOK_UP, cycle)
        s.way[at + BLAMED + (i >> 6)] &= ~bit
        s.parking[parking] = s.parking[parking] & ~OUTPUT_AIMED | output
        s.way[way(u, router, link_port(s, u, output)) + BLAMED + (i >> 6)] |= bit
    s.stand[stands(u, router, TIED, i)] |= bit


@where(explain=(1,))
@inlined
def note_served(s: State, u: Setting, router: int, i: int) -> None:
    """Note that the head of an input, which holds an output, waits for its link no more."""
    s.stand[stands(u, router, TIED, i)] &= ~(1 << (i & 63))


@where(explain=(1,))
@inlined
def leaves(s: State, u: Setting, router: int, i: int, port: int, takes: int, cycle: int) -> None:
    """Note that the head of an input begins to cross a link, or to be consumed, in `cycle`, for so long."""
    bit = 1 << (i & 63)
    at = way(u, router, port)
    s.clock[WAITED] += cycle
    charge_all(s, u, router, port, cycle)
    s.way[at + CROSSING] = cycle + takes
    if s.stand[stands(u, router, PARKED, i)] & bit:
        s.stand[stands(u, router, PARKED, i)] &= ~bit
        s.way[at + BLAMED + (i >> 6)] &= ~bit
        s.way[at + CROSSER] = s.parking[fifo_at(s, u, router, i) * PARKING_WORDS + AIMED] >> AIMED_BITS
    else:
        s.way[at + CROSSER] = owner(s, u, router, i)


@where(explain=(1,))
@inlined
def fetch_parking(s: State, u: Setting, router: int) -> None:
    """Ask for what charging will soon read of a router of a grid or a tree."""
    for word in range(0, u.fifos * PARKING_WORDS, LINE_WORDS):
        fetch(s.parking, router * u.fifos * PARKING_WORDS + word)
    for word in range(0, way(u, 1, 0), LINE_WORDS):
        fetch(s.way, way(u, router, 0) + word)


@where(explain=(1,))
@inlined
def head_goes(s: State, u: Setting, router: int, i: int, cycle: int) -> None:
    """Charge those who wait for the FIFO of an input, whose head is gone from `cycle` on.

    Heads change in phase 1 only, and nobody looks at those of other domains then: their owner is told.
    """
    if not is_fed(s, u, router, i):
        return
    above = name_before(s, u, router, i)
    up = router_at(s, u, above)
    if not is_ours(s, u, up):
        tell_of_head(s, u, up, above, owner(s, u, router, i))
        return
    port = link_port(s, u, input_at(s, u, above))
    if s.way[way(u, up, port) + CROSSING] < cycle:
        charge_all(s, u, up, port, cycle)


@where(explain=(1,))
@inlined
def head_is_gone(s: State, u: Setting, name: int, job: int, cycle: int) -> None:
    """Charge those who wait for an output up to `cycle`: the head beyond, of `job`, was there till then."""
    router = router_at(s, u, name)
    output = input_at(s, u, name)
    at = way(u, router, link_port(s, u, output))
    if s.way[at + CROSSING] >= cycle:
        return
    for w in range(u.wide):
        waiting = s.way[at + BLAMED + w]
        while waiting:
            i = w << 6 | lowest(waiting)
            waiting &= waiting - 1
            aimed = s.parking[fifo_at(s, u, router, i) * PARKING_WORDS + AIMED]
            if aimed & OUTPUT_AIMED == output:
                charge(s, u, router, i, at, job, cycle)


@inlined
def charge_everything(s: State, u: Setting, cycle: int) -> None:
    """Charge all waiting up to `cycle`; in domains what waits in this one."""
    for router in range(u.routers):
        if is_ours(s, u, router):
            for port in range(u.ports + 1):
                charge_all(s, u, router, port, cycle)
