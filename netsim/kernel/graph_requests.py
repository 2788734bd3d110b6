"""Requests for outputs, and grants, in the general router."""

from __future__ import annotations

from netplace.netsim.chance import ROUTE as ROUTE_DRAW
from netplace.netsim.chance import below, draw
from netplace.netsim.kernel.bits import inlined, lowest
from netplace.netsim.kernel.blame import is_granted
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
def best_option(s: GraphState, u: GraphSetting, router: int, i: int, cycle: int) -> int:
    """Return the output that a head asks for: ready, least occupied, drawn among equals; escape; or -1."""
    first = s.row[router * u.row + FIRST]
    last_resort = s.last_resort[first + i]
    least = 1 << 30
    equal = 0
    best = -1
    for w in range(u.wide):
        outputs = adaptive(s, u, first + i, w) & s.ready[router * u.wide + w]
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
        return last_resort if last_resort >= 0 and is_ready(s, u, router, last_resort) else -1
    skip = below(draw(u.seed, ROUTE_DRAW, router, i, cycle), equal)
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
        is_granted(s, u, router, i, output, cycle)
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
def collect_by_head(s: GraphState, u: GraphSetting, router: int, cycle: int) -> None:
    """Put the requests for every ready output into `asked`; for sets of one word."""
    first = s.row[router * u.row + FIRST]
    open = s.ready[router] & s.wanted[router]
    rest = open
    while rest:
        s.asked[lowest(rest)] = 0
        rest &= rest - 1
    requesting = 0
    rest = s.waiting[router]
    while rest:  # without a jump for each head, which would be guessed wrong too often
        i = lowest(rest)
        rest &= rest - 1
        requesting |= int(s.may[first + i] & open != 0) << i
    while requesting:
        i = lowest(requesting)
        requesting &= requesting - 1
        could = s.may[first + i] & open
        o = lowest(could)
        if could & (could - 1):
            o = best_option(s, u, router, i, cycle)
        s.asked[o] |= 1 << i


@inlined
def still_wanted(s: GraphState, u: GraphSetting, router: int) -> int:
    """Return the outputs that heads may ask for that still wait; for sets of one word."""
    first = s.row[router * u.row + FIRST]
    wanted = 0
    rest = s.waiting[router]
    while rest:
        wanted |= s.may[first + lowest(rest)]
        rest &= rest - 1
    return wanted


@inlined
def settle(s: GraphState, u: GraphSetting, router: int, cycle: int) -> None:
    """Grant every ready output to one of its requests, and look again if some remain."""
    first = s.row[router * u.row + FIRST]
    at = router * u.wide
    if u.wide == 1 and s.waiting[at] & (s.waiting[at] - 1) == 0:
        i = lowest(s.waiting[at])
        grant(s, u, router, i, best_option(s, u, router, i, cycle), cycle)
        s.wanted[at] = 0
        return
    if u.wide == 1:
        collect_by_head(s, u, router, cycle)
    else:
        collect_by_output(s, u, router, cycle)
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
    if u.wide == 1:
        s.wanted[at] = still_wanted(s, u, router)
    for w in range(u.wide):
        again |= s.ready[at + w] & s.wanted[at + w]
    if again:
        look_at(s, u, router, s.clock[SIDE])
