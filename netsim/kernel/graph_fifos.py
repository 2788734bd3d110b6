"""FIFOs of the general router, and injection into them."""

from __future__ import annotations

from netplace.netsim.chance import INJECTOR, INJECTOR_OF_FLOW, below, draw
from netplace.netsim.kernel.bits import inlined, where
from netplace.netsim.kernel.events import act_next, becomes_head
from netplace.netsim.kernel.graph_rates import note_creation
from netplace.netsim.kernel.graph_state import (
    COMING,
    COUNT,
    DUE,
    FIELD,
    FIRST,
    INPUTS,
    PACE_WORDS,
    PLACE,
    SEEN,
    SLOT_WORDS,
    SPARE,
    WAKE,
    GraphSetting,
    GraphState,
)
from netplace.netsim.kernel.messages import count_flying
from netplace.netsim.kernel.state import (
    BIRTH,
    BLOCKED,
    CREATED,
    EMITTED,
    FULL,
    LABEL,
    NEXT_CYCLE,
    ROUTE,
    TASK_WORDS,
)

# mypy: disable-error-code="untyped-decorator"


@inlined
def depth(s: GraphState, u: GraphSetting, base: int, i: int) -> int:
    """Return how many packets input `i` holds; behind an injection FIFO stands the injector's buffer."""
    return u.queue if i < s.row[base + INPUTS] else u.queue + u.buffer


@inlined
def slot_of(s: GraphState, u: GraphSetting, base: int, i: int, at: int) -> int:
    """Return the first word of the slot at place `at` of input `i` of the router whose row is at `base`."""
    behind = max(0, i - s.row[base + INPUTS])
    return (s.row[base + PLACE] + i * u.queue + at + behind * u.buffer) * SLOT_WORDS


@inlined
def entry_of(s: GraphState, u: GraphSetting, f: int) -> int:
    """Return the place of a FIFO's input port, or of its injector, in `leaving`."""
    router = s.owner[f]
    base = router * u.row
    i = f - s.row[base + FIRST]
    inputs = s.row[base + INPUTS]
    return router * (u.ports + u.injectors) + (s.port_of[i] if i < inputs else u.ports + i - inputs)


@inlined
def adaptive(s: GraphState, u: GraphSetting, f: int, w: int) -> int:
    """Return a word of the outputs that the head of a FIFO may ask for, that on the escape channel aside."""
    outputs = s.may[f * u.wide + w]
    last_resort = s.last_resort[f]
    if last_resort >= 0 and last_resort >> 6 == w:
        outputs &= ~(1 << (last_resort & 63))
    return outputs


@inlined
def phits_held(s: GraphState, u: GraphSetting, f: int, cycle: int) -> int:
    """Return the phits in an injection FIFO and the buffer behind it at the start of `cycle`."""
    takes = s.takes[f]
    spent = cycle - s.left[f]
    gone = 0
    if 0 < spent < takes:
        gone = (spent * u.phits + takes - 1) // takes
    return (s.fifo[f] >> COUNT & FIELD) * u.phits - gone


@inlined
def class_of(s: GraphState, u: GraphSetting, label: int) -> int:
    """Return the traffic class of a packet."""
    if u.fabric == 0 or u.classes == 1:
        return 0
    return int(s.key_class[label >> 2])


@inlined
def emptiest(s: GraphState, u: GraphSetting, node: int, low: int, own: int, cycle: int) -> int:
    """Return which of `own` injectors from `low` on holds fewest phits, as `injection.emptiest` does."""
    first = s.row[node * u.row + FIRST] + s.row[node * u.row + INPUTS] + low
    begin = below(draw(u.seed, INJECTOR, node, 0, cycle), own)
    best = -1
    least = 0
    for n in range(own):
        j = begin + n - own * (begin + n >= own)
        held = phits_held(s, u, first + j, cycle)
        if best < 0 or held < least:
            least = held
            best = j
    return best


@inlined
def some_has_room(s: GraphState, u: GraphSetting, node: int, low: int, own: int) -> bool:
    """Tell whether any of `own` injectors from `low` on will have room in the next cycle.

    What leaves for a slow link is gone to the last phit before it makes room: so one without room may hold as
    little as one with room, be the first of equals, and another one be drawn in the next cycle.
    """
    first = s.row[node * u.row + FIRST] + s.row[node * u.row + INPUTS] + low
    for j in range(first, first + own):
        if s.fifo[j] >> COUNT & FIELD < u.queue + u.buffer:
            return True
    return False


@inlined
def falls_due(s: GraphState, u: GraphSetting, what: int, at: int) -> None:
    """Note what will fall due in cycle `at`: a header that can be looked at in a FIFO, or known room."""
    entry = s.tally[SPARE]
    s.tally[SPARE] = s.head_next[entry]
    place = at & (u.head_ring - 1)
    s.head_fifo[entry] = what
    s.head_next[entry] = s.head_at[place]
    s.head_at[place] = entry
    s.tally[COMING] += 1


@where(fabric=(1,))
@inlined
def wait_until(s: GraphState, u: GraphSetting, node: int, due: int, cycle: int) -> int:
    """See that a node tries again in cycle `due`, or before; return what came of trying in `cycle`."""
    due = min(due, cycle + u.head_ring - 1)
    if s.wake[node] > cycle:
        return NEXT_CYCLE if s.wake[node] > due else FULL
    s.wake[node] = due
    falls_due(s, u, ~(u.all_fifos + WAKE * u.nodes * u.nodes + node), due)
    return FULL


@inlined
def emit(s: GraphState, u: GraphSetting, node: int, target: int, label: int, cycle: int) -> int:
    """Create a packet and hand it to an injector, as `injection.emit_on_grid` does on grids and trees."""
    base = node * u.row
    own = u.injectors
    low = 0
    if u.fabric == 1:
        own = u.injectors // u.classes
        low = class_of(s, u, label) * own
        if u.ordered == 1:
            low += below(draw(u.seed, INJECTOR_OF_FLOW, node, target, 0), own)
            own = 1
    j = low + (emptiest(s, u, node, low, own, cycle) if own > 1 else 0)
    i = s.row[base + INPUTS] + j
    f = s.row[base + FIRST] + i
    word = s.fifo[f]
    lost = int(s.emptied[node * u.injectors + j] == cycle)
    if (word >> COUNT & FIELD) + lost >= u.queue + u.buffer:
        return NEXT_CYCLE if lost == 1 or (own > 1 and some_has_room(s, u, node, low, own)) else FULL
    pair = node * u.nodes + target
    if u.fabric == 1 and u.rate > 0 and s.pace[pair * PACE_WORDS + DUE] > cycle:
        return wait_until(s, u, node, s.pace[pair * PACE_WORDS + DUE], cycle)
    if s.home[node] < 0 or s.home[target] < 0:  # cut off by a fault
        return EMITTED
    if u.fabric == 1 and u.window > 0:
        if s.under_way[pair] >= u.window:
            return FULL
        s.under_way[pair] += 1
    if u.fabric == 1 and u.rate > 0:
        note_creation(s, u, pair, cycle)
    at = (word & FIELD) + (word >> COUNT & FIELD)
    room = u.queue + u.buffer
    if at >= room:
        at -= room
    slot = slot_of(s, u, base, i, at)
    s.slot[slot + ROUTE] = target
    s.slot[slot + BIRTH] = cycle
    s.slot[slot + LABEL] = label
    s.clock[CREATED] += 1
    count_flying(s, u, label, 1)
    if u.fabric == 1 and u.injected > 0:
        s.fifo[f] = word + (1 << COUNT)
        falls_due(s, u, f, cycle + u.injected)
        return EMITTED
    s.fifo[f] = word + (1 << COUNT) + (1 << SEEN)
    if word >> SEEN & FIELD == 0:
        becomes_head(s, node << u.name_bits | i)
    return EMITTED


@inlined
def emptied(s: GraphState, u: GraphSetting, node: int, i: int, cycle: int) -> None:
    """Let a task act next cycle that waits for the injector of input `i`, which a tail has left."""
    s.emptied[node * u.injectors + i - s.row[node * u.row + INPUTS]] = cycle
    if s.task[node * TASK_WORDS + BLOCKED] == 1:
        act_next(s, u, node)
