"""What other domains have told this one about routers of any wiring; see `taking`.

A packet's trip comes before its header. An output knows of room beyond the border after the meeting.
"""

from __future__ import annotations

from netplace.netsim.kernel.bits import spliced
from netplace.netsim.kernel.blame import head_is_gone
from netplace.netsim.kernel.borders import DECIDED, FELL_DUE, HEAD_GONE, KIND_BITS, TRY_AGAIN, outbox
from netplace.netsim.kernel.events import act_now
from netplace.netsim.kernel.graph_events import room_is_known
from netplace.netsim.kernel.graph_links import TRIP_BITS, place_behind, send_to
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
            if u.fabric == 1 and u.marks > 0:
                s.marked[place_behind(s, u, name)] = s.box[n] >> TRIP_BITS
            trip = s.box[n] & ((1 << TRIP_BITS) - 1)
            send_to(s, u, name, s.box[n + 2], s.box[n + 3], s.box[n + 4], trip, cycle)


@spliced
def take_fallen_due(s: GraphState, u: GraphSetting, cycle: int) -> None:
    """Take over what fell due beyond borders, and at outputs that lead there, by `cycle`."""
    for teller in range(u.domains):
        at = outbox(u, FELL_DUE, teller, u.domain)
        end = at + 1 + s.box[at]
        s.box[at] = 0
        at += 1
        while at < end:
            name = s.box[at] >> KIND_BITS
            kind = s.box[at] & ((1 << KIND_BITS) - 1)
            at += 1
            if u.explain == 1 and kind == HEAD_GONE:
                head_is_gone(s, u, name, s.box[at], cycle)
                at += 1
            elif u.fabric == 1 and kind == TRY_AGAIN:
                act_now(s, u, name)
            else:
                room_is_known(s, u, name)
