"""What happens when: queues of constant delay, timers, and the lists of what must be looked at.

Delays of the network are constants, so a plain first-in first-out queue for each delay keeps events in order.
A queue is a ring of words and a ring of batches (cycle, number of words); its four words in `clock` are the
next word to read, the next to write, the next batch to read and the newest batch.
"""

from __future__ import annotations

from netsim.kernel.bits import inlined
from netsim.kernel.state import ACTED, DIRTY, QUEUES, SIDE, STAMP, TASK_WORDS, TIMERS, TODO, Setting, State

# mypy: disable-error-code="untyped-decorator"

ENTER = 0  # a header has left for this FIFO: it takes room there
ARRIVE = 1  # it can be looked at (only if a hop takes more than a cycle, else ENTER does both)
TAIL = 2  # the head of this FIFO has left to the tail
NEVER = 1 << 62


@inlined
def push(s: State, queue: int, word: int, due: int) -> None:
    """Put an event into a queue; `due` never falls from one call to the next."""
    c = QUEUES + 4 * queue
    p = 4 * queue
    at = s.clock[c + 1]
    s.queue_word[s.queue_place[p] + at] = word
    at += 1
    s.clock[c + 1] = 0 if at == s.queue_place[p + 1] else at
    first = s.queue_place[p + 2]
    newest = s.clock[c + 3]
    if s.queue_time[first + newest] == due:
        s.queue_count[first + newest] += 1
    else:
        newest += 1
        if newest == s.queue_place[p + 3]:
            newest = 0
        s.clock[c + 3] = newest
        s.queue_time[first + newest] = due
        s.queue_count[first + newest] = 1


@inlined
def next_due(s: State, queue: int) -> int:
    """Return the cycle of the next batch of a queue, or `NEVER`."""
    c = QUEUES + 4 * queue
    p = 4 * queue
    after = s.clock[c + 3] + 1
    if after == s.queue_place[p + 3]:
        after = 0
    head = s.clock[c + 2]
    return NEVER if head == after else s.queue_time[s.queue_place[p + 2] + head]


@inlined
def take_batch(s: State, queue: int) -> int:
    """Remove the next batch and return its number of words; read them by `take`."""
    c = QUEUES + 4 * queue
    p = 4 * queue
    head = s.clock[c + 2]
    count = s.queue_count[s.queue_place[p + 2] + head]
    head += 1
    s.clock[c + 2] = 0 if head == s.queue_place[p + 3] else head
    return count


@inlined
def take(s: State, queue: int) -> int:
    """Remove and return the next word of a queue."""
    c = QUEUES + 4 * queue
    p = 4 * queue
    at = s.clock[c]
    word = s.queue_word[s.queue_place[p] + at]
    at += 1
    s.clock[c] = 0 if at == s.queue_place[p + 1] else at
    return word


@inlined
def look_at(s: State, u: Setting, router: int, cycle: int, side: int) -> None:
    """Put a router on the list of those to decide in `cycle`, once."""
    base = router * u.row
    if s.row[base + STAMP] < cycle:
        s.row[base + STAMP] = cycle
        n = s.clock[DIRTY + side]
        s.dirty[side * len(s.first) + n] = router
        s.clock[DIRTY + side] = n + 1


@inlined
def act_at(s: State, u: Setting, node: int, cycle: int, side: int) -> None:
    """Put a node on the list of those whose task acts in `cycle`, once."""
    base = node * TASK_WORDS
    if s.task[base + ACTED] < cycle:
        s.task[base + ACTED] = cycle
        n = s.clock[TODO + side]
        s.todo[side * u.nodes + n] = node
        s.clock[TODO + side] = n + 1


@inlined
def act_next(s: State, u: Setting, node: int, cycle: int) -> None:
    """Let a node's task act in the cycle after `cycle`."""
    act_at(s, u, node, cycle + 1, s.clock[SIDE])


@inlined
def set_timer(s: State, cycle: int, node: int) -> None:
    """Let a node's task act in a later cycle (a binary heap; a node has at most one timer)."""
    at = s.clock[TIMERS]
    s.clock[TIMERS] = at + 1
    while at > 0:
        above = (at - 1) >> 1
        if s.timer[above] <= cycle:
            break
        s.timer[at] = s.timer[above]
        s.timer_node[at] = s.timer_node[above]
        at = above
    s.timer[at] = cycle
    s.timer_node[at] = node


@inlined
def take_timer(s: State) -> int:
    """Remove the earliest timer and return its node."""
    node = s.timer_node[0]
    n = s.clock[TIMERS] - 1
    s.clock[TIMERS] = n
    cycle = s.timer[n]
    last = s.timer_node[n]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= n:
            break
        if below + 1 < n and s.timer[below + 1] < s.timer[below]:
            below += 1
        if cycle <= s.timer[below]:
            break
        s.timer[at] = s.timer[below]
        s.timer_node[at] = s.timer_node[below]
        at = below
    s.timer[at] = cycle
    s.timer_node[at] = last
    return node
