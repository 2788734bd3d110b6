"""Programs in the words of the kernel: operations on keys instead of peers, tags and sizes.

A *key* is (source, destination, tag, packets) and matches receives to messages. Keys are numbered in the
order of these tuples, with tasks as source and destination.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from netplace.apps import Op, Program
from netplace.apps.iterations import block, check_requests, ranges
from netplace.apps.replay import check_cycles
from netplace.netsim.config import Config


def available() -> int:
    """Return the bytes of memory of this machine."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


class NotEnoughMemoryError(ValueError, MemoryError):
    """More memory is needed than this machine has free now; another machine may have enough."""


def demand(needed: int, label: str) -> None:
    """Raise `NotEnoughMemoryError` if `needed` bytes for `label` are not available."""
    there = available()
    if needed > there:
        raise NotEnoughMemoryError(
            f"{label} would need {needed / 2**30:.1f} GiB of memory, "
            f"but only {there / 2**30:.1f} GiB are available"
        )


# A word is ``value << KIND_BITS | kind``. Its value is a key, with a number of messages above its bits where
# the kind says so, cycles of a computation, or the words of a loop.
KIND_BITS, KEY_BITS = 4, 29
SEND, RECV, COMPUTE = 0, 1, 2
COMPUTE_LAST = 3  # compute and end: ends the task without another cycle
ASK, POST = 4, 5  # isend and irecv by rendezvous
SENT = 6  # wait until this many messages of a key have been sent by rendezvous
SENT_LAST = 7  # the same in a blocking send that ends the task
LOOP = 8  # go back by this many words, while there are rounds
OVER = 9  # an iteration is over: what it sent of a key by rendezvous counts no more
BEGIN, BEGIN_ASKING = 10, 11  # an interleaved isend, eager and by rendezvous
HANDED = 12  # wait until this many messages of a key of interleaved eager isends have been sent
HANDED_OVER = 13  # an iteration is over: what it sent of a key so counts no more

Int = NDArray[np.int64]
_PEAK = 232  # bytes an operation, measured
_SHORT = 1 << 12  # a table of this size costs nothing


@dataclass(frozen=True)
class Lowered:
    """A program in the words of the kernel."""

    op: Int  # words of all tasks
    first: Int  # shape (tasks + 1,): index of the first word of each task
    source_op: Int  # operation of the program from which each word comes
    key: Int  # shape (keys, 4): source task, destination task, packets and first message of each key
    # shape (messages,): number of each message in the kernel (grouped by key), in the order of the program's
    # sends.
    message: Int
    by_rendezvous: int  # messages above the rendezvous threshold
    interleaved: bool = False  # whether non-blocking sends take turns; data by rendezvous then do as well
    # shape (keys,): packets of each key that an iteration in a loop sends and receives.
    sent: Int = field(default_factory=lambda: np.empty(0, np.int64))
    used: Int = field(default_factory=lambda: np.empty(0, np.int64))
    # shape (keys,): messages of each key that an iteration in a loop sends by rendezvous, and receives posted
    # for them.
    asked: Int = field(default_factory=lambda: np.empty(0, np.int64))
    posted: Int = field(default_factory=lambda: np.empty(0, np.int64))


def packets_of(size: Int, packet_bytes: int) -> Int:
    """Return the packets of messages of `size` bytes: at least one, with the last one padded."""
    return np.maximum(1, -(-size // packet_bytes))


def creates_packets(program: Program) -> NDArray[np.bool_]:
    """Return which operations create packets; messages of a task to itself do not."""
    sends: NDArray[np.bool_] = (program.kind == Op.SEND) | (program.kind == Op.ISEND)
    sends &= program.peer != program.task_of()
    return sends


def created_packets(program: Program, config: Config) -> tuple[Int, Int]:
    """Return the packets of the message of each operation, and the number of packets that go back."""
    sends = creates_packets(program)
    asks = np.zeros(len(sends), bool) if config.eager_limit is None else program.size > config.eager_limit
    there = np.where(sends, packets_of(program.size.astype(np.int64), config.packet_bytes) + asks, 0)
    return there, (sends & asks).astype(np.int64)


def _opened_by(program: Program, task: Int) -> Int:
    """Return for each operation itself, for a wait the isend or irecv that it completes."""
    opened = np.arange(len(program.kind))
    opens = np.flatnonzero((program.kind == Op.ISEND) | (program.kind == Op.IRECV))
    waits = np.flatnonzero(program.kind == Op.WAIT)
    if len(waits) == 0:
        return opened
    name = task * (1 << 32) + program.request
    order = opens[np.argsort(name[opens], kind="stable")]
    at = np.searchsorted(name[order], name[waits])
    has_opener = at < len(order)
    has_opener[has_opener] = name[order[at[has_opener]]] == name[waits[has_opener]]
    if not has_opener.all():
        lost = waits[~has_opener][0]
        raise ValueError(
            f"{program.name or 'program'}: task {task[lost]} waits for request {program.request[lost]}, "
            "which no isend or irecv of that task opened"
        )
    opened[waits] = order[at]
    return opened


def _ranks(values: Int) -> tuple[Int, int]:
    """Return for each value its number in the sorted list of different values, and how many there are."""
    high = int(values.max(initial=0))
    low = int(values.min(initial=high))
    span = high - low + 1
    if span > 4 * len(values) + _SHORT:
        different, rank = np.unique(values, return_inverse=True)
        return rank, len(different)
    occurs = np.zeros(span, bool)  # a table in place of sorting, which would take most of a short run
    occurs[values - low] = True
    number = np.cumsum(occurs) - 1
    return number[values - low], int(occurs.sum())


def _key_numbers(columns: list[Int]) -> tuple[Int, Int]:
    """Return for each row its number in the sorted list of different rows, and a row of each number."""
    number, count = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        rank, different = _ranks(column)
        number, count = _ranks(number * different + rank)
    sample = np.empty(count, np.int64)
    sample[number] = np.arange(len(number))
    return number, sample


def lower(program: Program, config: Config) -> Lowered:
    """Convert a program to the words of the kernel.

    Messages of a task to itself are dropped. Without rendezvous, an irecv has no effect, and its wait is the
    receive. An isend is a send, and its wait has no effect, unless isends are interleaved.
    """
    check_cycles(program)
    operations = len(program.kind)
    demand(_PEAK * operations, f"{program.name}: {operations:,} operations in the kernel's words")
    task = np.repeat(np.arange(program.tasks), np.diff(program.first))
    opened = _opened_by(program, task)
    kind = program.kind.astype(np.int64)
    peer, size, tag = (a[opened].astype(np.int64) for a in (program.peer, program.size, program.tag))
    label = np.where(kind == Op.WAIT, kind[opened], kind)  # the operation that a wait completes
    is_compute = kind == Op.COMPUTE
    sends = (kind == Op.SEND) | (kind == Op.ISEND)
    receives = (label == Op.RECV) | (label == Op.IRECV)
    towards = (label == Op.SEND) | (label == Op.ISEND)
    large = (
        ~is_compute & (size > config.eager_limit)
        if config.eager_limit is not None
        else np.zeros(len(kind), bool)
    )
    turns = (label == Op.ISEND) & config.interleaves(program)
    keep = np.where(is_compute, size > 0, peer != task)
    keep &= is_compute | large | turns | ~((kind == Op.IRECV) | ((kind == Op.WAIT) & towards))

    packets = packets_of(size, config.packet_bytes)
    talks = np.flatnonzero(~is_compute & (peer != task))
    source = np.where(receives, peer, task)[talks]
    target = np.where(receives, task, peer)[talks]
    number, sample = _key_numbers([source, target, tag[talks], packets[talks]])
    key_of = np.full(len(kind), -1, np.int64)
    key_of[talks] = number

    send_ops = np.flatnonzero(sends & (peer != task))
    send_keys = key_of[send_ops]
    order = np.argsort(send_keys, kind="stable")
    message = np.empty(len(send_ops), np.int64)
    message[order] = np.arange(len(send_ops))
    per_key = np.bincount(send_keys, minlength=len(sample))
    first_message = np.concatenate([[0], np.cumsum(per_key)])[:-1]
    # A key may have messages of several kinds: those by rendezvous, and interleaved eager ones, count alone.
    ordinal = np.zeros(len(kind), np.int64)
    for some in (large, turns & ~large):
        numbered = np.cumsum(some[send_ops][order])
        before = np.concatenate([[0], numbered])[first_message]
        ordinal[send_ops[order]] += np.where(some[send_ops][order], numbered - before[send_keys[order]], 0)
    ordinal = ordinal[opened]

    # A blocking operation by rendezvous takes two words: begin and wait.
    blocking = large & keep & ((kind == Op.SEND) | (kind == Op.RECV))
    count = keep.astype(np.int64) + blocking
    source_op = np.repeat(np.arange(len(kind)), count)
    second = np.zeros(len(source_op), bool)
    second[1:] = source_op[1:] == source_op[:-1]
    per_task = np.bincount(task, weights=count, minlength=program.tasks).astype(np.int64)
    first = np.concatenate([[0], np.cumsum(per_task)])

    word_kind = np.full(len(kind), COMPUTE)
    word_kind[towards] = SEND
    word_kind[receives] = RECV
    word_kind[large & sends] = ASK
    word_kind[large & ((kind == Op.RECV) | (kind == Op.IRECV))] = POST
    word_kind[turns & sends] = np.where(large[turns & sends], BEGIN_ASKING, BEGIN)
    word_kind[turns & (kind == Op.WAIT)] = HANDED
    word_kind[large & (kind == Op.WAIT) & towards] = SENT
    out_kind = word_kind[source_op]
    out_kind[second] = np.where(out_kind[second] == ASK, SENT, RECV)
    value = np.where(is_compute, size, key_of)[source_op]
    waits = (out_kind == SENT) | (out_kind == HANDED)
    value = np.where(waits, value | ordinal[source_op] << KEY_BITS, value)
    last = first[1:][np.diff(first) > 0] - 1
    out_kind[last] = np.where(out_kind[last] == COMPUTE, COMPUTE_LAST, out_kind[last])
    ends_sending = second[last] & (out_kind[last] == SENT)
    out_kind[last[ends_sending]] = SENT_LAST

    return Lowered(
        op=value << KIND_BITS | out_kind,
        first=first,
        source_op=source_op,
        key=np.stack([source[sample], target[sample], packets[talks][sample], first_message], axis=1),
        message=message,
        by_rendezvous=int((large & sends & (peer != task)).sum()),
        interleaved=config.interleaves(program),
    )


def looped(program: Program, lowered: Lowered) -> Lowered:
    """Return the words with the iterations of each task in a loop, and once more after the loop.

    The end of a task is then the same as without a loop. Waits by rendezvous are counted within an iteration:
    before the loop begins again, the messages of the completed iteration are subtracted.
    """
    begin, end, _ = block(program)
    check_requests(program, begin, end)
    here, there = np.searchsorted(lowered.source_op, [begin, end])
    length = there - here
    some = length > 0
    body = lowered.op[ranges(here, there)]
    sent, used, requested, posted, begun, asking = (
        _times_in(body, kind, lowered.key) for kind in (SEND, RECV, ASK, POST, BEGIN, BEGIN_ASKING)
    )
    sent, requested = sent + begun, requested + asking
    # Of each task, the words of its loop: what is over, then the way back.
    key = np.concatenate([np.flatnonzero(requested), np.flatnonzero(begun)])
    key_kind = np.repeat([OVER, HANDED_OVER], [np.count_nonzero(requested), np.count_nonzero(begun)])
    count = np.where(key_kind == OVER, requested[key], begun[key])
    over = (count << KEY_BITS | key) << KIND_BITS | key_kind
    over = over[np.argsort(lowered.key[key, 0], kind="stable")]
    extra = np.bincount(lowered.key[key, 0], minlength=program.tasks) + some
    back = np.cumsum(extra)  # behind those words of each task, which stand behind all others for a moment
    loop = np.empty(back[-1] if len(back) else 0, np.int64)
    ends = np.zeros(len(loop), bool)
    ends[back[some] - 1] = True
    loop[ends] = (length + extra - 1)[some] << KIND_BITS | LOOP
    loop[~ends] = over
    words = np.concatenate([lowered.op, loop])
    source_op = np.concatenate([lowered.source_op, np.repeat(end - 1, extra)])
    back += len(lowered.op)
    starts = np.column_stack([lowered.first[:-1], here, back - extra, here, there])
    stops = np.column_stack([here, there, back, there, lowered.first[1:]])
    index = ranges(starts.ravel(), stops.ravel())
    first = lowered.first + np.concatenate([[0], np.cumsum(length + extra)])
    op = words[index]
    last = np.zeros(len(op), bool)
    last[first[1:][np.diff(first) > 0] - 1] = True
    for ending, passing in ((COMPUTE_LAST, COMPUTE), (SENT_LAST, SENT)):
        early = ~last & (op & ((1 << KIND_BITS) - 1) == ending)
        op[early] += passing - ending
    return replace(
        lowered,
        op=op,
        first=first,
        source_op=source_op[index],
        sent=(sent + requested) * lowered.key[:, 2],
        used=used * lowered.key[:, 2],
        asked=requested,
        posted=posted,
    )


def _times_in(words: Int, kind: int, key: Int) -> Int:
    """Return how many operations of a kind there are for each key."""
    keys = words[words & ((1 << KIND_BITS) - 1) == kind] >> KIND_BITS
    return np.bincount(keys, minlength=len(key)).astype(np.int64)
