"""What the general router decides in a cycle (phase 2): requests, grants, and the links."""

from __future__ import annotations

from netplace.netsim.chance import ARBITER, CROSSBAR, below, draw
from netplace.netsim.chance import ROUTE as ROUTE_DRAW
from netplace.netsim.kernel.bits import inlined, lowest, where
from netplace.netsim.kernel.blame import is_granted, is_served, leaves, park
from netplace.netsim.kernel.borders import DECIDED, is_ours, post, send_across
from netplace.netsim.kernel.events import look_at
from netplace.netsim.kernel.graph_events import begins_to_leave, header_sets_out, leave_home
from netplace.netsim.kernel.graph_fifos import entry_of, slot_of
from netplace.netsim.kernel.graph_marks import mark_if_congested
from netplace.netsim.kernel.graph_state import (
    BELOW_OUT,
    COUNT,
    ESCAPED,
    FIELD,
    FIRST,
    INPUTS,
    KIND_AT,
    LEVEL_AT,
    OUT,
    PLACE,
    SIX_BITS,
    GraphSetting,
    GraphState,
)
from netplace.netsim.kernel.graph_ways import fetch_entry, held_beyond, level_on
from netplace.netsim.kernel.state import (
    BIRTH,
    CHANCE,
    FIRST_COME,
    I64,
    LABEL,
    LONGEST,
    ROUND_ROBIN,
    ROUTE,
    SIDE,
    SLOT_WORDS,
    STARTING,
)

# mypy: disable-error-code="untyped-decorator"


@inlined
def is_ready(s: GraphState, u: GraphSetting, router: int, output: int) -> bool:
    """Tell whether an output is free and has room downstream."""
    return s.ready[router * u.wide + (output >> 6)] >> (output & 63) & 1 == 1


@inlined
def best_option(s: GraphState, u: GraphSetting, router: int, i: int, cycle: int) -> int:
    """Return the output that a head asks for: ready, least occupied, drawn among equals; escape; or -1."""
    first = s.row[router * u.row + FIRST]
    at = (first + i) * u.wide
    least = 1 << 30
    equal = 0
    best = -1
    for w in range(u.wide):
        outputs = s.may[at + w] & s.ready[router * u.wide + w]
        if u.wide == 1 and outputs != 0 and outputs & (outputs - 1) == 0:
            return lowest(outputs)
        while outputs:
            output = w << 6 | lowest(outputs)
            outputs &= outputs - 1
            held = held_beyond(s, u, first + output)
            if held < least:
                least = held
                equal = 0
                best = output
            equal += int(held == least)
    if equal == 1:
        return best
    if equal == 0:
        best = s.last_resort[first + i]
        return best if best >= 0 and is_ready(s, u, router, best) else -1
    skip = below(draw(u.seed, ROUTE_DRAW, router, i, cycle), equal)
    for w in range(u.wide):
        outputs = s.may[at + w] & s.ready[router * u.wide + w]
        while outputs:
            output = w << 6 | lowest(outputs)
            outputs &= outputs - 1
            if held_beyond(s, u, first + output) == least:
                if skip == 0:
                    return output
                skip -= 1
    return -1


@inlined
def claim(s: GraphState, u: GraphSetting, router: int, i: int, cycle: int) -> int:
    """Return what arbiters `longest`, `fifo` and `age` compare; the largest wins."""
    base = router * u.row
    f = s.row[base + FIRST] + i
    if u.arbiter == LONGEST:
        return min(s.fifo[f] >> COUNT & FIELD, u.queue)
    if u.arbiter == FIRST_COME:
        return cycle - s.since[f]
    birth = s.slot[slot_of(s, u, base, i, s.fifo[f] & FIELD) + BIRTH]
    return (cycle - birth) & 0xFFFFFFFF


@inlined
def next_in_turn(asked: I64, at: int, wide: int, turn: int) -> int:
    """Return the first member of a set at or after `turn`, cyclically."""
    w = turn >> 6
    later = asked[at + w] >> (turn & 63) << (turn & 63)
    if later:
        return w << 6 | lowest(later)
    for n in range(1, wide + 1):
        v = w + n
        if v >= wide:
            v -= wide
        if asked[at + v]:
            return v << 6 | lowest(asked[at + v])
    return -1


@inlined
def compared(s: GraphState, u: GraphSetting, router: int, asked: I64, at: int, turn: int, cycle: int) -> int:
    """Return the member of a set with the largest claim; of equals the next in turn, or the lowest."""
    base = router * u.row
    inputs = s.row[base + INPUTS] + (u.injectors if router < u.nodes else 0)
    if u.arbiter != LONGEST:
        turn = 0
    best = -1
    most = -1
    order = 0
    for w in range(u.wide):
        rest = asked[at + w]
        while rest:
            i = w << 6 | lowest(rest)
            rest &= rest - 1
            value = claim(s, u, router, i, cycle)
            place = i - turn if i >= turn else i - turn + inputs
            if value > most or (value == most and place < order):
                most = value
                order = place
                best = i
    return best


@inlined
def picked(asked: I64, at: int, wide: int, bits: int) -> int:
    """Return one member of a set by 64 random bits."""
    count = 0
    for w in range(wide):
        rest = asked[at + w]
        while rest:
            rest &= rest - 1
            count += 1
    skip = below(bits, count)
    for w in range(wide):
        rest = asked[at + w]
        while rest:
            if skip == 0:
                return w << 6 | lowest(rest)
            rest &= rest - 1
            skip -= 1
    return -1


@inlined
def chosen(
    s: GraphState, u: GraphSetting, router: int, asked: I64, at: int, turn: int, output: int, cycle: int
) -> int:
    """Return the input that the arbiter picks among the requests, a set at ``asked[at]``."""
    if u.arbiter == ROUND_ROBIN:
        return next_in_turn(asked, at, u.wide, turn)
    if u.arbiter == CHANCE:
        return picked(asked, at, u.wide, draw(u.seed, ARBITER, router, output, cycle))
    return compared(s, u, router, asked, at, turn, cycle)


@inlined
def grant(s: GraphState, u: GraphSetting, router: int, i: int, output: int, cycle: int) -> None:
    """Tie an input and an output until the packet's tail has left; its head asks for nothing more."""
    if u.explain == 1:
        is_granted(s, u, router, i, output, cycle)
    first = s.row[router * u.row + FIRST]
    at = router * u.wide
    others = ~(1 << (i & 63))
    last_resort = s.last_resort[first + i]
    for w in range(u.wide):
        outputs = s.may[(first + i) * u.wide + w]
        if last_resort >= 0 and last_resort >> 6 == w:
            outputs |= 1 << (last_resort & 63)
        while outputs:
            o = w << 6 | lowest(outputs)
            outputs &= outputs - 1
            s.want[(first + o) * u.wide + (i >> 6)] &= others
            some = 0
            for v in range(u.wide):
                some |= s.want[(first + o) * u.wide + v]
            if some == 0:
                s.wanted[at + w] &= ~(1 << (o & 63))
    s.several[at + (i >> 6)] &= others
    s.waiting[at + (i >> 6)] &= others
    f = first + i
    s.fifo[f] = s.fifo[f] & BELOW_OUT | output << OUT
    s.turn[first + output] = i + 1
    s.free[first + output] = 0
    s.ready[at + (output >> 6)] &= ~(1 << (output & 63))
    s.held[at + (output >> 6)] |= 1 << (output & 63)


@inlined
def collect(s: GraphState, u: GraphSetting, router: int, cycle: int) -> None:
    """Put the requests for every ready output into `asked`, a set for each."""
    first = s.row[router * u.row + FIRST]
    at = router * u.wide
    for w in range(u.wide):
        s.step[w] = 0
    for w in range(u.wide):
        outputs = s.ready[at + w] & s.wanted[at + w]
        while outputs:
            o = w << 6 | lowest(outputs)
            outputs &= outputs - 1
            for v in range(u.wide):
                wanting = s.want[(first + o) * u.wide + v]
                s.asked[o * u.wide + v] = wanting & ~s.several[at + v]
                s.step[v] |= wanting & s.several[at + v]
    for v in range(u.wide):
        choosing = s.step[v]
        while choosing:
            i = v << 6 | lowest(choosing)
            choosing &= choosing - 1
            o = best_option(s, u, router, i, cycle)
            if o >= 0:
                s.asked[o * u.wide + v] |= 1 << (i & 63)


@inlined
def settle(s: GraphState, u: GraphSetting, router: int, cycle: int) -> None:
    """Grant every ready output to one of its requests, and look again if some remain."""
    collect(s, u, router, cycle)
    first = s.row[router * u.row + FIRST]
    at = router * u.wide
    again = 0
    for w in range(u.wide):
        outputs = s.ready[at + w] & s.wanted[at + w]
        while outputs:
            o = w << 6 | lowest(outputs)
            outputs &= outputs - 1
            some = 0
            for v in range(u.wide):
                some |= s.asked[o * u.wide + v]
            if some:
                i = chosen(s, u, router, s.asked, o * u.wide, s.turn[first + o], o, cycle)
                if u.fabric == 1 and u.marks > 0:
                    mark_if_congested(s, u, router, i, o, cycle)
                grant(s, u, router, i, o, cycle)
    for w in range(u.wide):
        again |= s.ready[at + w] & s.wanted[at + w]
    if again:
        look_at(s, u, router, s.clock[SIDE])


@inlined
def consume_one(s: GraphState, u: GraphSetting, router: int, cycle: int) -> None:
    """Let `single` consumption take one of the packets that are at their destination."""
    at = router * u.wide
    some = 0
    for w in range(u.wide):
        some |= s.homing[at + w]
    if some == 0 or s.home_free[router] == 0:
        return
    inputs = s.row[router * u.row + INPUTS]
    i = chosen(s, u, router, s.homing, at, s.turn_home[router], inputs, cycle)
    s.homing[at + (i >> 6)] &= ~(1 << (i & 63))
    s.turn_home[router] = i + 1
    if u.explain == 1:
        leaves(s, u, router, i, u.ports, u.phits, cycle)
    leave_home(s, u, router, i, cycle)


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
        is_served(s, u, router, s.turn[first + output] - 1)
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
            vc = s.turn_link[link]
            while s.held[at + ((port * u.vcs + vc) >> 6)] >> ((port * u.vcs + vc) & 63) & 1 == 0:
                vc += 1
                if vc == u.vcs:
                    vc = 0
            serve(s, u, router, port, vc)


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
    place = place_behind(s, u, h)
    s.slot[place * SLOT_WORDS + ROUTE] = route
    s.slot[place * SLOT_WORDS + BIRTH] = birth
    s.slot[place * SLOT_WORDS + LABEL] = label
    s.trip[place] = trip
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
    old = slot_of(s, u, base, f - first, s.fifo[f] & FIELD)
    trip = s.trip[old // SLOT_WORDS]
    if router >= u.first_switch:
        x = (router - u.first_switch) * u.ports + port
        if s.rise[x] >= 0:
            level = level_on(s, u, trip, router - u.first_switch, port) + s.rise[x]
            trip = trip & ~(SIX_BITS << LEVEL_AT | SIX_BITS << KIND_AT) | level << LEVEL_AT
            trip |= (s.kind[x] + 1) << KIND_AT
            vc = s.vc_of[output] % u.own if u.fabric == 1 else s.vc_of[output]
            if u.escapes and vc == 0:
                trip |= ESCAPED
    if u.fabric == 1 and u.marks > 0:
        s.marked[place_behind(s, u, h)] = s.marked[old // SLOT_WORDS]
    fetch_entry(s, u, s.owner[h], old)
    if is_ours(s, u, s.owner[h]):
        send_to(s, u, h, s.slot[old + ROUTE], s.slot[old + BIRTH], s.slot[old + LABEL], trip, cycle)
    else:
        post(s, u, DECIDED, s.owner[h], trip)
        send_across(s, u, s.owner[h], h, s.slot[old + ROUTE], s.slot[old + BIRTH], s.slot[old + LABEL])
    begins_to_leave(s, u, f, cycle, s.lasts[link])


@inlined
def decide(s: GraphState, u: GraphSetting, router: int, cycle: int) -> None:
    """Do all that a router does in phase 2 of `cycle`."""
    if u.single:
        consume_one(s, u, router, cycle)
    some = 0
    for w in range(u.wide):
        some |= s.ready[router * u.wide + w] & s.wanted[router * u.wide + w]
    if some:
        settle(s, u, router, cycle)
    if u.fabric == 1 and (u.crossbar > 0 or u.classes > 1):
        serve_through_crossbar(s, u, router, cycle)
    else:
        serve_links(s, u, router)
    if u.explain == 1:
        park(s, u, router, cycle)
