"""The creation of a packet, on either kind of router."""

from __future__ import annotations

from netplace.netsim.kernel.bits import by_state, inlined
from netplace.netsim.kernel.events import act_next
from netplace.netsim.kernel.graph_fifos import emit as emit_on_graph
from netplace.netsim.kernel.graph_state import GraphState
from netplace.netsim.kernel.injection import emit_on_grid
from netplace.netsim.kernel.state import BLOCKED, EMITTED, NEXT_CYCLE, QUIET, TASK_WORDS, Setting, State

# mypy: disable-error-code="untyped-decorator"

emit = by_state({State: emit_on_grid, GraphState: emit_on_graph})


@inlined
def handed_over(s: State, u: Setting, node: int, target: int, label: int, cycle: int) -> bool:
    """Try to emit a packet; on failure see that the node tries again."""
    outcome = emit(s, u, node, target, label, cycle)
    s.task[node * TASK_WORDS + BLOCKED] = int(outcome != EMITTED)
    if outcome == EMITTED:
        s.clock[QUIET] = cycle + 1
    if outcome == NEXT_CYCLE:
        act_next(s, u, node)
    return outcome == EMITTED
