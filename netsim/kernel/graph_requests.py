"""Requests for outputs, and grants, in the general router."""

from __future__ import annotations

from netplace.netsim.chance import ROUTE as ROUTE_DRAW
from netplace.netsim.chance import below, draw
from netplace.netsim.kernel.bits import inlined, lowest
from netplace.netsim.kernel.blame import note_grant
from netplace.netsim.kernel.events import look_at
from netplace.netsim.kernel.graph_arbiters import chosen
from netplace.netsim.kernel.graph_fifos import adaptive
from netplace.netsim.kernel.graph_marks import mark_if_congested
from netplace.netsim.kernel.graph_state import BELOW_OUT, FIRST, OUT, TAKEN, GraphSetting, GraphState
from netplace.netsim.kernel.graph_ways import counts_heads, held_beyond
from netplace.netsim.kernel.state import SIDE

# mypy: disable-error-code="untyped-decorator"


@inlined
def is_ready(s: GraphState, u: GraphSetting, router: int, output: int) -> bool:
    """Tell whether an output is free and has room downstream."""
    return s.ready[router * u.wide + (output >> 6)] >> (output & 63) & 1 == 1


@inlined
def without_lowest(mask: int, count: int) -> int:
    """Return a set without its `count` lowest members; up to three of them cost no jump to be guessed."""
    while count > 3:
        mask &= mask - 1
        count -= 1
    rest = mask & (mask - 1)
    two = rest & (rest - 1)
    three = two & (two - 1)
    even = two if count & 2 else mask
    odd = three if count & 2 else rest
    return odd if count & 1 else even


@inlined
def best_option(s: GraphState, u: GraphSetting, router: int, i: int, cycle: int) -> int:
    """Return the output that a head asks for: ready, least occupied, drawn among equals; escape; or -1."""
    first = s.row[router * u.row + FIRST]
    last_resort = s.last_resort[first + i]
    least = 1 << 30
    equal = 0
    best = -1
    tied = 0
    for w in range(u.wide):
        outputs = adaptive(s, u, first + i, w) & s.ready[router * u.wide + w]
        if u.wide == 1 and outputs != 0 and outputs & (outputs - 1) == 0:
            return lowest(outputs)
        while outputs:
            output = w << 6 | lowest(outputs)
            bit = outputs & -outputs
            outputs ^= bit
            held = held_beyond(s, u, first + output)
            if held < least:
                least = held
                equal = 0
                best = output
                tied = 0
            equal += int(held == least)
            tied |= bit if held == least else 0
    if equal == 1:
        return best
    if equal == 0:
        return last_resort if last_resort >= 0 and is_ready(s, u, router, last_resort) else -1
    skip = below(draw(u.seed, ROUTE_DRAW, router, i, cycle), equal)
    if u.wide == 1:
        return lowest(without_lowest(tied, skip))
    for w in range(u.wide):
        outputs = adaptive(s, u, first + i, w) & s.ready[router * u.wide + w]
        while outputs:
            output = w << 6 | lowest(outputs)
            outputs &= outputs - 1
            if held_beyond(s, u, first + output) == least:
                if skip == 0:
                    return output
                skip -= 1
    return -1


@inlined
def is_counted_no_more(s: GraphState, u: GraphSetting, router: int, i: int) -> None:
    """Let a head be none of those that could ask for its outputs."""
    first = s.row[router * u.row + FIRST]
    at = router * u.wide
    others = ~(1 << (i & 63))
    for w in range(u.wide):
        outputs = s.may[(first + i) * u.wide + w]
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


@inlined
def grant(s: GraphState, u: GraphSetting, router: int, i: int, output: int, cycle: int) -> None:
    """Tie an input and an output until the packet's tail has left; its head asks for nothing more."""
    if u.explain == 1:
        note_grant(s, u, router, i, output, cycle)
    at = router * u.wide
    first = s.row[router * u.row + FIRST]
    f = first + i
    s.waiting[at + (i >> 6)] &= ~(1 << (i & 63))
    if counts_heads(u):
        is_counted_no_more(s, u, router, i)
    s.fifo[f] = s.fifo[f] & BELOW_OUT | output << OUT
    s.turn[first + output] = i + 1
    s.downstream[first + output] += TAKEN
    s.ready[at + (output >> 6)] &= ~(1 << (output & 63))
    s.held[at + (output >> 6)] |= 1 << (output & 63)


@inlined
def collect_by_output(s: GraphState, u: GraphSetting, router: int, cycle: int) -> None:
    """Put the requests for every ready output into `asked`, a set for each; for sets of several words."""
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
def collect_by_head(s: GraphState, u: GraphSetting, router: int, requesting: int, cycle: int) -> None:
    """Put the requests of a set of heads for every ready output into `asked`; for sets of one word."""
    rest = s.ready[router] & s.wanted[router]
    while rest:
        s.asked[lowest(rest)] = 0
        rest &= rest - 1
    while requesting:
        i = lowest(requesting)
        requesting &= requesting - 1
        s.asked[best_option(s, u, router, i, cycle)] |= 1 << i


@inlined
def grant_all(s: GraphState, u: GraphSetting, router: int, cycle: int) -> None:
    """Grant every ready output to one of its requests in `asked`."""
    first = s.row[router * u.row + FIRST]
    at = router * u.wide
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
                    link = router * u.ports + s.port_of[o]
                    in_use = s.busy[link] == 1 or s.freed[link] == cycle
                    mark_if_congested(s, u, router, i, o, in_use)
                grant(s, u, router, i, o, cycle)


@inlined
def settle_in_a_word(s: GraphState, u: GraphSetting, router: int, cycle: int) -> None:
    """Grant every ready output to one of its requests, where sets have one word."""
    if s.waiting[router] & (s.waiting[router] - 1) == 0:
        i = lowest(s.waiting[router])
        grant(s, u, router, i, best_option(s, u, router, i, cycle), cycle)
        s.wanted[router] = 0
        return
    first = s.row[router * u.row + FIRST]
    open = s.ready[router] & s.wanted[router]
    requesting = 0
    wanted = 0
    rest = s.waiting[router]
    while rest:  # without a jump for each head, which would be guessed wrong too often
        i = lowest(rest)
        rest &= rest - 1
        outputs = s.may[first + i]
        requests = int(outputs & open != 0)
        requesting |= requests << i
        wanted |= outputs & (requests - 1)
    if requesting & (requesting - 1):
        collect_by_head(s, u, router, requesting, cycle)
        grant_all(s, u, router, cycle)
        rest = requesting & s.waiting[router]
        while rest:
            wanted |= s.may[first + lowest(rest)]
            rest &= rest - 1
    elif requesting:
        i = lowest(requesting)
        grant(s, u, router, i, best_option(s, u, router, i, cycle), cycle)
    s.wanted[router] = wanted


@inlined
def settle(s: GraphState, u: GraphSetting, router: int, cycle: int) -> None:
    """Grant every ready output to one of its requests, and look again if some remain."""
    if u.wide == 1:
        settle_in_a_word(s, u, router, cycle)
    else:
        collect_by_output(s, u, router, cycle)
        grant_all(s, u, router, cycle)
    again = 0
    for w in range(u.wide):
        again |= s.ready[router * u.wide + w] & s.wanted[router * u.wide + w]
    if again:
        look_at(s, u, router, s.clock[SIDE])
