"""What other domains have told this one about routers of any wiring; see `taking`.

A packet's trip comes before its header. Whether an output is free with room beyond the border is looked at
after the meeting, when no count changes.
"""

from __future__ import annotations

from netplace.netsim.kernel.bits import spliced
from netplace.netsim.kernel.borders import DECIDED, FELL_DUE, KIND_BITS, outbox
from netplace.netsim.kernel.graph_decide import send_to
from netplace.netsim.kernel.graph_events import ready_if_room
from netplace.netsim.kernel.graph_state import GraphSetting, GraphState

# mypy: disable-error-code="untyped-decorator"


@spliced
def take_decided(s: GraphState, u: GraphSetting, cycle: int) -> None:
    """Take over what the decisions of `cycle` have sent across borders."""
    for teller in range(u.domains):
        at = outbox(u, DECIDED, teller, u.domain)
        end = at + 1 + s.box[at]
        s.box[at] = 0
        for n in range(at + 1, end, 5):
            name = s.box[n + 1] >> KIND_BITS
            send_to(s, u, name, s.box[n + 2], s.box[n + 3], s.box[n + 4], s.box[n], cycle)


@spliced
def take_fallen_due(s: GraphState, u: GraphSetting) -> None:
    """Take over what fell due beyond borders, and at outputs that lead there."""
    for teller in range(u.domains):
        at = outbox(u, FELL_DUE, teller, u.domain)
        count = s.box[at]
        s.box[at] = 0
        for n in range(at + 1, at + 1 + count):
            ready_if_room(s, u, s.box[n] >> KIND_BITS)
