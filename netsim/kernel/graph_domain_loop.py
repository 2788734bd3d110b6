"""The cycle of one domain of a network of any wiring: see `domain_loop`."""

from __future__ import annotations

from typing import Any

from netplace.netsim.kernel.bits import bare, inlined, settled
from netplace.netsim.kernel.domain_loop import is_busy, news
from netplace.netsim.kernel.entry import IDLE, JOB_ENDED, REACHED, ROOM
from netplace.netsim.kernel.events import NEVER
from netplace.netsim.kernel.graph_loop import choose_ways, decide_all, expose_all, fall_due, next_event
from netplace.netsim.kernel.graph_state import UGAL_G, GraphSetting, GraphState
from netplace.netsim.kernel.graph_taking import take_decided, take_fallen_due
from netplace.netsim.kernel.loop import let_tasks_act, turn_over
from netplace.netsim.kernel.meeting import earliest, flags_of_all, meet
from netplace.netsim.kernel.state import ENDED, EXPOSED, JOB_OVER, NOW, SENT_ACROSS, SHORT, SIDE

# mypy: disable-error-code="untyped-decorator"

__all__ = ["cycles"]


@inlined
def agree(s: GraphState, u: GraphSetting, cycle: int) -> int:
    """Meet when all has fallen due, and take over what did so elsewhere; return the meeting's parity."""
    due = cycle if is_busy(s, cycle) else next_event(s, u, cycle)
    parity = meet(s, u, due, news(s, u))
    s.clock[SENT_ACROSS] = 0
    take_fallen_due(s, u)
    return parity


def cycles(known: tuple[int, ...], kinds: tuple[str, ...]) -> Any:
    """Return the loop of a domain for settings of which some are known, and arrays of these kinds."""
    arrays_at = bare(kinds, GraphState)
    settings_at = settled(known, GraphSetting)

    def run_graph_domain(arrays: Any, given: Any, until: int) -> int:
        """Simulate cycles up to `until`, or to the end of a job, or until nothing is left to happen."""
        s = arrays_at(arrays)
        u = settings_at(given)
        cycle = s.clock[NOW]
        while True:
            parity = agree(s, u, cycle)
            due = earliest(s, u, parity)
            if flags_of_all(s, u, parity) & JOB_OVER:
                s.clock[ENDED] = 0
                s.clock[NOW] = cycle
                return JOB_ENDED
            if due == NEVER:
                s.clock[NOW] = cycle
                return IDLE
            if due > cycle:
                cycle = min(due, until)
                if due <= until:
                    meet(s, u, 0, 0)  # all have emptied their boxes, which are filled again
                    fall_due(s, u, cycle, 1 - s.clock[SIDE])
                    parity = agree(s, u, cycle)
            if cycle >= until:
                s.clock[NOW] = cycle
                return REACHED
            if flags_of_all(s, u, parity) & SHORT:
                s.clock[NOW] = cycle
                return ROOM
            side = 1 - s.clock[SIDE]
            let_tasks_act(s, u, cycle, side)
            count = s.clock[EXPOSED]
            s.clock[EXPOSED] = 0
            if u.choice == UGAL_G:  # which looks at the heads that wait at other domains' routers:
                meet(s, u, 0, 0)  # all have taken over what fell due there,
            choose_ways(s, u, count, cycle)
            if u.choice == UGAL_G:
                meet(s, u, 0, 0)  # and none changes what others still look at
            expose_all(s, u, count, cycle)
            decide_all(s, u, cycle, side)
            meet(s, u, 0, 0)
            take_decided(s, u, cycle)
            cycle += 1
            turn_over(s, side)
            fall_due(s, u, cycle, 1 - side)

    return run_graph_domain
