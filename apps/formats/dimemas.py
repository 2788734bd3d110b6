"""The ``.dim`` format of Dimemas (Barcelona Supercomputing Center), read only.

The first line is ``#DIMEMAS:"name":offsets:TASKS(THREADS,THREADS,..),COMMUNICATORS`` (``offsets`` and the
part after the tasks are not needed here), each other one a record of fields with colons between:

=================================================  =======================================================
d:1:COMM:SIZE:TASK:TASK:..                         a communicator; other definitions are skipped
s:..                                               offsets in the file, skipped
0:TASK:THREAD                                      nothing
1:TASK:THREAD:SECONDS                              a CPU burst
2:TASK:THREAD:DST[:THREAD]:BYTES:TAG:COMM:MODE     a send
3:TASK:THREAD:SRC[:THREAD]:BYTES:TAG:COMM:TYPE     0 receive, 1 post a receive, 2 wait for a posted one
10:TASK:THREAD:OP:COMM:ROOT:THREAD:SENT:RECEIVED   an operation of `netplace.apps.formats.dimemas`
20:TASK:THREAD:TYPE:VALUE                          an event, skipped
=================================================  =======================================================

If descriptions of the format are silent, netplace assumes: tasks are world ranks from 0, in messages and as
roots too; every task has one thread, number 0; a wait belongs to the oldest posted receive of the same
source, size, tag and communicator; a send that returns at once (MODE 2 or 3) is a plain send, as no record
waits for it; whether a send waits for its receive (MODE 1 or 3) is up to the network's rendezvous threshold.
A communicator that is not defined is the world.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from netplace.apps.formats.stream import TraceError, count_tasks, named
from netplace.apps.formats.stream import lines as lines_of
from netplace.apps.recorded.calls import OPERATIONS, Batch, CallWriter
from netplace.apps.recorded.calls import Call as Kind
from netplace.apps.recorded.trace import Reading, Trace
from netplace.inputs import abbreviate

# The global operations of Dimemas traces, and what a record's bytes are of.
#
# A record contains the bytes that its task sent and received. Where descriptions of the format are silent, we
# assume: the vector of a broadcast is the larger size that a record names; SENT of an all-to-all is for each
# pair, and that of an all-to-all-v is the total, sent in equal parts.

_ROOTED = (1, 2, 3, 4, 5, 10)
# By number in the file.
NAMES = (
    *("barrier", "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv"),
    *("alltoall", "alltoallv", "reduce", "allreduce", "reduce_scatter", "scan"),
)


def _bytes_of(name: str, sent: int, received: int) -> int:
    """Return the bytes of a call from those that its task sent and received."""
    if name in ("scatter", "scatterv"):
        return received
    return max(sent, received) if name == "bcast" else sent


_HEADER = re.compile(r"#DIMEMAS:.*?:(\d{1,9})\s*\(")
_BURST, _SEND, _RECEIVE, _GLOBAL = "1", "2", "3", "10"
_SKIPPED = ("0", "20", "s")
_FIELDS = {_BURST: (4,), _SEND: (8, 9), _RECEIVE: (8, 9), _GLOBAL: (9,)}


@dataclass(frozen=True)
class _Record:
    """A record of a task: its line, its kind, and its numbers without task and threads."""

    line: int
    kind: str
    task: int
    numbers: tuple[int, ...]
    seconds: float = 0.0  # of a burst


@dataclass
class _Known:
    """How many tasks there are, and the communicators so far."""

    tasks: int
    communicators: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def members(self, communicator: int) -> tuple[int, ...]:
        return self.communicators.get(communicator, tuple(range(self.tasks)))


def recognises(path: Path, head: bytes) -> bool:
    return head.startswith(b"#DIMEMAS")


def open_trace(path: Path, reading: Reading) -> Trace:
    with named(path):
        line = next(lines_of(path, Reading()), (1, b""))[1]
        tasks = _tasks(line.decode("ascii", "replace"), reading.tasks)
    trace = Trace(tasks, iter(()))
    trace.batches = _batches(path, reading, trace)
    return trace


def _batches(path: Path, reading: Reading, trace: Trace) -> Iterator[Batch]:
    """Yield the calls."""
    writer = CallWriter()
    known = _Known(trace.ranks)
    gaps: dict[int, float] = defaultdict(float)
    posted: dict[int, dict[tuple[int, ...], list[int]]] = defaultdict(lambda: defaultdict(list))
    requests = [0] * trace.ranks
    with named(path):
        for number, line in lines_of(path, reading):
            words = line.decode("ascii", "replace").split(":")
            if number == 1 or not line or line.startswith(b"#"):
                continue
            record = _read_record(known, number, words)
            if record is None:
                continue
            task = record.task
            if record.kind == _BURST:
                gaps[task] += record.seconds
                continue
            gap = gaps.pop(task, 0.0)
            if record.kind == _GLOBAL:
                _add_call(trace, writer, known, record, gap)
                yield from writer.full()
                continue
            peer, size, tag, communicator, mode = record.numbers
            members = trace.communicator(known.members(communicator), communicator or None)
            message = {"communicator": members, "gap": gap}
            if record.kind == _SEND or mode == 0:
                kind = Kind.SEND if record.kind == _SEND else Kind.RECV
                writer.add(task, kind, peer, size, tag, **message)  # type: ignore[arg-type]
            elif mode == 1:
                posted[task][peer, size, tag, communicator].append(requests[task])
                writer.add(task, Kind.IRECV, peer, size, tag, request=requests[task], **message)  # type: ignore[arg-type]
                requests[task] += 1
            elif mode == 2 and posted[task][peer, size, tag, communicator]:
                writer.add(
                    task, Kind.WAIT, request=posted[task][peer, size, tag, communicator].pop(0), gap=gap
                )
            elif mode == 2:
                raise TraceError(record.line, "waits for a receive that was never posted")
            else:
                raise TraceError(record.line, f"unknown receive type {mode}, expected 0, 1 or 2")
            yield from writer.full()
    for task, gap in gaps.items():
        writer.add(task, Kind.COMPUTE, gap=gap)
    yield from writer.rest()


def _add_call(trace: Trace, writer: CallWriter, known: _Known, record: _Record, gap: float) -> None:
    operation, communicator, root, _, sent, received = record.numbers
    if not 0 <= operation < len(NAMES):
        raise TraceError(record.line, f"unknown global operation {operation}, expected 0 to 13")
    members = known.members(communicator)
    for task in (record.task, root) if operation in _ROOTED else (record.task,):
        if task not in members:
            raise TraceError(record.line, f"task {task} is not a member of communicator {communicator}")
    name = NAMES[operation]
    writer.add(
        record.task,
        Kind.COLLECTIVE,
        root if operation in _ROOTED else -1,
        _bytes_of(name, sent, received),
        OPERATIONS.index(name),
        communicator=trace.communicator(members, communicator or None),
        gap=gap,
    )


def _tasks(line: str, requested: int | None) -> int:
    header = _HEADER.match(line)
    if header is None:
        raise TraceError(1, "is not a Dimemas header, expected #DIMEMAS:name:offsets:tasks(threads,..)")
    return count_tasks(int(header[1]) - 1, requested)


def _read_record(known: _Known, line: int, words: list[str]) -> _Record | None:
    """Return the record of a task in a line; keep a communicator that the line defines."""
    kind = words[0]
    if kind in _SKIPPED or (kind == "d" and words[1:2] != ["1"]):
        return None
    if kind == "d":
        numbers = _integer(line, words[2:])
        if len(numbers) < 2 or len(numbers) != 2 + numbers[1] or max(numbers[2:], default=-1) >= known.tasks:
            raise TraceError(
                line, f"a communicator needs a size and this number of tasks from 0 to {known.tasks - 1}"
            )
        known.communicators[numbers[0]] = numbers[2:]
        return None
    if kind not in _FIELDS:
        raise TraceError(line, f"unknown record {abbreviate(kind)}, expected d, s, 0, 1, 2, 3, 10 or 20")
    if len(words) not in _FIELDS[kind]:
        raise TraceError(line, f"has {len(words)} fields, expected {' or '.join(map(str, _FIELDS[kind]))}")
    seconds = 0.0
    if kind == _BURST:
        seconds = _seconds(line, words.pop())
    elif len(words) == 9 and kind != _GLOBAL:
        del words[4]
    numbers = _integer(line, words[1:])
    if numbers[1] != 0:
        raise TraceError(
            line, f"belongs to thread {numbers[1]}, but only tasks with one thread, number 0, are supported"
        )
    peers = (numbers[0], numbers[2]) if kind in (_SEND, _RECEIVE) else (numbers[0],)
    if max(peers) >= known.tasks:
        raise TraceError(line, f"refers to task {max(peers)}, expected 0 to {known.tasks - 1}")
    return _Record(line, kind, numbers[0], numbers[2:], seconds)


def _integer(line: int, words: list[str]) -> tuple[int, ...]:
    # A root or thread of -1 means none.
    numbers = [0 if word.strip() == "-1" else word.strip() for word in words]
    if not all(isinstance(word, int) or (word.isdecimal() and len(word) < 19) for word in numbers):
        raise TraceError(line, f"fields {abbreviate(':'.join(words))} must be whole numbers")
    return tuple(map(int, numbers))


def _seconds(line: int, word: str) -> float:
    try:
        seconds = float(word)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < math.inf:
        raise TraceError(line, f"burst of {abbreviate(word)} seconds must be a number of at least 0")
    return seconds
