"""What events change in the general router (phase 1): headers and tails, links and FIFOs that become free."""

from __future__ import annotations

from netplace.netsim.kernel.bits import fetch, inlined, lowest, where
from netplace.netsim.kernel.blame import begins_to_wait, head_goes
from netplace.netsim.kernel.borders import FELL_DUE, ROOM_AGAIN, TRY_AGAIN, is_ours, tell
from netplace.netsim.kernel.events import act_now, becomes_head, look_now
from netplace.netsim.kernel.graph_fifos import depth, emptied, entry_of, falls_due, slot_of
from netplace.netsim.kernel.graph_flows import has_come
from netplace.netsim.kernel.graph_rates import slow_down, tells
from netplace.netsim.kernel.graph_state import (
    ACK,
    AT_HOME,
    BELOW_OUT,
    COUNT,
    FIELD,
    FIRST,
    GONE,
    HEAD,
    INPUTS,
    LEAVING,
    LONG_AGO,
    NOBODY,
    NOTICE,
    NOWHERE,
    OUT,
    SEEN,
    SLOT_WORDS,
    TABLE,
    TAKEN,
    TO_HOME,
    TRIP,
    WAKE,
    GraphSetting,
    GraphState,
)
from netplace.netsim.kernel.graph_ways import arrived_trip, counts_heads, fetch_entry, note_ways
from netplace.netsim.kernel.messages import count_flying, deliver, origin
from netplace.netsim.kernel.state import (
    BLOCKED,
    ENTERING,
    FIRST_COME,
    LABEL,
    ROUTE,
    SIDE,
    TASK_WORDS,
)

# mypy: disable-error-code="untyped-decorator"


@inlined
def begins_to_leave(s: GraphState, u: GraphSetting, f: int, cycle: int, takes: int) -> None:
    """Let the head of a FIFO leave in so many cycles from `cycle` on."""
    if u.exact == 1:
        s.left[f] = cycle
        s.takes[f] = takes
    at = (cycle + takes) & (u.tail_ring - 1)
    s.tail_next[f] = s.tail_at[at]
    s.tail_at[at] = f
    s.tally[LEAVING] += 1


@inlined
def header_sets_out(s: GraphState, u: GraphSetting, f: int, cycle: int) -> None:
    """Let a header that leaves for a FIFO in `cycle` take room there, and be seen when it has arrived."""
    side = s.clock[SIDE]
    n = s.clock[ENTERING + side]
    s.entering[side * u.links + n] = f
    s.clock[ENTERING + side] = n + 1
    if s.far[f] > 1:
        falls_due(s, u, f, cycle + s.far[f])


@inlined
def seen(s: GraphState, u: GraphSetting, f: int) -> None:
    """Let one more packet of a FIFO be looked at."""
    word = s.fifo[f] + (1 << SEEN)
    s.fifo[f] = word
    if word >> SEEN & FIELD == 1:
        router = s.owner[f]
        becomes_head(s, router << u.name_bits | (f - s.row[router * u.row + FIRST]))


@inlined
def enter(s: GraphState, u: GraphSetting, f: int) -> None:
    """Take room in a FIFO for which a header left in the cycle before."""
    s.fifo[f] += 1 << COUNT
    if s.far[f] == 1:
        seen(s, u, f)


@inlined
def becomes_ready(s: GraphState, u: GraphSetting, router: int, output: int) -> None:
    """Note that an output is free and has room downstream."""
    at = router * u.wide + (output >> 6)
    bit = 1 << (output & 63)
    s.ready[at] |= bit
    if s.wanted[at] & bit:
        look_now(s, u, router)


@inlined
def room_is_known(s: GraphState, u: GraphSetting, g: int) -> None:
    """Let an output know that a packet has left the FIFO downstream."""
    known = s.downstream[g] - 1
    s.downstream[g] = known
    if known == u.queue - 1:
        router = s.owner[g]
        becomes_ready(s, u, router, g - s.row[router * u.row + FIRST])


@inlined
def room_comes_back(s: GraphState, u: GraphSetting, f: int) -> None:
    """Let the output that feeds a FIFO know, here or in another domain, that a packet has left it."""
    g = s.feeder[f]
    if is_ours(s, u, s.owner[g]):
        room_is_known(s, u, g)
    else:
        tell(s, u, FELL_DUE, s.owner[g], ROOM_AGAIN, g)


@where(fabric=(1,))
@inlined
def try_again(s: GraphState, u: GraphSetting, node: int) -> None:
    """Let a node act in this cycle if it could not create a packet."""
    if s.task[node * TASK_WORDS + BLOCKED] == 1:
        if is_ours(s, u, node):
            act_now(s, u, node)
        else:
            tell(s, u, FELL_DUE, node, TRY_AGAIN, node)


@where(fabric=(1,))
@inlined
def pair_learns(s: GraphState, u: GraphSetting, kind: int, pair: int, cycle: int) -> None:
    """Let a node know that a packet has come to another, or that one was marked."""
    if kind == NOTICE:
        slow_down(s, u, pair, cycle)
        return
    s.under_way[pair] -= 1
    try_again(s, u, pair // u.nodes)


@where(fabric=(1,))
@inlined
def becomes_known(s: GraphState, u: GraphSetting, what: int, cycle: int) -> None:
    """Let a router know of room beyond a link, a node of its packets, or wake a node that waits."""
    pairs = u.nodes * u.nodes
    rest = what - u.all_fifos
    if rest < 0:
        room_comes_back(s, u, what)
    elif rest < WAKE * pairs:
        kind = int(rest >= pairs)
        pair_learns(s, u, kind, rest - kind * pairs, cycle)
    else:
        try_again(s, u, rest - WAKE * pairs)


@where(fabric=(1,))
@inlined
def tell_pair(s: GraphState, u: GraphSetting, kind: int, pair: int, cycle: int) -> None:
    """Let a node know, now or later, what has become of a packet whose tail was consumed before `cycle`."""
    if u.ack == 0:
        pair_learns(s, u, kind, pair, cycle)
    else:
        falls_due(s, u, ~(u.all_fifos + kind * u.nodes * u.nodes + pair), cycle + u.ack)


@where(fabric=(1,))
@inlined
def tell_source(s: GraphState, u: GraphSetting, slot: int, node: int, cycle: int) -> None:
    """Let a packet's source know of it, whose tail was consumed at a node before `cycle`."""
    pair = origin(s, s.slot[slot + LABEL]) * u.nodes + node
    if u.window > 0:
        tell_pair(s, u, ACK, pair, cycle)
    if u.marks > 0 and s.marked[slot // SLOT_WORDS] == 1 and tells(s, u, pair, cycle):
        tell_pair(s, u, NOTICE, pair, cycle)


@inlined
def waits_for_link(s: GraphState, u: GraphSetting, router: int, port: int) -> bool:
    """Tell whether a packet that holds an output of a port waits for its link."""
    low = port * u.vcs
    if u.wide == 1:
        return s.held[router] >> low & ((1 << u.vcs) - 1) != 0
    for output in range(low, low + u.vcs):
        if s.held[router * u.wide + (output >> 6)] >> (output & 63) & 1:
            return True
    return False


@inlined
def throw_away(s: GraphState, u: GraphSetting, slot: int) -> None:
    """Count a packet of which a fault has made an end, unless nobody knows of it."""
    label = s.slot[slot + LABEL]
    if label != NOBODY:
        count_flying(s, u, label, -1)
        s.tally[GONE] += 1


@inlined
def tail_left(s: GraphState, u: GraphSetting, f: int, cycle: int) -> None:
    """Free what the head of a FIFO held that has left to the tail, and let the next packet be head."""
    router = s.owner[f]
    base = router * u.row
    first = s.row[base + FIRST]
    i = f - first
    word = s.fifo[f]
    output = word >> OUT
    if output >= NOWHERE:
        slot = slot_of(s, u, base, i, word & FIELD)
        if s.slot[slot + ROUTE] == NOBODY:
            throw_away(s, u, slot)
        else:
            if u.fabric == 1 and u.ordered == 1:
                has_come(s, u, s.slot[slot + LABEL], router)
            if u.fabric == 1 and u.window + u.marks > 0:
                tell_source(s, u, slot, router, cycle)
            deliver(s, u, slot, cycle)
        if output == AT_HOME:
            s.home_free[router] = 1
            if u.fabric == 1 and u.marks > 0:
                s.freed[u.routers * u.ports + router] = cycle
            if u.single:
                look_now(s, u, router)
    else:
        g = first + output
        held = s.downstream[g] - TAKEN
        s.downstream[g] = held
        s.busy[router * u.ports + s.port_of[output]] = 0
        if u.fabric == 1 and u.marks > 0:
            s.freed[router * u.ports + s.port_of[output]] = cycle
        if held < u.queue:
            becomes_ready(s, u, router, output)
        if u.fabric == 1 and (u.crossbar > 0 or u.classes > 1):
            s.leaving[entry_of(s, u, f)] -= 1
            look_now(s, u, router)
        elif waits_for_link(s, u, router, s.port_of[output]):
            look_now(s, u, router)
    if u.exact == 1:
        s.left[f] = LONG_AGO
    if u.explain == 1:
        head_goes(s, u, router, i, cycle)
    word += (1 << HEAD) - (1 << COUNT) - (1 << SEEN)
    if word & FIELD == depth(s, u, base, i):
        word &= ~FIELD
    s.fifo[f] = word
    if i >= s.row[base + INPUTS]:
        emptied(s, u, router, i, cycle)
    elif u.fabric == 1 and s.lag[f] > 0:
        falls_due(s, u, ~f, cycle + s.lag[f])
    else:
        room_comes_back(s, u, f)
    if word >> SEEN & FIELD > 0:
        becomes_head(s, router << u.name_bits | i)
        if u.ahead > 0:
            fetch(s.slot, slot_of(s, u, base, i, word & FIELD))


@inlined
def leave_home(s: GraphState, u: GraphSetting, router: int, i: int, cycle: int) -> None:
    """Let the node consume the head of an input from this cycle on."""
    f = s.row[router * u.row + FIRST] + i
    s.fifo[f] = s.fifo[f] & BELOW_OUT | AT_HOME << OUT
    s.home_free[router] = 0
    begins_to_leave(s, u, f, cycle, u.phits)


@inlined
def fetch_way(s: GraphState, u: GraphSetting, name: int) -> None:
    """Ask for the entry of the table that a packet will soon need that has come to the head of an input."""
    router = name >> u.name_bits
    i = name & ((1 << u.name_bits) - 1)
    base = router * u.row
    fetch_entry(s, u, router, slot_of(s, u, base, i, s.fifo[s.row[base + FIRST] + i] & FIELD))


@inlined
def send_off(s: GraphState, u: GraphSetting, name: int, cycle: int) -> None:
    """Choose by which way a packet goes on that has come to the head of an input.

    For all of them this is done before `expose`, so that none sees another that comes in the same cycle.
    Where there is nothing to choose, `expose` does it.
    """
    router = name >> u.name_bits
    i = name & ((1 << u.name_bits) - 1)
    base = router * u.row
    slot = slot_of(s, u, base, i, s.fifo[s.row[base + FIRST] + i] & FIELD)
    target = s.slot[slot + ROUTE]
    trip = 0 if i >= s.row[base + INPUTS] else s.slot[slot + TRIP]
    if router >= u.first_switch and target != router and target != NOBODY:
        trip = arrived_trip(s, u, router, i, trip, target, s.slot[slot + LABEL], cycle)
    s.slot[slot + TRIP] = trip


@inlined
def is_counted(s: GraphState, u: GraphSetting, router: int, i: int) -> None:
    """Let a head be one of those that could ask for each of its outputs."""
    first = s.row[router * u.row + FIRST]
    bit = 1 << (i & 63)
    several = 0
    for w in range(u.wide):
        outputs = s.may[(first + i) * u.wide + w]
        while outputs:
            output = w << 6 | lowest(outputs)
            outputs &= outputs - 1
            s.want[(first + output) * u.wide + (i >> 6)] |= bit
            several += 1
    if several > 1:
        s.several[router * u.wide + (i >> 6)] |= bit


@inlined
def expose(s: GraphState, u: GraphSetting, name: int, cycle: int) -> None:
    """Make the packet at the head of an input known to its router; it may request in `cycle`."""
    router = name >> u.name_bits
    i = name & ((1 << u.name_bits) - 1)
    base = router * u.row
    first = s.row[base + FIRST]
    slot = slot_of(s, u, base, i, s.fifo[first + i] & FIELD)
    target = s.slot[slot + ROUTE]
    if u.arbiter == FIRST_COME:
        s.since[first + i] = cycle
    at = router * u.wide
    if target != NOBODY and u.explain == 1 and (target != router or u.single == 1):
        begins_to_wait(s, cycle)
        look_now(s, u, router)
    if target == NOBODY:
        s.fifo[first + i] = s.fifo[first + i] & BELOW_OUT | NOWHERE << OUT
        begins_to_leave(s, u, first + i, cycle, u.phits)
        return
    if target == router:
        if u.single == 0:
            leave_home(s, u, router, i, cycle)
            return
        s.homing[at + (i >> 6)] |= 1 << (i & 63)
        look_now(s, u, router)
        return
    if u.choice == TABLE:
        trip = 0 if i >= s.row[base + INPUTS] else s.slot[slot + TRIP]
        s.slot[slot + TRIP] = trip | TO_HOME if router >= u.first_switch else trip
    note_ways(s, u, router, i, slot)
    s.waiting[at + (i >> 6)] |= 1 << (i & 63)
    could = 0
    for w in range(u.wide):
        outputs = s.may[(first + i) * u.wide + w]
        s.wanted[at + w] |= outputs
        could |= outputs & s.ready[at + w]
    if counts_heads(u):
        is_counted(s, u, router, i)
    if could:
        look_now(s, u, router)
