"""Whom waiting is charged to (docs/background/model.md, "Waiting"), where `Setting.explain` is 1.

A head is charged lazily: up to now when something changes that decides who is charged. That is a packet that
begins to cross the link it waits for, another head in the FIFO beyond, or its own grant. A head that goes on
in the cycle in which it came waits for nothing, and is not looked at: heads are *parked* when their router
has decided and they are left.
"""

from __future__ import annotations

from netplace.netsim.kernel.bits import fetch, inlined, lowest, outlined, where
from netplace.netsim.kernel.fifos import (
    beyond,
    count_of,
    feeder,
    fifo_of,
    head_slot,
    output_of,
    port_of,
    vc_of,
)
from netplace.netsim.kernel.state import (
    AIMED,
    BLAMED,
    CHARGED,
    COLUMN,
    COLUMNS,
    CROSSER,
    CROSSING,
    FOR_OTHERS,
    FOR_OWN,
    HOME,
    I32,
    I64,
    INPUT,
    JOBS,
    LABEL,
    NAME_BITS,
    OBLIVIOUS,
    OUTPUT,
    PARKED,
    PARKING_WORDS,
    STAND_WORDS,
    TAKEN,
    TIED,
    TREE_ADAPTIVE,
    WAIT,
    WAITED,
    WATCHED,
    WAY_WORDS,
    Setting,
    State,
)

# mypy: disable-error-code="untyped-decorator"

LINE_WORDS = 8  # of a cache line


@inlined
def owner(s: State, u: Setting, router: int, i: int) -> int:
    """Return the job of the head of an input, counted from 1; 0 is open-loop traffic."""
    return int(s.key_job[s.slot[head_slot(s, u, router, i) + LABEL] >> 2])


@inlined
def way(u: Setting, router: int, port: int) -> int:
    """Return the number of a link; behind a router's ports comes its consumption."""
    return router * (u.ports + 1) + port


@inlined
def port_aimed(s: State, u: Setting, aimed: int) -> int:
    """Return the port of the output that a parked head waits for; that behind the last one is consumption."""
    output = aimed & OUTPUT
    return u.ports if output == HOME else port_of(s, u, output)


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
def add(s: State, u: Setting, victim: int, culprit: int, link: int, cycles: int) -> None:
    """Charge cycles of waiting at a link."""
    s.matrix[victim * s.clock[JOBS] + culprit] += cycles
    s.way[link * WAY_WORDS + (FOR_OWN if culprit == victim else FOR_OTHERS)] += cycles
    if victim == s.clock[WATCHED]:
        watch(s.clock, s.column, s.watched, culprit, link, cycles)


@inlined
def charge(s: State, u: Setting, router: int, i: int, link: int, cycle: int) -> None:
    """Charge what the parked head of an input has waited since it was charged last, up to `cycle`."""
    at = (router * u.fifos + i) * PARKING_WORDS
    begin = s.parking[at + CHARGED]
    if begin < cycle:
        s.parking[at + CHARGED] = cycle
        aimed = s.parking[at + AIMED]
        victim = aimed >> NAME_BITS
        crossed = min(s.way[link * WAY_WORDS + CROSSING], cycle)
        if begin < crossed:
            add(s, u, victim, s.way[link * WAY_WORDS + CROSSER], link, crossed - begin)
            begin = crossed
        if begin < cycle:
            culprit = victim
            if aimed & OUTPUT != HOME:
                to = beyond(s, u, router, aimed & OUTPUT)
                there = to >> NAME_BITS
                j = to & INPUT
                if s.stand[there * STAND_WORDS + PARKED] >> j & 1:
                    culprit = s.parking[(there * u.fifos + j) * PARKING_WORDS + AIMED] >> NAME_BITS
                elif count_of(u, s.counts[fifo_of(u, there, j)]) > 0:
                    culprit = owner(s, u, there, j)
            add(s, u, victim, culprit, link, cycle - begin)


@inlined
def charge_all(s: State, u: Setting, router: int, port: int, cycle: int) -> None:
    """Charge all heads of a router that wait for a port, up to `cycle`."""
    link = way(u, router, port)
    waiting = s.way[link * WAY_WORDS + BLAMED]
    while waiting:
        i = lowest(waiting)
        waiting &= waiting - 1
        charge(s, u, router, i, link, cycle)


@inlined
def first_choice(s: State, u: Setting, router: int, i: int) -> int:
    """Return the first of the outputs that a head may ask for here."""
    base = router * u.row
    if u.policy == OBLIVIOUS:
        return output_of(u, s.counts[fifo_of(u, router, i)])
    port = 0
    while (s.row[base + u.want + port] >> i) & 1 == 0:
        port += 1
    vc = 0
    if u.dims == 0 and u.policy != TREE_ADAPTIVE and s.stage[router] >= 0:
        vc = vc_of(s, u, i)
    return port * u.vcs + vc


@inlined
def begins_to_wait(s: State, cycle: int) -> None:
    """Note that a head may wait from `cycle` on."""
    s.clock[WAITED] -= cycle


@where(explain=(1,))
@inlined
def park(s: State, u: Setting, router: int, cycle: int) -> None:
    """Note what the heads wait for that have come in `cycle` and are left when their router has decided."""
    base = router * u.row
    tied = s.stand[router * STAND_WORDS + TIED]
    parked = s.stand[router * STAND_WORDS + PARKED]
    home = s.homing[router] & ~(1 << TAKEN) if u.single == 1 else 0
    fresh = (s.row[base + WAIT] | tied | home) & ~parked
    s.stand[router * STAND_WORDS + PARKED] = parked | fresh
    while fresh:
        i = lowest(fresh)
        bit = 1 << i
        fresh &= fresh - 1
        output = HOME
        if tied & bit:
            output = output_of(u, s.counts[fifo_of(u, router, i)])
        elif home & bit == 0:
            output = first_choice(s, u, router, i)
        aimed = owner(s, u, router, i) << NAME_BITS | output
        at = (router * u.fifos + i) * PARKING_WORDS
        s.parking[at + CHARGED] = cycle
        s.parking[at + AIMED] = aimed
        s.way[way(u, router, port_aimed(s, u, aimed)) * WAY_WORDS + BLAMED] |= bit


@where(explain=(1,))
@inlined
def is_granted(s: State, u: Setting, router: int, i: int, output: int, cycle: int) -> None:
    """Note that a head waits for the link of its output alone, from `cycle` on."""
    bit = 1 << i
    if s.stand[router * STAND_WORDS + PARKED] & bit:
        at = (router * u.fifos + i) * PARKING_WORDS + AIMED
        link = way(u, router, port_aimed(s, u, s.parking[at]))
        charge(s, u, router, i, link, cycle)
        s.way[link * WAY_WORDS + BLAMED] &= ~bit
        s.parking[at] = s.parking[at] & ~OUTPUT | output
        s.way[way(u, router, port_of(s, u, output)) * WAY_WORDS + BLAMED] |= bit
    s.stand[router * STAND_WORDS + TIED] |= bit


@where(explain=(1,))
@inlined
def is_served(s: State, u: Setting, router: int, output: int) -> None:
    """Note that the head that holds an output waits for its link no more."""
    i = s.byte[router * u.row_bytes + u.turn + output] - 1
    s.stand[router * STAND_WORDS + TIED] &= ~(1 << i)


@where(explain=(1,))
@inlined
def leaves(s: State, u: Setting, router: int, i: int, port: int, cycle: int) -> None:
    """Note that the head of an input begins to cross a link, or to be consumed, in `cycle`."""
    bit = 1 << i
    link = way(u, router, port)
    at = link * WAY_WORDS
    s.clock[WAITED] += cycle
    charge_all(s, u, router, port, cycle)
    s.way[at + CROSSING] = cycle + u.phits
    if s.stand[router * STAND_WORDS + PARKED] & bit:
        s.stand[router * STAND_WORDS + PARKED] &= ~bit
        s.way[at + BLAMED] &= ~bit
        s.way[at + CROSSER] = s.parking[(router * u.fifos + i) * PARKING_WORDS + AIMED] >> NAME_BITS
    else:
        s.way[at + CROSSER] = owner(s, u, router, i)


@where(explain=(1,))
@inlined
def fetch_parking(s: State, u: Setting, router: int) -> None:
    """Ask for what charging will soon read of a router."""
    for word in range(0, u.fifos * PARKING_WORDS, LINE_WORDS):
        fetch(s.parking, router * u.fifos * PARKING_WORDS + word)
    for word in range(0, (u.ports + 1) * WAY_WORDS, LINE_WORDS):
        fetch(s.way, router * (u.ports + 1) * WAY_WORDS + word)


@where(explain=(1,))
@inlined
def head_goes(s: State, u: Setting, router: int, i: int, cycle: int) -> None:
    """Charge those who wait for the FIFO of an input, whose head is gone from `cycle` on."""
    above = feeder(s, u, router, i)
    up = above >> NAME_BITS
    port = port_of(s, u, above & INPUT)
    at = way(u, up, port) * WAY_WORDS
    if s.way[at + BLAMED] and s.way[at + CROSSING] < cycle:
        charge_all(s, u, up, port, cycle)


@inlined
def charge_everything(s: State, u: Setting, cycle: int) -> None:
    """Charge all waiting up to `cycle`."""
    for router in range(u.routers):
        for port in range(u.ports + 1):
            charge_all(s, u, router, port, cycle)
