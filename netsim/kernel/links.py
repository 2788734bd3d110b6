"""Grants and links: packets that hold an output, and begin to cross (phase 2)."""

from __future__ import annotations

from netplace.netsim.kernel.bits import fetch, inlined, lowest
from netplace.netsim.kernel.blame import leaves, note_grant, note_served
from netplace.netsim.kernel.borders import is_ours, send_across
from netplace.netsim.kernel.events import header_arrives, header_enters
from netplace.netsim.kernel.fifos import (
    beyond,
    bound_for,
    count_of,
    fifo_of,
    grow,
    head_slot,
    port_of,
    slot_of,
    vc_of,
)
from netplace.netsim.kernel.heads import head_leaves
from netplace.netsim.kernel.state import (
    BIRTH,
    FILLS,
    HELD,
    IDLE,
    INPUT,
    LABEL,
    NAME_BITS,
    ROUTE,
    STARTING,
    TREE_ADAPTIVE,
    Setting,
    State,
)

# mypy: disable-error-code="untyped-decorator"


@inlined
def tie(s: State, u: Setting, router: int, i: int, output: int, cycle: int) -> None:
    """Tie an input and an output until the packet's tail has left; the caller keeps the sets of both."""
    if u.explain == 1:
        note_grant(s, u, router, i, output, cycle)
    f = fifo_of(u, router, i)
    s.counts[f] = bound_for(u, s.counts[f], output)
    s.byte[router * u.row_bytes + u.turn + output] = i + 1
    if u.dims == 0:
        port = port_of(s, u, output)
        if u.policy == TREE_ADAPTIVE and port < s.up[1]:
            port = 0
        s.row[router * u.row + u.want + port] &= ~(1 << i)


@inlined
def place_beyond(s: State, u: Setting, to: int) -> int:
    """Return the first word of the slot that the next packet into a FIFO gets."""
    there = to >> NAME_BITS
    j = to & INPUT
    word = s.counts[fifo_of(u, there, j)]
    at = (word & u.field) + count_of(u, word)
    if at >= u.queue:
        at -= u.queue
    return slot_of(s, u, there, j, at)


@inlined
def send_to(s: State, u: Setting, to: int, route: int, birth: int, label: int, cycle: int) -> None:
    """Let a packet, whose header leaves in `cycle`, cross a link into a FIFO."""
    new = place_beyond(s, u, to)
    s.slot[new + ROUTE] = route
    s.slot[new + BIRTH] = birth
    s.slot[new + LABEL] = label
    if u.exact == 1:
        s.came[(to >> NAME_BITS) * u.fifos + (to & INPUT)] = cycle
    header_enters(s, u, to)
    if u.hop > 1:
        header_arrives(s, u, to, cycle)


@inlined
def start(s: State, u: Setting, name: int, cycle: int) -> None:
    """Let the packet that holds an output (named like an input) begin to cross its link."""
    router = name >> NAME_BITS
    output = name & INPUT
    port = port_of(s, u, output)
    i = s.byte[router * u.row_bytes + u.turn + output] - 1
    if u.explain == 1:
        leaves(s, u, router, i, port, u.phits, cycle)
    counter = router * u.row_counts + u.crossed + port
    crossed = s.counts[counter] + 1
    s.counts[counter] = crossed
    if crossed & u.modulus == 0:
        s.carry[router * u.ports + port] += 1
    to = beyond(s, u, router, output)
    old = head_slot(s, u, router, i)
    route = s.slot[old + ROUTE]
    if u.dims > 0:
        route -= 2 << s.shift[port >> 1]
    if is_ours(s, u, to >> NAME_BITS):
        send_to(s, u, to, route, s.slot[old + BIRTH], s.slot[old + LABEL], cycle)
    else:
        send_across(s, u, to >> NAME_BITS, to, route, s.slot[old + BIRTH], s.slot[old + LABEL])
    if u.loads == 1:
        grow(s, u, router, output, FILLS, cycle)
    head_leaves(s, u, router, i, cycle)


@inlined
def fetch_place(s: State, u: Setting, name: int) -> None:
    """Ask for the slot into which `start` will soon put a packet."""
    fetch(s.slot, place_beyond(s, u, beyond(s, u, name >> NAME_BITS, name & INPUT)))


@inlined
def fetch_start(s: State, u: Setting, router: int, output: int) -> None:
    """Ask for the memory between which `start` will soon move a packet."""
    i = s.byte[router * u.row_bytes + u.turn + output] - 1
    fetch(s.slot, head_slot(s, u, router, i))
    to = beyond(s, u, router, output)
    fetch(s.counts, fifo_of(u, to >> NAME_BITS, to & INPUT))


@inlined
def serve_links(s: State, u: Setting, router: int) -> None:
    """Let each idle link serve the next VC that holds a grant; its packet starts after all decisions."""
    base = router * u.row
    held = s.row[base + HELD]
    idle = s.row[base + IDLE]
    ready = held & idle
    while ready:
        output = lowest(ready)
        port = port_of(s, u, output)
        mine = ((1 << u.vcs) - 1) << (port * u.vcs)
        candidates = ready & mine
        ready &= ~mine
        pointer = router * u.row_bytes + u.turn_link + port
        turn = port * u.vcs + s.byte[pointer]
        later = candidates >> turn << turn
        output = lowest(later if later else candidates)
        next_vc = vc_of(s, u, output) + 1
        s.byte[pointer] = 0 if next_vc == u.vcs else next_vc
        idle &= ~mine
        held &= ~(1 << output)
        if u.explain == 1:
            note_served(s, u, router, s.byte[router * u.row_bytes + u.turn + output] - 1)
        s.starting[s.clock[STARTING]] = router << NAME_BITS | output
        s.clock[STARTING] += 1
        if u.ahead > 0:
            fetch_start(s, u, router, output)
    s.row[base + HELD] = held
    s.row[base + IDLE] = idle
