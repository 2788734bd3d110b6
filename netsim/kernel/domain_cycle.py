"""The cycle of one domain of a network that is cut, on any kind of network: see `cycle`.

All domains run this side by side, each on arrays of its own and on its own part of those that they share.
They meet twice a cycle: when all have decided, and when all that this completes has been applied.
"""

from __future__ import annotations

from typing import Any

from netplace.netsim.kernel.bits import by_state, inlined
from netplace.netsim.kernel.constants import IDLE, JOB_ENDED, REACHED, ROOM
from netplace.netsim.kernel.cycle import Phases, is_short, let_tasks_act, turn_over
from netplace.netsim.kernel.events import NEVER
from netplace.netsim.kernel.graph_state import GraphSetting, GraphState
from netplace.netsim.kernel.meeting import dawdle, earliest, flags_of_all, meet
from netplace.netsim.kernel.state import ENDED, JOB_OVER, NOW, SENT_ACROSS, SHORT, SIDE, Setting, State

# mypy: disable-error-code="untyped-decorator"

__all__ = ["domain_cycles_of"]


@inlined
def _none(s: State, u: Setting) -> int:
    return 0


@inlined
def _all_nodes(s: GraphState, u: GraphSetting) -> int:
    return int(u.nodes) if u.fabric == 1 and u.window > 0 else 0


woken = by_state({State: _none, GraphState: _all_nodes})  # nodes that others may let act after a meeting


@inlined
def news(s: State, u: Setting) -> int:
    """Return what all domains must know of this one between two cycles."""
    flags = JOB_OVER if s.clock[ENDED] else 0
    return flags | SHORT if is_short(s, u, woken(s, u)) else flags


def domain_cycles_of(
    arrays_at: Any, settings_at: Any, phases: Phases, take_decided: Any, take_fallen_due: Any
) -> Any:
    """Return the loop of one domain.

    Parameters
    ----------
    arrays_at, settings_at, phases
        As of `cycle.cycles_of`.
    take_decided, take_fallen_due
        Compiled functions that take over what was decided, and what fell due, in other domains.
    """
    is_busy, next_event, fall_due, expose, decide = phases

    @inlined
    def first_event(s: State, u: Setting, cycle: int) -> int:
        """Return the first cycle in which something happens, here or where this domain has sent something."""
        if s.clock[SENT_ACROSS] != 0 or is_busy(s, u, cycle):
            return cycle
        return int(next_event(s, u, cycle))

    @inlined
    def agree(s: State, u: Setting, cycle: int) -> int:
        """Meet when all has fallen due, and take over what did so elsewhere; return the meeting's parity."""
        parity = meet(s, u, first_event(s, u, cycle), news(s, u))
        s.clock[SENT_ACROSS] = 0
        take_fallen_due(s, u, cycle)
        return parity

    def run(arrays: Any, given: Any, until: int) -> int:
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
            if u.dawdle == 1:
                dawdle(s, u, 2)
            expose(s, u, cycle)
            if u.dawdle == 1:
                dawdle(s, u, 3)
            decide(s, u, cycle, side)
            meet(s, u, 0, 0)
            take_decided(s, u, cycle)
            if u.dawdle == 1:
                dawdle(s, u, 4)
            cycle += 1
            turn_over(s, side)
            fall_due(s, u, cycle, 1 - side)

    return run
