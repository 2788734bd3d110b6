"""What the general router decides in a cycle (phase 2): consumption, requests and grants, links."""

from __future__ import annotations

from netplace.netsim.kernel.bits import inlined
from netplace.netsim.kernel.blame import leaves, park
from netplace.netsim.kernel.graph_arbiters import chosen
from netplace.netsim.kernel.graph_events import leave_home
from netplace.netsim.kernel.graph_links import serve_links, serve_through_crossbar
from netplace.netsim.kernel.graph_requests import settle
from netplace.netsim.kernel.graph_state import INPUTS, GraphSetting, GraphState

# mypy: disable-error-code="untyped-decorator"


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
