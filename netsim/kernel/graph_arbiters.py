"""Arbiters of the general router: which of the inputs that request an output gets it."""

from __future__ import annotations

from netplace.netsim.chance import ARBITER, below, draw
from netplace.netsim.kernel.bits import inlined, lowest
from netplace.netsim.kernel.graph_fifos import slot_of
from netplace.netsim.kernel.graph_state import COUNT, FIELD, FIRST, INPUTS, GraphSetting, GraphState
from netplace.netsim.kernel.state import BIRTH, CHANCE, FIRST_COME, I64, LONGEST, ROUND_ROBIN

# mypy: disable-error-code="untyped-decorator"


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
