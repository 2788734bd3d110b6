"""What a router decides from its own state in a cycle (phase 2)."""

from __future__ import annotations

from netplace.netsim.kernel.arbiters import chosen
from netplace.netsim.kernel.bits import inlined, lowest
from netplace.netsim.kernel.events import look_at
from netplace.netsim.kernel.heads import leave_home
from netplace.netsim.kernel.links import grant, serve_links
from netplace.netsim.kernel.memory import catch_up
from netplace.netsim.kernel.requests import obtainable, request_by_inputs, request_by_masks
from netplace.netsim.kernel.state import (
    FIRST,
    FREE,
    HELD,
    HOME,
    HOMING,
    INPUTS,
    SIDE,
    SMART,
    TIME,
    WAIT,
    Setting,
    State,
)

# mypy: disable-error-code="untyped-decorator"


@inlined
def settle(s: State, u: Setting, router: int, outputs: int, cycle: int) -> None:
    """Grant each free one of the `outputs` to one of its requests in `asked`."""
    base = router * u.row
    outputs &= s.row[base + FREE]
    while outputs:
        output = lowest(outputs)
        outputs &= outputs - 1
        requests = s.asked[output]
        if requests:
            turn = s.turn[s.row[base + FIRST] + output]
            grant(s, u, base, chosen(s, u, router, requests, turn, output, cycle), output)


@inlined
def consume_one(s: State, u: Setting, router: int, cycle: int) -> None:
    """Let `single` consumption take one of the packets that are at their destination."""
    base = router * u.row
    requests = s.row[base + HOMING]
    if requests == 0:
        return
    if s.row[base + FREE] >> HOME & 1 == 0:
        return
    i = chosen(s, u, router, requests, s.turn_home[router], s.row[base + INPUTS], cycle)
    s.row[base + WAIT] &= ~(1 << i)
    s.row[base + HOMING] &= ~(1 << i)
    s.row[base + FREE] &= ~(1 << HOME)
    s.turn_home[router] = i + 1
    leave_home(s, u, router, i, cycle)


@inlined
def decide(s: State, u: Setting, router: int, cycle: int) -> None:
    """Do all that a router does in phase 2 of `cycle`."""
    base = router * u.row
    if u.single == 1:
        consume_one(s, u, router, cycle)
    if s.row[base + WAIT] & ~s.row[base + HOMING]:
        if u.policy == SMART:
            catch_up(s, u, router, cycle)
        if u.masks == 1:
            useful = request_by_masks(s, u, router, cycle)
            settle(s, u, router, useful, cycle)
            again = useful & s.row[base + FREE] != 0 and s.row[base + WAIT] != 0
        else:
            settle(s, u, router, request_by_inputs(s, u, router, cycle), cycle)
            again = obtainable(s, u, router)
        if again:
            look_at(s, u, router, s.clock[SIDE])
    s.row[base + TIME] = cycle + 1
    if s.row[base + HELD]:
        serve_links(s, u, router)
