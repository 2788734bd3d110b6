"""Heads, FIFOs and links by the same names on either kind of router: what the charging of waiting reads."""

from __future__ import annotations

from netplace.netsim.kernel.bits import by_state, inlined, lowest
from netplace.netsim.kernel.fifos import (
    beyond,
    count_of,
    fed,
    feeder,
    fifo_of,
    head_slot,
    output_of,
    port_of,
    vc_of,
)
from netplace.netsim.kernel.graph_fifos import adaptive, slot_of
from netplace.netsim.kernel.graph_state import AT_HOME, COUNT, FIELD, FIRST, OUT, GraphSetting, GraphState
from netplace.netsim.kernel.state import (
    HOME,
    INPUT,
    LABEL,
    NAME_BITS,
    OBLIVIOUS,
    TAKEN,
    TREE_ADAPTIVE,
    WAIT,
    Setting,
    State,
)

# mypy: disable-error-code="untyped-decorator"

__all__ = [
    "consumption",
    "fifo_at",
    "first_choice",
    "head_label",
    "held_output",
    "holds_packets",
    "input_at",
    "is_fed",
    "link_port",
    "name_before",
    "name_beyond",
    "router_at",
    "wait_for_home",
    "waits",
]


# --- names of FIFOs and outputs -------------------------------------------------------------------


@inlined
def _grid_router_at(s: State, u: Setting, name: int) -> int:
    return name >> NAME_BITS


@inlined
def _graph_router_at(s: GraphState, u: GraphSetting, name: int) -> int:
    return int(s.owner[name])


@inlined
def _grid_input_at(s: State, u: Setting, name: int) -> int:
    return name & INPUT


@inlined
def _graph_input_at(s: GraphState, u: GraphSetting, name: int) -> int:
    return name - int(s.row[s.owner[name] * u.row + FIRST])


@inlined
def _grid_fifo_at(s: State, u: Setting, router: int, i: int) -> int:
    return router * u.fifos + i


@inlined
def _graph_fifo_at(s: GraphState, u: GraphSetting, router: int, i: int) -> int:
    return int(s.row[router * u.row + FIRST]) + i


@inlined
def _graph_beyond(s: GraphState, u: GraphSetting, router: int, output: int) -> int:
    return int(s.beyond[s.row[router * u.row + FIRST] + output])


@inlined
def _graph_before(s: GraphState, u: GraphSetting, router: int, i: int) -> int:
    return int(s.feeder[s.row[router * u.row + FIRST] + i])


@inlined
def _grid_is_fed(s: State, u: Setting, router: int, i: int) -> bool:
    return i < fed(s, u, router * u.row)


@inlined
def _graph_is_fed(s: GraphState, u: GraphSetting, router: int, i: int) -> bool:
    return s.feeder[s.row[router * u.row + FIRST] + i] >= 0


@inlined
def _graph_port(s: GraphState, u: GraphSetting, output: int) -> int:
    return int(s.port_of[output])


# --- heads ------------------------------------------------------------------------------------------


@inlined
def _grid_label(s: State, u: Setting, router: int, i: int) -> int:
    return int(s.slot[head_slot(s, u, router, i) + LABEL])


@inlined
def _graph_label(s: GraphState, u: GraphSetting, router: int, i: int) -> int:
    base = router * u.row
    return int(s.slot[slot_of(s, u, base, i, s.fifo[s.row[base + FIRST] + i] & FIELD) + LABEL])


@inlined
def _grid_holds(s: State, u: Setting, router: int, i: int) -> bool:
    return count_of(u, s.counts[fifo_of(u, router, i)]) > 0


@inlined
def _graph_holds(s: GraphState, u: GraphSetting, router: int, i: int) -> bool:
    return s.fifo[s.row[router * u.row + FIRST] + i] >> COUNT & FIELD > 0


@inlined
def _grid_output(s: State, u: Setting, router: int, i: int) -> int:
    return output_of(u, s.counts[fifo_of(u, router, i)])


@inlined
def _graph_output(s: GraphState, u: GraphSetting, router: int, i: int) -> int:
    return s.fifo[s.row[router * u.row + FIRST] + i] >> OUT


@inlined
def _grid_first_choice(s: State, u: Setting, router: int, i: int) -> int:
    base = router * u.row
    if u.policy == OBLIVIOUS:
        return output_of(u, s.counts[fifo_of(u, router, i)])
    port = 0
    while (s.row[base + u.want + port] >> i) & 1 == 0:
        port += 1
    vc = 0
    if u.dims == 0 and u.policy != TREE_ADAPTIVE and s.stage[router] >= 0:
        vc = vc_of(s, u, i)
    return port * u.vcs + vc


@inlined
def _graph_first_choice(s: GraphState, u: GraphSetting, router: int, i: int) -> int:
    f = s.row[router * u.row + FIRST] + i
    for w in range(u.wide):
        outputs = adaptive(s, u, f, w)
        if outputs:
            return w << 6 | lowest(outputs)
    return int(s.last_resort[f])


# --- sets of inputs, by word ----------------------------------------------------------------------------


@inlined
def _grid_waits(s: State, u: Setting, router: int, w: int) -> int:
    return int(s.row[router * u.row + WAIT])


@inlined
def _graph_waits(s: GraphState, u: GraphSetting, router: int, w: int) -> int:
    return int(s.waiting[router * u.wide + w])


@inlined
def _grid_wait_for_home(s: State, u: Setting, router: int, w: int) -> int:
    return s.homing[router] & ~(1 << TAKEN) if u.single == 1 else 0


@inlined
def _graph_wait_for_home(s: GraphState, u: GraphSetting, router: int, w: int) -> int:
    return int(s.homing[router * u.wide + w])


@inlined
def _grid_consumption(s: State, u: Setting) -> int:
    return HOME


@inlined
def _graph_consumption(s: GraphState, u: GraphSetting) -> int:
    return AT_HOME


router_at = by_state({State: _grid_router_at, GraphState: _graph_router_at})  # of the FIFO of a name
input_at = by_state({State: _grid_input_at, GraphState: _graph_input_at})
fifo_at = by_state({State: _grid_fifo_at, GraphState: _graph_fifo_at})  # number of an input's FIFO
name_beyond = by_state({State: beyond, GraphState: _graph_beyond})  # of the FIFO that an output feeds
name_before = by_state({State: feeder, GraphState: _graph_before})  # of the output that feeds an input
is_fed = by_state({State: _grid_is_fed, GraphState: _graph_is_fed})  # whether a link feeds an input
link_port = by_state({State: port_of, GraphState: _graph_port})  # of an output
consumption = by_state({State: _grid_consumption, GraphState: _graph_consumption})  # as an output
head_label = by_state({State: _grid_label, GraphState: _graph_label})
holds_packets = by_state({State: _grid_holds, GraphState: _graph_holds})
held_output = by_state({State: _grid_output, GraphState: _graph_output})
first_choice = by_state(
    {State: _grid_first_choice, GraphState: _graph_first_choice}
)  # that a head may ask for
waits = by_state({State: _grid_waits, GraphState: _graph_waits})  # heads that wait for an output
wait_for_home = by_state({State: _grid_wait_for_home, GraphState: _graph_wait_for_home})  # for consumption
