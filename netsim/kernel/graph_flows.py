"""Flows of the general router that keep their order: packets of a class from one node to another."""

from __future__ import annotations

from netplace.netsim.chance import VC_OF_FLOW, below, draw
from netplace.netsim.kernel.bits import inlined, where
from netplace.netsim.kernel.graph_fifos import class_of
from netplace.netsim.kernel.graph_state import BY, TO_HOME, UNDER_WAY, VIA_AT, GraphSetting, GraphState
from netplace.netsim.kernel.messages import origin

# mypy: disable-error-code="untyped-decorator"


@where(fabric=(1,))
@inlined
def flow_of(s: GraphState, u: GraphSetting, label: int, node: int) -> int:
    """Return the number of the flow of a packet to a node."""
    return (origin(s, label) * u.nodes + node) * u.classes + class_of(s, u, label)


@where(fabric=(1,))
@inlined
def kept_way(s: GraphState, u: GraphSetting, trip: int, chosen: int, label: int, node: int) -> int:
    """Return the trip of a packet at its first switch: as chosen, if none of its flow is under way."""
    at = flow_of(s, u, label, node)
    if s.flow[at] < UNDER_WAY:
        s.flow[at] = 0 if chosen & TO_HOME else (chosen >> VIA_AT) + 1
    s.flow[at] += UNDER_WAY
    by = s.flow[at] & BY
    return trip | TO_HOME if by == 0 else trip & ~TO_HOME | (by - 1) << VIA_AT


@where(fabric=(1,))
@inlined
def has_come(s: GraphState, u: GraphSetting, label: int, node: int) -> None:
    """Let one packet less of a flow be under way, unless it has only one way and none is counted."""
    at = flow_of(s, u, label, node)
    if s.flow[at] >= UNDER_WAY:
        s.flow[at] -= UNDER_WAY


@where(fabric=(1,))
@inlined
def vc_of_flow(s: GraphState, u: GraphSetting, label: int, node: int, count: int) -> int:
    """Return which of `count` virtual channels packets of a flow take."""
    return below(draw(u.seed, VC_OF_FLOW, origin(s, label), node, 0), count)
