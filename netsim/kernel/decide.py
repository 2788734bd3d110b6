"""What a router decides from its own state in a cycle (phase 2)."""

from __future__ import annotations

from netplace.netsim.kernel.arbiters import chosen
from netplace.netsim.kernel.bits import inlined, lowest, spliced, where
from netplace.netsim.kernel.blame import leaves, park
from netplace.netsim.kernel.events import look_if
from netplace.netsim.kernel.fifos import fed
from netplace.netsim.kernel.heads import leave_home
from netplace.netsim.kernel.links import serve_links, tie
from netplace.netsim.kernel.memory import catch_up
from netplace.netsim.kernel.requests import obtainable, request_by_inputs, request_by_masks
from netplace.netsim.kernel.state import FREE, HELD, SIDE, SMART, TAKEN, TREE_ADAPTIVE, WAIT, Setting, State
from netplace.netsim.kernel.trees import request_adaptively

# mypy: disable-error-code="untyped-decorator"


@inlined
def settle(s: State, u: Setting, router: int, outputs: int, cycle: int) -> None:
    """Grant each free one of the `outputs` to one of its requests in `asked`."""
    base = router * u.row
    outputs &= s.row[base + FREE]
    rest = outputs
    granted = 0
    while rest:
        output = lowest(rest)
        rest &= rest - 1
        turn = s.byte[router * u.row_bytes + u.turn + output]
        i = chosen(s, u, router, s.asked[output], turn, output, cycle)
        granted |= 1 << i
        tie(s, u, router, i, output, cycle)
    if outputs:
        s.row[base + FREE] &= ~outputs
        s.row[base + HELD] |= outputs
        s.row[base + WAIT] &= ~granted
        if u.policy == SMART:
            for k in range(u.dims):
                s.row[base + u.next + k] &= ~granted


@where(single=(1,))
@inlined
def consume_one(s: State, u: Setting, router: int, cycle: int) -> None:
    """Let `single` consumption take one of the packets that are at their destination."""
    requests = s.homing[router]
    if requests == 0 or requests >> TAKEN & 1:
        return
    i = chosen(s, u, router, requests, s.turn_home[router], fed(s, u, router * u.row), cycle)
    s.homing[router] = requests & ~(1 << i) | 1 << TAKEN
    s.turn_home[router] = i + 1
    if u.explain == 1:
        leaves(s, u, router, i, u.ports, u.phits, cycle)
    leave_home(s, u, router, i, cycle)


@spliced
def decide(s: State, u: Setting, router: int, cycle: int) -> None:
    """Do all that a router does in phase 2 of `cycle`."""
    base = router * u.row
    if u.single == 1:
        consume_one(s, u, router, cycle)
    if s.row[base + WAIT]:
        if u.policy == SMART:
            catch_up(s, u, router, cycle)
        if u.masks == 1:
            requested, useful = request_by_masks(s, u, base)
            settle(s, u, router, requested, cycle)
            again = (useful & s.row[base + FREE] != 0) & (s.row[base + WAIT] != 0)
        else:
            if u.policy == TREE_ADAPTIVE:
                requested = request_adaptively(s, u, router, cycle)
            else:
                requested = request_by_inputs(s, u, router, cycle)
            settle(s, u, router, requested, cycle)
            again = obtainable(s, u, router)
        look_if(s, u, router, s.clock[SIDE], again)
    s.name[router * u.row_names + u.time] = cycle + 1
    if s.row[base + HELD]:
        serve_links(s, u, router)
    if u.explain == 1:
        park(s, u, router, cycle)
