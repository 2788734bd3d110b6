"""Ways of packets in the general router: direct or aside, and the outputs that lead on."""

from __future__ import annotations

from netplace.netsim.chance import FLOW, VIA, below, draw
from netplace.netsim.kernel.bits import fetch, inlined, wide
from netplace.netsim.kernel.graph_fifos import class_of
from netplace.netsim.kernel.graph_flows import kept_way, vc_of_flow
from netplace.netsim.kernel.graph_state import (
    DECIDED,
    DESTINATION,
    ESCAPED,
    FIRST,
    FIRST_VCS,
    KIND_AT,
    LEAST,
    LEVEL_AT,
    MAY_TURN,
    NO_LEVEL,
    PAR,
    PORT_AT,
    SIX_BITS,
    TAKEN,
    TO_HOME,
    TRIP,
    UGAL_G,
    UGAL_L,
    VALIANT,
    VIA_AT,
    GraphSetting,
    GraphState,
)
from netplace.netsim.kernel.messages import origin
from netplace.netsim.kernel.state import LABEL, ROUTE

# mypy: disable-error-code="untyped-decorator"


@inlined
def held_beyond(s: GraphState, u: GraphSetting, g: int) -> int:
    """Return the packets that the FIFO downstream of an output is known to hold."""
    return s.downstream[g] & (TAKEN - 1)


@inlined
def counts_heads(u: GraphSetting) -> bool:
    """Tell whether the heads that could ask for an output are kept as a set: for a choice, or for speed."""
    return u.wide > 1 or u.choice >= UGAL_L


@inlined
def own_vcs(u: GraphSetting) -> int:
    """Return the virtual channels of a link that a class has."""
    return int(u.own) if u.fabric == 1 else int(u.vcs)


@inlined
def first_link(s: GraphState, u: GraphSetting, x: int, target: int, low: int, high: int) -> int:
    """Return the packets behind the first port of switch `x` to `target`, and those that wait for it.

    Counted are those on virtual channels `low` to `high` - 1.
    """
    port = s.table[(x * u.switches + target) * u.entry]
    g = s.row[(u.first_switch + x) * u.row + FIRST] + port * u.vcs
    total = 0
    for vc in range(low, high):
        total += held_beyond(s, u, g + vc)
    for w in range(u.wide):
        heads = 0
        for vc in range(low, high):
            heads |= s.want[(g + vc) * u.wide + w]
        while heads:
            heads &= heads - 1
            total += 1
    return total


@inlined
def whole_way(s: GraphState, u: GraphSetting, x: int, target: int, shift: int) -> int:
    """Return the sum of that over all links of the way by first ports."""
    total = 0
    while x != target:
        total += first_link(s, u, x, target, shift, shift + own_vcs(u))
        x = s.end[x * u.ports + s.table[(x * u.switches + target) * u.entry]]
    return total


@inlined
def direct_is_better(
    s: GraphState, u: GraphSetting, x: int, via: int, home: int, level: int, aside: int, shift: int
) -> bool:
    """Tell whether a packet at switch `x` prefers the direct way on a level to that by `via` on another.

    The virtual channels of its class begin at `shift`.
    """
    if u.choice == VALIANT:
        return False
    if u.choice == UGAL_G:
        detour = whole_way(s, u, x, via, shift) + whole_way(s, u, via, home, shift)
        return whole_way(s, u, x, home, shift) <= detour + u.threshold
    near = first_link(s, u, x, home, shift + s.low[level], shift + s.high[level])
    far = first_link(s, u, x, via, shift + s.low[aside], shift + s.high[aside])
    hops = s.far_hops[x * u.switches + via] + s.far_hops[via * u.switches + home]
    return near * s.far_hops[x * u.switches + home] <= far * hops + u.threshold


@inlined
def drawn_via(s: GraphState, u: GraphSetting, router: int, i: int, x: int, home: int, cycle: int) -> int:
    """Return an intermediate switch, neither its own nor the destination's; -1: there is none."""
    low = min(s.place[x], s.place[home])
    high = max(s.place[x], s.place[home])
    count = u.via_count - int(high >= 0) - int(low >= 0 and low < high)
    if count <= 0:
        return -1
    n = below(draw(u.seed, VIA, router, i, cycle), count)
    if low >= 0 and n >= low:
        n += 1
    if high > low and n >= high:
        n += 1
    return s.via[x * u.via_row + n]


@inlined
def gate_of(s: GraphState, u: GraphSetting, x: int, node: int) -> int:
    """Return the switch for which ways to a node are chosen, in the plane of switch `x`."""
    if u.plane == u.compute_from:
        return s.gate[node]
    return s.gate[node] + x // u.plane * u.plane


@inlined
def settled(
    s: GraphState, u: GraphSetting, router: int, i: int, trip: int, home: int, label: int, cycle: int
) -> int:
    """Return the trip of a head after the choice of its way, where that is still open."""
    if trip & DECIDED and trip & MAY_TURN == 0:
        return trip
    x = router - u.first_switch
    turning = trip & DECIDED
    if turning and s.kin[x] != s.kin[gate_of(s, u, x, origin(s, label))]:
        return trip & ~MAY_TURN
    via = drawn_via(s, u, router, i, x, home, cycle)
    level = trip >> LEVEL_AT & SIX_BITS
    rise = 1 if turning and u.anew == 0 else 0
    direct = via < 0 or via == x
    shift = class_of(s, u, label) * own_vcs(u)
    if direct or via == home or direct_is_better(s, u, x, via, home, level + u.base, level + rise, shift):
        trip = trip & ~MAY_TURN | TO_HOME
        if u.choice == PAR and s.kin[x] != s.kin[home]:
            trip |= MAY_TURN
        return trip
    return (trip & ~(TO_HOME | MAY_TURN) | via << VIA_AT) + (rise << LEVEL_AT)


@inlined
def arrived_trip(
    s: GraphState, u: GraphSetting, router: int, i: int, trip: int, target: int, label: int, cycle: int
) -> int:
    """Return the trip of a packet that has become head at a switch, where the routing chooses ways."""
    x = router - u.first_switch
    if x >= u.compute_from:
        return trip | TO_HOME
    home = gate_of(s, u, x, target)
    if home != x:
        chosen = settled(s, u, router, i, trip, home, label, cycle)
        if u.fabric == 1 and u.ordered == 1 and trip & DECIDED == 0:
            chosen = kept_way(s, u, trip, chosen, label, target)
        trip = chosen
    elif trip & DECIDED == 0:
        trip |= TO_HOME
    trip |= DECIDED
    if trip & TO_HOME == 0 and trip >> VIA_AT == x:
        trip |= TO_HOME
        if u.anew:
            trip &= NO_LEVEL
    return trip


@inlined
def level_on(s: GraphState, u: GraphSetting, trip: int, x: int, port: int) -> int:
    """Return the level within its phase that a packet has on a link: 0 anew in another class."""
    came = trip >> KIND_AT & SIX_BITS
    if u.anew and came > 0 and s.kind[x * u.ports + port] + 1 != came:
        return 0
    return trip >> LEVEL_AT & SIX_BITS


@inlined
def own_port(s: GraphState, u: GraphSetting, x: int, pair: int, slot: int) -> int:
    """Return which of the ports that the table names is a packet's own."""
    count = 0
    while count < u.most and s.table[pair * u.entry + count] >= 0:
        count += 1
    node = s.slot[slot + ROUTE]
    if u.spread == DESTINATION:
        return node // s.stride[x] % count
    return below(draw(u.seed, FLOW, x, origin(s, s.slot[slot + LABEL]), node), count)


@inlined
def add_outputs(s: GraphState, u: GraphSetting, f: int, low: int, count: int) -> None:
    """Let the head of a FIFO ask for `count` outputs from number `low` on."""
    at = f * u.wide
    if u.wide == 1:
        s.may[at] |= ((1 << count) - 1) << low
        return
    for output in range(low, low + count):
        s.may[at + (output >> 6)] |= 1 << (output & 63)


@inlined
def leads_out(s: GraphState, u: GraphSetting, x: int, node: int, pair: int) -> bool:
    """Tell whether the way home leads out of the network: to the compute node, or to its socket."""
    if x < u.compute_from:
        return gate_of(s, u, x, node) == x
    return s.end[x * u.ports + s.table[pair * u.entry]] == s.home[node]


@inlined
def note_ways_at_once(
    s: GraphState, u: GraphSetting, f: int, trip: int, pair: int, leaving: bool, shift: int
) -> None:
    """Settle what a head may ask for from the sum of an entry of the table, as `note_ways` does."""
    entry = s.ways[pair]
    if u.escapes and not leaving:
        last_resort = (entry >> PORT_AT) * u.vcs + shift
        s.last_resort[f] = last_resort
        s.may[f] = 1 << last_resort
        if trip & ESCAPED:
            return
    low = 0
    count = own_vcs(u)
    if not leaving:
        level = (trip >> LEVEL_AT & SIX_BITS) + (u.base if trip & TO_HOME else 0)
        low = s.low[level]
        count = s.high[level] - low
    s.may[f] |= ((entry & FIRST_VCS) << count) - (entry & FIRST_VCS) << shift + low


@inlined
def note_ways(s: GraphState, u: GraphSetting, router: int, i: int, slot: int) -> None:
    """Settle what a head may ask for: outputs in `may`, and which of them is on the escape channel."""
    f = s.row[router * u.row + FIRST] + i
    for w in range(u.wide):
        s.may[f * u.wide + w] = 0
    s.last_resort[f] = -1
    own = own_vcs(u)
    label = s.slot[slot + LABEL]
    shift = class_of(s, u, label) * own
    node = s.slot[slot + ROUTE]
    any_vc = shift  # where a packet may take any virtual channel of its class: the first, and how many
    any_count = own
    if u.fabric == 1 and u.ordered == 1:
        any_vc += vc_of_flow(s, u, label, node, own)
        any_count = 1
    if router < u.first_switch:
        add_outputs(s, u, f, any_vc, any_count)
        return
    x = router - u.first_switch
    home = s.home[node]
    trip = s.slot[slot + TRIP]
    homeward = trip & TO_HOME
    if homeward and home == x:
        add_outputs(s, u, f, s.node_port[node] * u.vcs + any_vc, any_count)
        return
    target = home if homeward else trip >> VIA_AT
    pair = x * u.switches + target
    leaving = homeward and leads_out(s, u, x, node, pair)
    if u.summed:
        note_ways_at_once(s, u, f, trip, pair, leaving, shift)
        return
    if u.escapes and not leaving:
        last_resort = s.table[pair * u.entry + u.most] * u.vcs + shift
        s.last_resort[f] = last_resort
        add_outputs(s, u, f, last_resort, 1)
    if trip & ESCAPED and not leaving:
        return
    first = 0
    last = u.most
    if u.spread != LEAST:
        first = own_port(s, u, x, pair, slot)
        last = first + 1
    ahead = u.base if homeward else 0
    for k in range(first, last):
        port = wide(s.table[pair * u.entry + k])
        if u.wide > 1 and port < 0:
            break
        is_port = ~(port >> 63)  # all bits, or none: a jump here would be guessed wrong too often
        port &= is_port
        if leaving:  # by any virtual channel: what lies behind stops for nobody
            low = any_vc
            count = any_count
        else:
            level = level_on(s, u, trip, x, port) + ahead
            low = shift + s.low[level]
            count = s.high[level] - s.low[level]
            if u.fabric == 1 and u.ordered == 1:
                low += vc_of_flow(s, u, label, node, count)
                count = 1
        if u.wide == 1:
            s.may[f] |= ((1 << count) - 1) << (port * u.vcs + low) & is_port
        else:
            add_outputs(s, u, f, port * u.vcs + low, count)


@inlined
def fetch_entry(s: GraphState, u: GraphSetting, router: int, slot: int) -> None:
    """Ask for the entry of a router's table that a packet on its way there, in a slot, will soon need."""
    node = s.slot[slot + ROUTE]
    if router >= u.first_switch and node >= 0:
        pair = (router - u.first_switch) * u.switches + s.home[node]
        if u.summed:
            fetch(s.ways, pair)
        else:
            fetch(s.table, pair * u.entry)
