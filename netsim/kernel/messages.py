"""Consumption: packets that have come to their node, messages that they complete, what falls due then.

A message that becomes due at a node's interface (rendezvous) is created before what its program sends.
"""

from __future__ import annotations

import inspect

from netplace.netsim import delays
from netplace.netsim.kernel.atomic import add_atomically
from netplace.netsim.kernel.bits import inlined, outlined
from netplace.netsim.kernel.events import act_now
from netplace.netsim.kernel.state import (
    BIRTH,
    DATA,
    DEAL_WORDS,
    DELIVERED,
    FIRST_DUE,
    FLYING,
    HAVE,
    HEADS_APART,
    KEY_WORDS,
    LABEL,
    LAST_DELIVERY,
    LENGTH,
    MESSAGE_DELAY,
    NEWEST,
    OLDEST,
    PACKET_DELAY,
    REPLY,
    REQUEST,
    SOURCE,
    TARGET,
    TASK_WORDS,
    TO_GO,
    UNMET,
    WAITS,
    Setting,
    State,
)

# mypy: disable-error-code="untyped-decorator"

bin_of = outlined(inspect.unwrap(delays.bin_of))  # the rule alone, without checks of arguments


@inlined
def origin(s: State, label: int) -> int:
    """Return the node that created a packet."""
    key = (label >> 2) * KEY_WORDS
    if label & 3 != REPLY:
        return s.key[key + SOURCE]
    target = s.key[key + TARGET]
    return target if target >= 0 else ~target


@inlined
def own_head(u: Setting) -> int:
    """Return the entry that is the head of a domain's list of free entries."""
    return u.domain * HEADS_APART


@inlined
def count_flying(s: State, u: Setting, label: int, more: int) -> None:
    """Count a packet more or less in flight of a label's key.

    Several domains may do so in one phase: replies count with their key, and faults have packets thrown
    away anywhere.
    """
    at = (label >> 2) * KEY_WORDS + FLYING
    if u.split == 1:
        add_atomically(s.key, at, more)
    else:
        s.key[at] += more


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
    count_flying(s, u, label, -1)
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
        unmet = s.deal[key * DEAL_WORDS + UNMET] + 1
        s.deal[key * DEAL_WORDS + UNMET] = unmet
        if unmet <= 0:
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
        s.open_next[oldest] = s.open_next[own_head(u)]
        s.open_next[own_head(u)] = oldest
        s.open_start[own_head(u)] += 1
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
    entry = s.open_next[own_head(u)]
    s.open_next[own_head(u)] = s.open_next[entry]
    s.open_start[own_head(u)] -= 1
    s.open_start[entry] = cycle
    if newest == 0:
        s.key[base + OLDEST] = entry
    else:
        s.open_next[newest] = entry
    s.key[base + NEWEST] = entry


@inlined
def make_due(s: State, u: Setting, node: int, label: int, cycle: int) -> None:
    """Queue a reply, or data that was asked for, at a node's interface.

    Order: cycle, data before replies, key.
    """
    entry = s.due_next[own_head(u)]
    s.due_next[own_head(u)] = s.due_next[entry]
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
def take_due(s: State, u: Setting, task: int) -> int:
    """Remove the first due message of a node's interface and return its label."""
    entry = s.task[task + FIRST_DUE]
    s.task[task + FIRST_DUE] = s.due_next[entry]
    s.due_next[entry] = s.due_next[own_head(u)]
    s.due_next[own_head(u)] = entry
    order = s.due_order[entry]
    return (order & 0xFFFFFFFF) << 2 | order >> 32
