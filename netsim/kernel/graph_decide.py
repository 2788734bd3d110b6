"""What the general router decides in a cycle (phase 2): consumption, requests and grants, links."""

from __future__ import annotations

from netplace.netsim.kernel.bits import inlined, lowest, where
from netplace.netsim.kernel.blame import leaves, park
from netplace.netsim.kernel.graph_arbiters import chosen
from netplace.netsim.kernel.graph_events import leave_home
from netplace.netsim.kernel.graph_links import serve_links, serve_through_crossbar
from netplace.netsim.kernel.graph_marks import mark_if_congested
from netplace.netsim.kernel.graph_requests import settle
from netplace.netsim.kernel.graph_state import INPUTS, GraphSetting, GraphState

# mypy: disable-error-code="untyped-decorator"


@where(fabric=(1,))
@inlined
def those_of_class(s: GraphState, u: GraphSetting, router: int, number: int) -> int:
    """Put the heads of a class that are at their destination into `asked`; return 0 if there are none."""
    asked = s.row[router * u.row + INPUTS] * u.wide
    some = 0
    for w in range(u.wide):
        members = 0
        rest = s.homing[router * u.wide + w]
        while rest:
            n = lowest(rest)
            rest &= rest - 1
            members |= int(s.vc_of[w << 6 | n] // u.own == number) << n
        s.asked[asked + w] = members
        some |= members
    return some


@where(fabric=(1,))
@inlined
def of_next_class(s: GraphState, u: GraphSetting, router: int) -> None:
    """Put the heads into `asked` that are at their destination, of the class that a link would serve next."""
    count = u.turns if u.turns > 0 else u.classes
    begin = s.turn_home[u.nodes + router]
    for n in range(count):
        turn = begin + n - count * (begin + n >= count)
        if those_of_class(s, u, router, int(s.schedule[turn]) if u.turns > 0 else turn) != 0:
            if u.turns > 0:
                s.turn_home[u.nodes + router] = 0 if turn + 1 == count else turn + 1
            return


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
    if u.fabric == 1:
        of_next_class(s, u, router)
        i = chosen(s, u, router, s.asked, inputs * u.wide, s.turn_home[router], inputs, cycle)
        if u.marks > 0:
            in_use = s.freed[u.routers * u.ports + router] == cycle
            mark_if_congested(s, u, router, i, inputs, in_use)
    else:
        i = chosen(s, u, router, s.homing, at, s.turn_home[router], inputs, cycle)
    s.homing[at + (i >> 6)] &= ~(1 << (i & 63))
    s.turn_home[router] = i + 1
    if u.explain == 1:
        leaves(s, u, router, i, u.ports, u.phits, cycle)
    leave_home(s, u, router, i, cycle)


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
