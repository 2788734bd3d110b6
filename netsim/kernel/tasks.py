"""Tasks: what a node does in a cycle.

A node creates at most one packet a cycle. Its task first passes all that takes no time; then one packet is
created: of the message under way, else of what is due at the interface (rendezvous), else of the send at the
head.
"""

from __future__ import annotations

from netplace.netsim.kernel.atomic import add_atomically
from netplace.netsim.kernel.bits import inlined
from netplace.netsim.kernel.creation import handed_over
from netplace.netsim.kernel.events import act_next, set_timer
from netplace.netsim.kernel.messages import make_due, open_message, take_due
from netplace.netsim.kernel.sources import act_source
from netplace.netsim.kernel.state import (
    ASK,
    BUSY_UNTIL,
    COMPUTE,
    COMPUTE_LAST,
    DATA,
    DEAL_WORDS,
    DONE,
    ENDED,
    FIRST_DUE,
    FIRST_KEY,
    HAVE,
    JOB,
    KEY_BITS,
    KEY_WORDS,
    KIND_BITS,
    LAPPED,
    LEFT,
    LENGTH,
    LOOP,
    LOST,
    NEXT_DRAW,
    NOTHING,
    OVER,
    OWN,
    PC,
    POST,
    QUIET,
    RECV,
    REPLY,
    REQUEST,
    ROUNDS,
    SEND,
    SENT_LAST,
    SINCE,
    SOURCE,
    STOP,
    TARGET,
    TASK,
    TASK_WORDS,
    UNDER,
    UNMET,
    WAITS,
    WHEN_WORDS,
    Setting,
    State,
)

# mypy: disable-error-code="untyped-decorator"


@inlined
def finish(s: State, u: Setting, node: int, cycle: int) -> None:
    """End a node's task with `cycle`, the last in which it did something."""
    task = node * TASK_WORDS
    when = node * WHEN_WORDS
    job = s.task[task + JOB]
    s.clock[QUIET] = cycle + 1
    s.task_end[s.task[task + TASK]] = cycle + 1
    s.task_lost[s.task[task + TASK]] = s.when[when + LOST]
    s.task[task + WAITS] = NOTHING
    s.task[task + JOB] = -1
    if u.split == 1:  # tasks of other domains may end in the same cycle
        left = add_atomically(s.job, 2 * job, -1)
    else:
        left = s.job[2 * job] - 1
        s.job[2 * job] = left
    if left == 0:
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
            s.clock[QUIET] = cycle + 1
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
            s.when[when + LAPPED] = cycle
            if s.task[task + ROUNDS] > 0:
                s.task[task + ROUNDS] -= 1
                pc -= word >> KIND_BITS
            else:
                pc += 1
            continue
        key = s.task[task + FIRST_KEY] + ((word >> KIND_BITS) & ((1 << KEY_BITS) - 1))
        if kind == OVER:
            s.deal[key * DEAL_WORDS + DONE] -= word >> (KIND_BITS + KEY_BITS)
            pc += 1
            continue
        if kind == RECV:
            left = s.key[key * KEY_WORDS + HAVE] - s.key[key * KEY_WORDS + LENGTH]
            if left < 0:
                s.task[task + PC] = pc
                s.task[task + WAITS] = key
                return False
            s.key[key * KEY_WORDS + HAVE] = left
        elif kind == POST:
            unmet = s.deal[key * DEAL_WORDS + UNMET] - 1
            s.deal[key * DEAL_WORDS + UNMET] = unmet
            if unmet >= 0:
                make_due(s, u, node, key << 2 | REPLY, cycle)
        elif s.deal[key * DEAL_WORDS + DONE] < word >> (KIND_BITS + KEY_BITS):  # SENT, SENT_LAST
            s.task[task + PC] = pc
            s.task[task + WAITS] = key
            return False
        s.clock[QUIET] = cycle + 1
        pc += 1
    s.task[task + PC] = stop
    finish(s, u, node, cycle)
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
            finish(s, u, node, cycle)
    elif what == DATA:
        deal = (label >> 2) * DEAL_WORDS
        s.deal[deal + DONE] += 1
        if s.task[task + WAITS] == label >> 2:
            word = s.op[s.task[task + PC]]
            number = word >> (KIND_BITS + KEY_BITS)
            if word & ((1 << KIND_BITS) - 1) == SENT_LAST and s.deal[deal + DONE] >= number:
                finish(s, u, node, cycle)
    if s.task[task + JOB] >= 0 or s.task[task + FIRST_DUE] >= 0:
        act_next(s, u, node)


@inlined
def begin(s: State, u: Setting, node: int, sending: bool) -> bool:
    """Choose the next message to create packets of; tell whether there is one."""
    task = node * TASK_WORDS
    when = node * WHEN_WORDS
    if s.task[task + FIRST_DUE] >= 0:
        label = take_due(s, u, task)
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
        if cycle == s.when[when + BUSY_UNTIL]:
            s.clock[QUIET] = max(s.clock[QUIET], cycle)
        sending = advance(s, u, node, cycle)
    creating = under_way or begin(s, u, node, sending)
    if creating:
        create(s, u, node, sending, cycle)
    if s.when[when + NEXT_DRAW] >= 0:
        act_source(s, u, node, creating, cycle)
