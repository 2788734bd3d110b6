"""Grants and links: packets that hold an output, and begin to cross (phase 2)."""

from __future__ import annotations

from netplace.netsim.kernel.bits import fetch, inlined, lowest
from netplace.netsim.kernel.events import header_arrives, header_enters, tail_leaves
from netplace.netsim.kernel.fifos import slot_of
from netplace.netsim.kernel.state import (
    BELOW_OUT,
    BIRTH,
    BUSY,
    COUNT,
    FIELD,
    FIRST,
    FREE,
    HELD,
    INPUT,
    LABEL,
    LEAVING,
    NAME_BITS,
    OUT,
    PLACE,
    ROUTE,
    SLOT_WORDS,
    SMART,
    STARTING,
    WAIT,
    Setting,
    State,
)

# mypy: disable-error-code="untyped-decorator"


@inlined
def grant(s: State, u: Setting, base: int, i: int, output: int) -> None:
    """Tie an input and an output until the packet's tail has left."""
    others = ~(1 << i)
    s.row[base + WAIT] &= others
    if u.policy == SMART:
        for k in range(u.dims):
            s.row[base + u.next + k] &= others
    f = s.row[base + FIRST]
    s.fifo[f + i] = s.fifo[f + i] & BELOW_OUT | output << OUT
    s.turn[f + output] = i + 1
    s.row[base + FREE] &= ~(1 << output)
    s.row[base + HELD] |= 1 << output


@inlined
def start(s: State, u: Setting, name: int, cycle: int) -> None:
    """Let the packet that holds an output (named like an input) begin to cross its link."""
    router = name >> NAME_BITS
    output = name & INPUT
    base = router * u.row
    port = s.port_of[output]
    f = s.row[base + FIRST]
    i = s.turn[f + output] - 1
    s.row[base + LEAVING] |= 1 << i
    s.row[base + u.crossed + port] += 1
    beyond = (s.row[base + u.link + port] >> 32) + s.vc_of[output]
    j = beyond & INPUT
    there = (beyond >> NAME_BITS) * u.row
    g = s.row[there + FIRST] + j
    at = (s.fifo[g] & FIELD) + (s.fifo[g] >> COUNT & FIELD)
    if at >= u.queue:
        at -= u.queue
    new = (s.row[there + PLACE] + j * u.queue + at) * SLOT_WORDS
    old = slot_of(s, u, base, i, s.fifo[f + i] & FIELD)
    route = s.slot[old + ROUTE]
    if u.dims > 0:
        route -= 2 << s.shift[port >> 1]
    s.slot[new + ROUTE] = route
    s.slot[new + BIRTH] = s.slot[old + BIRTH]
    s.slot[new + LABEL] = s.slot[old + LABEL]
    if u.exact == 1:
        s.left[f + i] = cycle
        s.came[g] = cycle
    header_enters(s, u, beyond)
    if u.hop > 1:
        header_arrives(s, u, beyond, cycle)
    tail_leaves(s, u, router << NAME_BITS | i, cycle)


@inlined
def fetch_start(s: State, u: Setting, base: int, output: int) -> None:
    """Ask for the memory between which `start` will soon move a packet."""
    f = s.row[base + FIRST]
    i = s.turn[f + output] - 1
    fetch(s.slot, slot_of(s, u, base, i, s.fifo[f + i] & FIELD))
    beyond = (s.row[base + u.link + s.port_of[output]] >> 32) + s.vc_of[output]
    router = beyond >> NAME_BITS
    fetch(s.row, router * u.row + FIRST)
    fetch(s.fifo, router * u.fifos + (beyond & INPUT))


@inlined
def serve_links(s: State, u: Setting, router: int) -> None:
    """Let each idle link serve the next VC that holds a grant; its packet starts after all decisions."""
    base = router * u.row
    held = s.row[base + HELD]
    busy = s.row[base + BUSY]
    waiting = held
    while held:
        output = lowest(held)
        port = s.port_of[output]
        mine = ((1 << u.vcs) - 1) << (port * u.vcs)
        candidates = held & mine
        held &= ~mine
        if busy >> port & 1:
            continue
        if candidates & (candidates - 1):
            turn = port * u.vcs + s.turn_link[router * u.ports + port]
            later = candidates >> turn << turn
            if later:
                output = lowest(later)
        next_vc = s.vc_of[output] + 1
        s.turn_link[router * u.ports + port] = 0 if next_vc == u.vcs else next_vc
        busy |= 1 << port
        waiting &= ~(1 << output)
        s.starting[s.clock[STARTING]] = router << NAME_BITS | output
        s.clock[STARTING] += 1
        if u.ahead > 0:
            fetch_start(s, u, base, output)
    s.row[base + HELD] = waiting
    s.row[base + BUSY] = busy
