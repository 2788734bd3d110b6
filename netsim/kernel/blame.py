"""Whom waiting is charged to (docs/background/model.md, "Waiting"), where `Setting.explain` is 1.

A head is charged lazily: up to now when something changes that decides who is charged. That is a packet that
begins to cross the link it waits for, another head in the FIFO beyond, or its own grant.
"""

from __future__ import annotations

from netplace.netsim.kernel.bits import inlined, lowest, outlined
from netplace.netsim.kernel.fifos import beyond, count_of, feeder, head_slot, output_of, port_of, vc_of
from netplace.netsim.kernel.state import (
    HOME,
    INPUT,
    JOBS,
    LABEL,
    NAME_BITS,
    OBLIVIOUS,
    TREE_ADAPTIVE,
    WAITED,
    Setting,
    State,
)

# mypy: disable-error-code="untyped-decorator"


@inlined
def owner(s: State, u: Setting, router: int, i: int) -> int:
    """Return the job of the head of an input, counted from 1; 0 is open-loop traffic."""
    return int(s.key_job[s.slot[head_slot(s, u, router, i) + LABEL] >> 2])


@inlined
def way(u: Setting, router: int, port: int) -> int:
    """Return the number of a link; behind a router's ports comes its consumption."""
    return router * (u.ports + 1) + port


@inlined
def aimed_port(s: State, u: Setting, f: int) -> int:
    """Return the port for which the head of a FIFO waits; that behind the last one is consumption."""
    return u.ports if s.aimed[f] == HOME else port_of(s, u, s.aimed[f])


@inlined
def add(s: State, u: Setting, victim: int, culprit: int, link: int, cycles: int) -> None:
    """Charge cycles of waiting at a link."""
    s.matrix[victim * s.clock[JOBS] + culprit] += cycles
    s.link_wait[2 * link + (1 if culprit != victim else 0)] += cycles


@outlined
def charge(s: State, u: Setting, router: int, i: int, cycle: int) -> None:
    """Charge what the head of an input has waited since it was charged last, up to `cycle`."""
    f = router * u.fifos + i
    begin = s.charged[f]
    if begin >= cycle:
        return
    s.charged[f] = cycle
    victim = owner(s, u, router, i)
    link = way(u, router, aimed_port(s, u, f))
    end = s.crossing[link]
    if begin < end:
        until = min(end, cycle)
        add(s, u, victim, s.crosser[link], link, until - begin)
        begin = until
    if begin < cycle:
        culprit = victim
        if s.aimed[f] != HOME:
            to = beyond(s, u, router * u.row, s.aimed[f])
            there = to >> NAME_BITS
            if count_of(u, s.row[there * u.row + u.fifo + (to & INPUT)]) > 0:
                culprit = owner(s, u, there, to & INPUT)
        add(s, u, victim, culprit, link, cycle - begin)


@inlined
def charge_all(s: State, u: Setting, router: int, port: int, cycle: int) -> None:
    """Charge all heads of a router that wait for a port, up to `cycle`."""
    waiting = s.blamed[way(u, router, port)]
    while waiting:
        i = lowest(waiting)
        waiting &= waiting - 1
        charge(s, u, router, i, cycle)


@inlined
def aim(s: State, u: Setting, router: int, i: int, output: int) -> None:
    """Let the head of an input wait for an output from now on."""
    f = router * u.fifos + i
    s.blamed[way(u, router, aimed_port(s, u, f))] &= ~(1 << i)
    s.aimed[f] = output
    s.blamed[way(u, router, aimed_port(s, u, f))] |= 1 << i


@inlined
def first_choice(s: State, u: Setting, router: int, i: int) -> int:
    """Return the first of the outputs that a head may ask for here."""
    base = router * u.row
    if u.policy == OBLIVIOUS:
        return output_of(u, s.row[base + u.fifo + i])
    port = 0
    while (s.row[base + u.want + port] >> i) & 1 == 0:
        port += 1
    vc = 0
    if u.dims == 0 and u.policy != TREE_ADAPTIVE and s.stage[router] >= 0:
        vc = vc_of(s, u, i)
    return port * u.vcs + vc


@inlined
def begins_to_wait(s: State, u: Setting, router: int, i: int, output: int, cycle: int) -> None:
    """Note that a head waits for an output from `cycle` on."""
    s.charged[router * u.fifos + i] = cycle
    s.since[router * u.fifos + i] = cycle
    aim(s, u, router, i, output)


@inlined
def is_granted(s: State, u: Setting, router: int, i: int, output: int, cycle: int) -> None:
    """Note that a head waits for the link of its output alone, from `cycle` on."""
    charge(s, u, router, i, cycle)
    aim(s, u, router, i, output)


@inlined
def leaves(s: State, u: Setting, router: int, i: int, port: int, cycle: int) -> None:
    """Note that the head of an input begins to cross a link, or to be consumed, in `cycle`."""
    f = router * u.fifos + i
    link = way(u, router, port)
    charge(s, u, router, i, cycle)
    s.clock[WAITED] += cycle - s.since[f]
    s.blamed[link] &= ~(1 << i)
    charge_all(s, u, router, port, cycle)
    s.crossing[link] = cycle + u.phits
    s.crosser[link] = owner(s, u, router, i)


@inlined
def head_goes(s: State, u: Setting, router: int, i: int, cycle: int) -> None:
    """Charge those who wait for the FIFO of an input, whose head is gone from `cycle` on."""
    above = feeder(s, u, router * u.row, i)
    up = above >> NAME_BITS
    port = port_of(s, u, above & INPUT)
    link = way(u, up, port)
    if s.blamed[link] and s.crossing[link] < cycle:
        charge_all(s, u, up, port, cycle)


@inlined
def charge_everything(s: State, u: Setting, routers: int, cycle: int) -> None:
    """Charge all waiting up to `cycle`."""
    for router in range(routers):
        for port in range(u.ports + 1):
            charge_all(s, u, router, port, cycle)
