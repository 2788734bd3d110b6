"""Links of the general router: which packet they serve next, and its way across."""

from __future__ import annotations

from netplace.netsim.chance import CROSSBAR, below, draw
from netplace.netsim.kernel.bits import inlined, lowest, where, wide
from netplace.netsim.kernel.blame import leaves, note_served
from netplace.netsim.kernel.borders import DECIDED, is_ours, post, send_across
from netplace.netsim.kernel.graph_events import begins_to_leave, header_sets_out
from netplace.netsim.kernel.graph_fifos import entry_of, slot_of
from netplace.netsim.kernel.graph_state import (
    COUNT,
    ESCAPED,
    FIELD,
    FIRST,
    INPUTS,
    KIND_AT,
    LEVEL_AT,
    PLACE,
    SIX_BITS,
    SLOT_WORDS,
    TRIP,
    GraphSetting,
    GraphState,
)
from netplace.netsim.kernel.graph_ways import level_on
from netplace.netsim.kernel.state import BIRTH, LABEL, ROUTE, STARTING

# mypy: disable-error-code="untyped-decorator"

TRIP_BITS = 32  # of a trip that crosses a border; before them its mark


@inlined
def serve(s: GraphState, u: GraphSetting, router: int, port: int, vc: int) -> None:
    """Let a link serve a virtual channel; its packet starts after all decisions."""
    link = router * u.ports + port
    output = port * u.vcs + vc
    first = s.row[router * u.row + FIRST]
    if u.fabric == 0 or u.classes == 1:
        s.turn_link[link] = 0 if vc + 1 == u.vcs else vc + 1
    s.busy[link] = 1
    s.held[router * u.wide + (output >> 6)] &= ~(1 << (output & 63))
    if u.explain == 1:
        note_served(s, u, router, s.turn[first + output] - 1)
    s.starting[s.clock[STARTING]] = first + output
    s.clock[STARTING] += 1


@where(fabric=(1,))
@inlined
def may_be_served(s: GraphState, u: GraphSetting, router: int, output: int) -> bool:
    """Tell whether an output is granted to a packet that may leave its input port."""
    if s.held[router * u.wide + (output >> 6)] >> (output & 63) & 1 == 0:
        return False
    first = s.row[router * u.row + FIRST]
    return u.crossbar == 0 or s.leaving[entry_of(s, u, first + s.turn[first + output] - 1)] < u.crossbar


@where(fabric=(1,))
@inlined
def next_of(s: GraphState, u: GraphSetting, router: int, port: int, begin: int, number: int) -> int:
    """Return the first VC of a class from number `begin` in it on that may be served; -1: there is none."""
    for n in range(u.own):
        vc = begin + n - u.own * (begin + n >= u.own)
        if may_be_served(s, u, router, port * u.vcs + number * u.own + vc):
            return number * u.own + vc
    return -1


@where(fabric=(1,))
@inlined
def next_by_class(s: GraphState, u: GraphSetting, router: int, port: int) -> int:
    """Return the VC that a link serves next, by priority or by its schedule; -1: there is none."""
    at = (router * u.ports + port) * (u.classes + 1)
    count = u.turns if u.turns > 0 else u.classes
    begin = s.turn_link[at + u.classes]
    for n in range(count):
        turn = begin + n - count * (begin + n >= count)
        number = int(s.schedule[turn]) if u.turns > 0 else turn
        vc = next_of(s, u, router, port, s.turn_link[at + number], number)
        if vc >= 0:
            after = vc - number * u.own + 1
            s.turn_link[at + number] = 0 if after == u.own else after
            if u.turns > 0:
                s.turn_link[at + u.classes] = 0 if turn + 1 == count else turn + 1
            return vc
    return -1


@where(fabric=(1,))
@inlined
def serve_through_crossbar(s: GraphState, u: GraphSetting, router: int, cycle: int) -> None:
    """Let each idle link serve the next VC whose packet may leave its input port, from a port drawn on."""
    first = s.row[router * u.row + FIRST]
    ports = s.row[router * u.row + INPUTS] // u.vcs
    some = 0
    for w in range(u.wide):
        some |= s.held[router * u.wide + w]
    if some == 0:
        return
    port = below(draw(u.seed, CROSSBAR, router, 0, cycle), ports)
    for _ in range(ports):
        link = router * u.ports + port
        if s.busy[link] == 0:
            if u.classes > 1:
                vc = next_by_class(s, u, router, port)
            else:
                vc = next_of(s, u, router, port, s.turn_link[link], 0)
            if vc >= 0:
                s.leaving[entry_of(s, u, first + s.turn[first + port * u.vcs + vc] - 1)] += 1
                serve(s, u, router, port, vc)
        port = 0 if port + 1 == ports else port + 1


@inlined
def next_in_turn_of_link(s: GraphState, u: GraphSetting, router: int, port: int) -> int:
    """Return the VC that holds a grant and comes next, of a link some of whose VCs do."""
    low = port * u.vcs
    vc = s.turn_link[router * u.ports + port]
    if u.wide == 1:
        granted = s.held[router] >> low & ((1 << u.vcs) - 1)
        later = granted >> vc << vc
        return lowest(later if later else granted)
    while s.held[router * u.wide + ((low + vc) >> 6)] >> ((low + vc) & 63) & 1 == 0:
        vc += 1
        if vc == u.vcs:
            vc = 0
    return vc


@inlined
def serve_links(s: GraphState, u: GraphSetting, router: int) -> None:
    """Let each idle link serve the next VC that holds a grant; its packet starts after all decisions."""
    at = router * u.wide
    for w in range(u.wide):
        rest = s.held[at + w]
        while rest:
            port = s.port_of[w << 6 | lowest(rest)]
            rest &= rest - 1
            link = router * u.ports + port
            if s.busy[link]:
                continue
            serve(s, u, router, port, next_in_turn_of_link(s, u, router, port))


@inlined
def place_behind(s: GraphState, u: GraphSetting, h: int) -> int:
    """Return the slot of the next packet that sets out for a FIFO that a link feeds."""
    there = s.owner[h] * u.row
    at = (s.fifo[h] & FIELD) + (s.fifo[h] >> COUNT & FIELD)
    if at >= u.queue:
        at -= u.queue
    return s.row[there + PLACE] + (h - s.row[there + FIRST]) * u.queue + at


@inlined
def send_to(
    s: GraphState, u: GraphSetting, h: int, route: int, birth: int, label: int, trip: int, cycle: int
) -> None:
    """Let a packet, whose header leaves in `cycle`, cross a link into a FIFO."""
    slot = place_behind(s, u, h) * SLOT_WORDS
    s.slot[slot + ROUTE] = route
    s.slot[slot + BIRTH] = birth
    s.slot[slot + LABEL] = label
    s.slot[slot + TRIP] = trip
    header_sets_out(s, u, h, cycle)


@inlined
def start(s: GraphState, u: GraphSetting, g: int, cycle: int) -> None:
    """Let the packet that holds an output begin to cross its link."""
    router = s.owner[g]
    base = router * u.row
    first = s.row[base + FIRST]
    output = g - first
    port = s.port_of[output]
    link = router * u.ports + port
    f = first + s.turn[g] - 1
    if u.explain == 1:
        leaves(s, u, router, f - first, port, s.lasts[link], cycle)
    s.crossed[link] += 1
    h = s.beyond[g]
    s.downstream[g] += 1
    old = slot_of(s, u, base, f - first, s.fifo[f] & FIELD)
    trip = s.slot[old + TRIP]
    if router >= u.first_switch:
        x = (router - u.first_switch) * u.ports + port
        if s.rise[x] >= 0:
            level = level_on(s, u, trip, router - u.first_switch, port) + s.rise[x]
            trip = trip & ~(SIX_BITS << LEVEL_AT | SIX_BITS << KIND_AT) | level << LEVEL_AT
            trip |= (s.kind[x] + 1) << KIND_AT
            vc = s.vc_of[output] % u.own if u.fabric == 1 else s.vc_of[output]
            if u.escapes and vc == 0:
                trip |= ESCAPED
    mark = 0
    if u.fabric == 1 and u.marks > 0:
        mark = wide(s.marked[old // SLOT_WORDS])
    if is_ours(s, u, s.owner[h]):
        if u.fabric == 1 and u.marks > 0:
            s.marked[place_behind(s, u, h)] = mark
        send_to(s, u, h, s.slot[old + ROUTE], s.slot[old + BIRTH], s.slot[old + LABEL], trip, cycle)
    else:
        post(s, u, DECIDED, s.owner[h], mark << TRIP_BITS | trip)
        send_across(s, u, s.owner[h], h, s.slot[old + ROUTE], s.slot[old + BIRTH], s.slot[old + LABEL])
    begins_to_leave(s, u, f, cycle, s.lasts[link])
