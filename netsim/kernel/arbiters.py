"""Arbiters: which of the requests for an output is granted (phase 2)."""

from __future__ import annotations

from netplace.netsim.chance import ARBITER, draw
from netplace.netsim.kernel.bits import inlined, lowest, where
from netplace.netsim.kernel.draws import drawn
from netplace.netsim.kernel.fifos import head_slot, phits
from netplace.netsim.kernel.state import AGE, BIRTH, CHANCE, FIRST_COME, LONGEST, ROUND_ROBIN, Setting, State

# mypy: disable-error-code="untyped-decorator"


@inlined
def chosen(s: State, u: Setting, router: int, requests: int, turn: int, output: int, cycle: int) -> int:
    """Return the input that the arbiter picks among the `requests`; round robin begins at input `turn`."""
    if u.arbiter == ROUND_ROBIN:
        later = requests >> turn << turn
        return lowest(later if later else requests)
    if requests & (requests - 1) == 0:
        return lowest(requests)
    if u.arbiter == CHANCE:
        return drawn(requests, draw(u.seed, ARBITER, router, output, cycle))
    later = requests >> turn << turn
    if u.arbiter != LONGEST:
        later = requests
    best = -1
    most = -1
    for part in (later, requests & ~later):
        rest = part
        while rest:
            i = lowest(rest)
            rest &= rest - 1
            value = claim(s, u, router, i, cycle)
            if value > most:
                most = value
                best = i
    return best


@where(arbiter=(AGE, FIRST_COME, LONGEST))
@inlined
def claim(s: State, u: Setting, router: int, i: int, cycle: int) -> int:
    """Return what arbiters `longest`, `fifo` and `age` compare; the largest wins."""
    if u.arbiter == LONGEST:
        return phits(s, u, router, i, cycle)
    if u.arbiter == FIRST_COME:
        return cycle - s.since[router * u.fifos + i]
    return (cycle - s.slot[head_slot(s, u, router, i) + BIRTH]) & 0xFFFFFFFF
