"""Injection: the queues between a node and its router on a mesh, torus or tree."""

from __future__ import annotations

from netplace.netsim.chance import INJECTOR, below, draw
from netplace.netsim.kernel.bits import inlined, where
from netplace.netsim.kernel.events import act_next, head_if
from netplace.netsim.kernel.fifos import count_of, fed, fifo_of, slot_of
from netplace.netsim.kernel.messages import count_flying
from netplace.netsim.kernel.routes import route_of
from netplace.netsim.kernel.state import (
    BIRTH,
    BLOCKED,
    CREATED,
    EMITTED,
    FULL,
    LABEL,
    NAME_BITS,
    NEXT_CYCLE,
    ROUTE,
    SEVERAL,
    TASK_WORDS,
    Setting,
    State,
)

# mypy: disable-error-code="untyped-decorator"


@where(injectors=SEVERAL)
@inlined
def phits_held(s: State, u: Setting, node: int, i: int, count: int, cycle: int) -> int:
    """Return the phits in an injection FIFO of `count` packets, with its buffer, at the start of `cycle`."""
    gone = cycle - s.left[node * u.fifos + i]
    return count * u.phits - (gone if 0 < gone < u.phits else 0)


@where(injectors=SEVERAL)
@inlined
def emptiest(s: State, u: Setting, node: int, transit: int, cycle: int) -> int:
    """Return the injector that holds fewest phits: of equals the first, cyclically, from one that is drawn.

    One without room may be the first of equals, but never holds less than one with room: so where it has none
    now, and no tail has just left it, no injector has.
    """
    begin = below(draw(u.seed, INJECTOR, node, 0, cycle), u.injectors)
    best = -1
    least = 0
    for n in range(u.injectors):
        j = begin + n - u.injectors * (begin + n >= u.injectors)
        count = count_of(u, s.counts[fifo_of(u, node, transit + j)])
        held = phits_held(s, u, node, transit + j, count, cycle)
        if best < 0 or held < least:
            least = held
            best = j
    return best


@inlined
def emit_on_grid(s: State, u: Setting, node: int, target: int, label: int, cycle: int) -> int:
    """Create a packet and hand it to the injector that holds fewest phits.

    Returns `EMITTED`, `NEXT_CYCLE` (a place is free from the next cycle on) or `FULL`.

    Injector buffer and injection FIFO are one queue here: the buffer is emptied into the FIFO at once.
    A packet is created before that, so a tail that has just left has made room only for the next cycle.
    """
    transit = fed(s, u, node * u.row)
    j = emptiest(s, u, node, transit, cycle) if u.injectors > 1 else 0
    i = transit + j
    word = s.counts[fifo_of(u, node, i)]
    lost = int(s.emptied[node * u.injectors + j] == cycle)
    if count_of(u, word) + lost >= u.queue + u.buffer:
        return NEXT_CYCLE if lost == 1 else FULL
    at = (word & u.field) + count_of(u, word)
    room = u.queue + u.buffer
    if at >= room:
        at -= room
    slot = slot_of(s, u, node, i, at)
    s.slot[slot + ROUTE] = route_of(s, u, node, target, cycle)
    s.slot[slot + BIRTH] = cycle
    s.slot[slot + LABEL] = label
    s.counts[fifo_of(u, node, i)] = word + (1 << u.bits)
    s.clock[CREATED] += 1
    count_flying(s, u, label, 1)
    head_if(s, node << NAME_BITS | i, count_of(u, word) == 0)
    return EMITTED


@inlined
def emptied(s: State, u: Setting, node: int, i: int, cycle: int) -> None:
    """Let a task act next cycle that waits for the injector of input `i`, which a tail has left."""
    s.emptied[node * u.injectors + i - fed(s, u, node * u.row)] = cycle
    if s.task[node * TASK_WORDS + BLOCKED] == 1:
        act_next(s, u, node)
