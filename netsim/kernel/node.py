"""Nodes: tasks and their programs, injection, matching of messages, open-loop sources.

A node creates at most one packet a cycle. Its task first passes all that takes no time; then one packet is
created: of the message under way, else of what is due at the interface (rendezvous), else of the send at the
head.
"""

from __future__ import annotations

from netplace.netsim import delays
from netplace.netsim.chance import GAP, HOT_SPOT, INJECTOR, below, draw, gap
from netplace.netsim.chance import TARGET as TARGET_DRAW
from netplace.netsim.kernel.bits import inlined, lowest, outlined
from netplace.netsim.kernel.draws import drawn
from netplace.netsim.kernel.events import act_next, act_now, head_if, look_now, set_timer
from netplace.netsim.kernel.fifos import count_of, fed, feeder, fifo_of, output_of, slot_of, stop
from netplace.netsim.kernel.room import drop_head, release
from netplace.netsim.kernel.routes import route_of
from netplace.netsim.kernel.state import (
    ASK,
    ASKED,
    BIRTH,
    BLOCKED,
    BUSY_UNTIL,
    COMPUTE,
    COMPUTE_LAST,
    CREATED,
    DATA,
    DEAL_WORDS,
    DELIVERED,
    DONE,
    DRAWN,
    EMITTED,
    EMPTIES,
    ENDED,
    FIRST_DUE,
    FIRST_KEY,
    FLYING,
    FULL,
    HAVE,
    HOME,
    INPUT,
    JOB,
    KEY_BITS,
    KEY_WORDS,
    KIND_BITS,
    LABEL,
    LAST_DELIVERY,
    LEFT,
    LENGTH,
    LOOP,
    LOST,
    MESSAGE_DELAY,
    NAME_BITS,
    NEWEST,
    NEXT_CYCLE,
    NEXT_DRAW,
    NOTHING,
    OLDEST,
    OWN,
    PACKET_DELAY,
    PC,
    POST,
    POSTED,
    RECV,
    REPLY,
    REQUEST,
    ROUNDS,
    ROUTE,
    SEND,
    SENT_LAST,
    SINCE,
    SOURCE,
    STOP,
    TAKEN,
    TARGET,
    TASK,
    TASK_WORDS,
    TO_GO,
    UNDER,
    WAITS,
    WHEN_WORDS,
    Setting,
    State,
)

# mypy: disable-error-code="untyped-decorator"


bin_of = outlined(delays.bin_of)


# --- injection ------------------------------------------------------------------------------------


@inlined
def phits_held(s: State, u: Setting, node: int, i: int, count: int, cycle: int) -> int:
    """Return the phits in an injection FIFO of `count` packets, with its buffer, at the start of `cycle`."""
    gone = cycle - s.left[node * u.fifos + i]
    return count * u.phits - (gone if 0 < gone < u.phits else 0)


@inlined
def emit(s: State, u: Setting, node: int, target: int, label: int, cycle: int) -> int:
    """Create a packet and hand it to the injector that holds fewest phits, drawn among equals.

    Returns `EMITTED`, `NEXT_CYCLE` (a place is free from the next cycle on) or `FULL`.

    Injector buffer and injection FIFO are one queue here: the buffer is emptied into the FIFO at once.
    A packet is created before that, so a tail that has just left has made room only for the next cycle.
    """
    least = 0
    equal = 0
    outcome = FULL
    transit = fed(s, u, node * u.row)
    for j in range(u.injectors):
        count = count_of(u, s.counts[fifo_of(u, node, transit + j)])
        lost = int(s.emptied[node * u.injectors + j] == cycle)
        if lost:
            outcome = NEXT_CYCLE
        if count + lost < u.queue + u.buffer:
            held = phits_held(s, u, node, transit + j, count, cycle) if u.injectors > 1 else 0
            if equal == 0 or held < least:
                least = held
                equal = 0
            if held == least:
                equal |= 1 << j
    if equal == 0:
        return outcome
    i = transit
    if u.injectors > 1:
        i += (
            lowest(equal)
            if equal & (equal - 1) == 0
            else drawn(equal, draw(u.seed, INJECTOR, node, 0, cycle))
        )
    word = s.counts[fifo_of(u, node, i)]
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
    s.key[(label >> 2) * KEY_WORDS + FLYING] += 1
    head_if(s, node << NAME_BITS | i, count_of(u, word) == 0)
    return EMITTED


@inlined
def emptied(s: State, u: Setting, node: int, i: int, cycle: int) -> None:
    """Let a task act next cycle that waits for the injector of input `i`, which a tail has left."""
    s.emptied[node * u.injectors + i - fed(s, u, node * u.row)] = cycle
    if s.task[node * TASK_WORDS + BLOCKED] == 1:
        act_next(s, u, node)


# --- consumption ----------------------------------------------------------------------------------


@inlined
def deliver(s: State, u: Setting, slot: int, cycle: int) -> None:
    """Count a packet whose tail was consumed in the cycle before `cycle`, and wake who waited for it."""
    delay = (cycle - 1 - s.slot[slot + BIRTH]) & 0xFFFFFFFF
    s.clock[DELIVERED] += 1
    s.clock[PACKET_DELAY] += delay
    s.clock[LAST_DELIVERY] = cycle - 1
    s.packet_delays[bin_of(delay)] += 1
    label = s.slot[slot + LABEL]
    key = label >> 2
    base = key * KEY_WORDS
    s.key[base + FLYING] -= 1
    node = s.key[base + TARGET]
    if node < 0:
        return
    what = label & 3
    if what == DATA:
        have = s.key[base + HAVE] + 1
        s.key[base + HAVE] = have
        s.key[base + TO_GO] -= 1
        if s.key[base + TO_GO] == 0:
            complete(s, u, base, cycle)
        if s.task[node * TASK_WORDS + WAITS] == key and have >= s.key[base + LENGTH]:
            act_now(s, u, node)
    elif what == REQUEST:
        asked = s.deal[key * DEAL_WORDS + ASKED] + 1
        s.deal[key * DEAL_WORDS + ASKED] = asked
        if asked <= s.deal[key * DEAL_WORDS + POSTED]:
            make_due(s, u, node, key << 2 | REPLY, cycle)
    else:
        make_due(s, u, s.key[base + SOURCE], key << 2 | DATA, cycle)


@inlined
def complete(s: State, u: Setting, base: int, cycle: int) -> None:
    """Close the oldest open message of a key."""
    s.key[base + TO_GO] = s.key[base + LENGTH]
    oldest = s.key[base + OLDEST]
    if u.record == 1:
        s.key[base + OLDEST] = oldest + 1
        s.message_end[oldest] = cycle - 1
        began = s.message_start[oldest]
    else:
        began = s.open_start[oldest]
        if oldest == s.key[base + NEWEST]:
            s.key[base + NEWEST] = 0
            s.key[base + OLDEST] = 0
        else:
            s.key[base + OLDEST] = s.open_next[oldest]
        s.open_next[oldest] = s.open_next[0]
        s.open_next[0] = oldest
        s.open_start[0] += 1
    delay = cycle - 1 - began
    s.clock[MESSAGE_DELAY] += delay
    s.message_delays[bin_of(delay)] += 1


@inlined
def open_message(s: State, u: Setting, base: int, cycle: int) -> None:
    """Note that a message of a key begins in `cycle`."""
    newest = s.key[base + NEWEST]
    if u.record == 1:
        s.key[base + NEWEST] = newest + 1
        s.message_start[newest] = cycle
        return
    entry = s.open_next[0]
    s.open_next[0] = s.open_next[entry]
    s.open_start[0] -= 1
    s.open_start[entry] = cycle
    if newest == 0:
        s.key[base + OLDEST] = entry
    else:
        s.open_next[newest] = entry
    s.key[base + NEWEST] = entry


@inlined
def make_due(s: State, u: Setting, node: int, label: int, cycle: int) -> None:
    """Queue a reply, or data that was asked for, at a node's interface.

    Order: cycle, data before replies, key. Entry 0 of the lists is the head of the free entries.
    """
    entry = s.due_next[0]
    s.due_next[0] = s.due_next[entry]
    order = (label & 3) << 32 | (label >> 2)
    s.due_order[entry] = order
    s.due_time[entry] = cycle
    base = node * TASK_WORDS + FIRST_DUE
    before = -1
    at = s.task[base]
    while at >= 0 and (s.due_time[at] < cycle or s.due_order[at] < order):
        before = at
        at = s.due_next[at]
    s.due_next[entry] = at
    if before < 0:
        s.task[base] = entry
    else:
        s.due_next[before] = entry
    act_now(s, u, node)


@inlined
def take_due(s: State, task: int) -> int:
    """Remove the first due message of a node's interface and return its label."""
    entry = s.task[task + FIRST_DUE]
    s.task[task + FIRST_DUE] = s.due_next[entry]
    s.due_next[entry] = s.due_next[0]
    s.due_next[0] = entry
    order = s.due_order[entry]
    return (order & 0xFFFFFFFF) << 2 | order >> 32


@inlined
def tail_left(s: State, u: Setting, name: int, cycle: int) -> None:
    """Free what the head of an input held that left to the tail in the cycle before."""
    router = name >> NAME_BITS
    i = name & INPUT
    base = router * u.row
    word = s.counts[fifo_of(u, router, i)]
    output = output_of(u, word)
    if output == HOME:
        deliver(s, u, slot_of(s, u, router, i, word & u.field), cycle)
        if u.single == 1:
            s.homing[router] &= ~(1 << TAKEN)
            look_now(s, u, router)
    else:
        release(s, u, router, output, cycle)
    if u.loads == 1 and i < fed(s, u, base):
        above = feeder(s, u, router, i)
        stop(s, u, above >> NAME_BITS, above & INPUT, EMPTIES, cycle)
    drop_head(s, u, name, cycle)
    if i >= fed(s, u, base):
        emptied(s, u, router, i, cycle)


# --- tasks ----------------------------------------------------------------------------------------


@inlined
def finish(s: State, node: int, cycle: int) -> None:
    """End a node's task with `cycle`, the last in which it did something."""
    task = node * TASK_WORDS
    when = node * WHEN_WORDS
    job = s.task[task + JOB]
    s.task_end[s.task[task + TASK]] = cycle + 1
    s.task_lost[s.task[task + TASK]] = s.when[when + LOST]
    s.task[task + WAITS] = NOTHING
    s.task[task + JOB] = -1
    s.job[2 * job] -= 1
    if s.job[2 * job] == 0:
        s.job[2 * job + 1] = cycle + 1
        s.clock[ENDED] = 1


@inlined
def advance(s: State, u: Setting, node: int, cycle: int) -> bool:
    """Let a task pass all that takes no time; tell whether it stands at a send."""
    task = node * TASK_WORDS
    when = node * WHEN_WORDS
    pc = s.task[task + PC]
    stop = s.task[task + STOP]
    s.task[task + WAITS] = NOTHING
    while pc < stop:
        word = s.op[pc]
        kind = word & ((1 << KIND_BITS) - 1)
        if kind in (SEND, ASK):
            s.task[task + PC] = pc
            return True
        if kind == COMPUTE:
            s.task[task + PC] = pc + 1
            s.when[when + BUSY_UNTIL] = cycle + (word >> KIND_BITS)
            set_timer(s, cycle, cycle + (word >> KIND_BITS), node, 0)
            return False
        if kind == COMPUTE_LAST:
            s.task[task + PC] = stop
            if word >> KIND_BITS > 1:
                s.when[when + BUSY_UNTIL] = cycle + (word >> KIND_BITS) - 1
                set_timer(s, cycle, cycle + (word >> KIND_BITS) - 1, node, 0)
                return False
            break
        if kind == LOOP:
            if s.task[task + ROUNDS] > 0:
                s.task[task + ROUNDS] -= 1
                pc -= word >> KIND_BITS
            else:
                pc += 1
            continue
        key = s.task[task + FIRST_KEY] + ((word >> KIND_BITS) & ((1 << KEY_BITS) - 1))
        if kind == RECV:
            left = s.key[key * KEY_WORDS + HAVE] - s.key[key * KEY_WORDS + LENGTH]
            if left < 0:
                s.task[task + PC] = pc
                s.task[task + WAITS] = key
                return False
            s.key[key * KEY_WORDS + HAVE] = left
        elif kind == POST:
            posted = s.deal[key * DEAL_WORDS + POSTED] + 1
            s.deal[key * DEAL_WORDS + POSTED] = posted
            if posted <= s.deal[key * DEAL_WORDS + ASKED]:
                make_due(s, u, node, key << 2 | REPLY, cycle)
        elif s.deal[key * DEAL_WORDS + DONE] < word >> (KIND_BITS + KEY_BITS):  # SENT, SENT_LAST
            s.task[task + PC] = pc
            s.task[task + WAITS] = key
            return False
        pc += 1
    s.task[task + PC] = stop
    finish(s, node, cycle)
    return False


@inlined
def create(s: State, u: Setting, node: int, sending: bool, cycle: int) -> None:
    """Create the next packet of the message under way, and see to what follows it."""
    task = node * TASK_WORDS
    when = node * WHEN_WORDS
    label = s.task[task + UNDER]
    what = label & 3
    base = (label >> 2) * KEY_WORDS
    target = s.key[base + SOURCE] if what == REPLY else s.key[base + TARGET]
    left = s.when[when + LEFT] - 1
    own = s.task[task + OWN] == 1
    opening = own and (what == REQUEST or left + 1 == s.key[base + LENGTH])
    if not handed_over(s, u, node, target, label, cycle):
        if sending and s.when[when + SINCE] < 0:
            s.when[when + SINCE] = cycle
        if opening:  # not begun after all: what becomes due at the interface goes first
            s.when[when + LEFT] = 0
        return
    if s.when[when + SINCE] >= 0:
        s.when[when + LOST] += cycle - s.when[when + SINCE]
        s.when[when + SINCE] = -1
    s.when[when + LEFT] = left
    if opening:
        open_message(s, u, base, cycle)
    if left > 0:
        act_next(s, u, node)
        return
    if own:
        s.task[task + PC] += 1
        if s.task[task + PC] == s.task[task + STOP]:
            finish(s, node, cycle)
    elif what == DATA:
        deal = (label >> 2) * DEAL_WORDS
        s.deal[deal + DONE] += 1
        if s.task[task + WAITS] == label >> 2:
            word = s.op[s.task[task + PC]]
            number = word >> (KIND_BITS + KEY_BITS)
            if word & ((1 << KIND_BITS) - 1) == SENT_LAST and s.deal[deal + DONE] >= number:
                finish(s, node, cycle)
    if s.task[task + JOB] >= 0 or s.task[task + FIRST_DUE] >= 0:
        act_next(s, u, node)


@inlined
def handed_over(s: State, u: Setting, node: int, target: int, label: int, cycle: int) -> bool:
    """Try to emit a packet; on failure see that the node tries again."""
    outcome = emit(s, u, node, target, label, cycle)
    s.task[node * TASK_WORDS + BLOCKED] = int(outcome != EMITTED)
    if outcome == NEXT_CYCLE:
        act_next(s, u, node)
    return outcome == EMITTED


@inlined
def begin(s: State, u: Setting, node: int, sending: bool) -> bool:
    """Choose the next message to create packets of; tell whether there is one."""
    task = node * TASK_WORDS
    when = node * WHEN_WORDS
    if s.task[task + FIRST_DUE] >= 0:
        label = take_due(s, task)
        own = 0
    elif sending:
        word = s.op[s.task[task + PC]]
        label = (s.task[task + FIRST_KEY] + (word >> KIND_BITS)) << 2
        if word & ((1 << KIND_BITS) - 1) == ASK:
            label |= REQUEST
        own = 1
    else:
        return False
    s.task[task + UNDER] = label
    s.task[task + OWN] = own
    s.when[when + LEFT] = s.key[(label >> 2) * KEY_WORDS + LENGTH] if label & 3 == DATA else 1
    return True


@inlined
def act(s: State, u: Setting, node: int, cycle: int) -> None:
    """Do all that a node does in the first step of `cycle`."""
    task = node * TASK_WORDS
    when = node * WHEN_WORDS
    under_way = s.when[when + LEFT] > 0
    sending = under_way and s.task[task + OWN] == 1
    if s.task[task + JOB] >= 0 and cycle >= s.when[when + BUSY_UNTIL] and not sending:
        sending = advance(s, u, node, cycle)
    creating = under_way or begin(s, u, node, sending)
    if creating:
        create(s, u, node, sending, cycle)
    if s.when[when + NEXT_DRAW] >= 0:
        act_source(s, u, node, creating, cycle)


# --- open-loop sources ----------------------------------------------------------------------------


@inlined
def draw_target(s: State, u: Setting, node: int, cycle: int) -> int:
    """Return the destination of a packet drawn in `cycle`."""
    hot = s.hot[0]
    if hot >= 0 and hot != node:
        unit = float(draw(u.seed, HOT_SPOT, node, 0, cycle)) / 18446744073709551616.0
        if unit < s.share[1]:
            return hot
    target = s.target[node]
    if target < 0:
        some = s.hot[2]
        target = below(draw(u.seed, TARGET_DRAW, node, 0, cycle), (some if some else u.nodes) - 1)
        if some:
            place = u.nodes + target
            target = s.target[place if s.target[place] < node else place + 1]
        elif target >= node:
            target += 1
    return target


@inlined
def source_label(s: State, node: int) -> int:
    """Return the label of a node's packets of open-loop traffic, with a key of its own or one for all."""
    return (s.hot[1] + node * s.hot[3]) << 2 | DATA


@inlined
def act_source(s: State, u: Setting, node: int, occupied: bool, cycle: int) -> None:
    """Create a packet of open-loop traffic; the next is drawn when an injector has taken it.

    A node that is `occupied` with a message creates none in this cycle.
    """
    task = node * TASK_WORDS
    when = node * WHEN_WORDS
    if s.task[task + DRAWN] == 0:
        if cycle < s.when[when + NEXT_DRAW]:
            return
        s.task[task + DRAWN] = 1 + draw_target(s, u, node, cycle)
    if occupied:
        act_next(s, u, node)
    elif handed_over(s, u, node, s.task[task + DRAWN] - 1, source_label(s, node), cycle):
        s.task[task + DRAWN] = 0
        due = cycle + 1 + gap(draw(u.seed, GAP, node, 0, cycle + 1), s.share[0])
        s.when[when + NEXT_DRAW] = due
        set_timer(s, cycle, due, node, 1)


@inlined
def begin_sources(s: State, u: Setting, now: int) -> None:
    """Draw when each node has its first packet, `now` at the earliest."""
    for node in range(u.nodes):
        if s.target[node] != node:
            due = now + gap(draw(u.seed, GAP, node, 0, now), s.share[0])
            s.when[node * WHEN_WORDS + NEXT_DRAW] = due
