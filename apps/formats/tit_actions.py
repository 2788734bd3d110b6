"""The actions of a time-independent trace of SimGrid: the calls that each adds."""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from netplace.apps.formats.stream import TraceError, blocks
from netplace.apps.operation import MOST_TASKS
from netplace.apps.recorded.calls import OPERATIONS, Call, CallWriter
from netplace.apps.recorded.trace import Reading
from netplace.inputs import abbreviate

_MOST = 1 << 62


@dataclass(frozen=True)
class Action:
    """A line: its number, its rank, its name and its arguments."""

    number: int
    rank: int
    name: str
    words: list[str]

    def has(self, minimum: int) -> None:
        """Raise TraceError if there are fewer arguments."""
        if len(self.words) < minimum:
            raise TraceError(
                self.number, f"{self.name} has {len(self.words)} arguments, expected at least {minimum}"
            )

    def integer(self, place: int, label: str = "count", default: int | None = None) -> int:
        """Return the number at `place` of the arguments."""
        if place >= len(self.words) and default is not None:
            return default
        self.has(place + 1)
        return whole_of(
            self.number, self.words[place], label, MOST_TASKS if label in ("rank", "root") else _MOST
        )

    def fits(self, size: int) -> int:
        """Return a number of bytes; raise TraceError if it is too large."""
        if size >= _MOST:
            raise TraceError(self.number, f"{size} bytes are too many, expected less than 2**62")
        return size


def whole_of(number: int, word: str, label: str, maximum: int) -> int:
    """Return the whole number that a word contains, possibly written as ``5e4``."""
    try:
        value = int(word) if word.isdecimal() and len(word) < 20 else _integer(float(word))
    except (ValueError, OverflowError):
        value = -1
    if not 0 <= value < maximum:
        raise TraceError(
            number, f"{label} {abbreviate(word)} is not a whole number of at least 0 and less than {maximum}"
        )
    return value


def _integer(value: float) -> int:
    return int(value) if value == int(value) or value >= 0 else -1


# Bytes of the types by number; those above 6 have had other numbers in other releases.
_TYPE_BYTES = (8, 4, 1, 2, 8, 4, 1, 8, 1, 1, 2, 4, 8, 8, 16, 4, 1, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16, 32, 8, 8)
_INIT = re.compile(rb"(?:^|\n)[ \t]*(\d+)[ \t]+init\b", re.IGNORECASE)
_NAMES = {"reducescatter": "reduce_scatter"}


@dataclass
class Calls:
    """The calls so far."""

    path: Path  # the first file of the trace
    reading: Reading  # how it is read
    ranks: int | None  # number of ranks, if it is known before the end
    writer: CallWriter = field(default_factory=CallWriter)
    # Requests so far, and those that are open by source, destination and tag.
    requests: Counter[int] = field(default_factory=Counter)
    open: dict[int, dict[tuple[int, int, int], deque[int]]] = field(default_factory=dict)
    gaps: dict[int, float] = field(default_factory=dict)  # seconds of computation before the next call
    doubles: set[int] = field(default_factory=set)  # ranks whose counts are of doubles
    types: set[int] = field(default_factory=set)  # numbers of types
    largest: int = -1  # largest rank that a line names

    @property
    def world(self) -> int:
        """Number of ranks, which v-variants need before the end: of one file, that of its ``init`` lines."""
        if self.ranks is None:
            largest = -1
            for block in blocks(self.path, Reading()):
                largest = max(largest, max(map(int, _INIT.findall(block)), default=-1))
            self.ranks = min(largest, MOST_TASKS) + 1
        return self.ranks

    def bytes_of(self, line: Action, count: int, place: int) -> int:
        """Return the bytes of `count` elements, whose type may be named at `place` of the arguments."""
        if place < len(line.words):
            number = whole_of(line.number, line.words[place], "type", _MOST)
            if number >= len(_TYPE_BYTES):
                raise TraceError(line.number, f"unknown type {number}, expected 0 to {len(_TYPE_BYTES) - 1}")
            self.types.add(number)
            size = _TYPE_BYTES[number]
        else:
            size = 8 if line.rank in self.doubles else 1
        return line.fits(count * size)

    def add(
        self, line: Action, kind: int, peer: int = -1, size: int = 0, tag: int = 0, request: int = -1
    ) -> None:
        self.largest = max(self.largest, peer)
        gap = self.gaps.pop(line.rank, 0.0)
        self.writer.add(line.rank, kind, peer, size, tag, request=request, gap=gap)

    def opens(self, line: Action, kind: int, peer: int, size: int, tag: int) -> int:
        request = self.requests[line.rank]
        self.requests[line.rank] += 1
        self.add(line, kind, peer, size, tag, request)
        return request


NOTHING = {
    *("init", "finalize", "comm_size", "comm_rank", "comm_split", "comm_dup", "comm_free"),
    *("test", "testall", "testany", "probe", "location"),
}


def _message(kind: int) -> Callable[[Calls, Action], None]:
    def add(calls: Calls, line: Action) -> None:
        line.has(3)
        peer, tag = line.integer(0, "rank"), line.integer(1, "tag")
        size = calls.bytes_of(line, line.integer(2), 3)
        if kind in (Call.SEND, Call.RECV):
            calls.add(line, kind, peer, size, tag)
            return
        request = calls.opens(line, kind, peer, size, tag)
        ends = (line.rank, peer) if kind == Call.ISEND else (peer, line.rank)
        calls.open.setdefault(line.rank, defaultdict(deque))[*ends, tag].append(request)

    return add


def _sendrecv(calls: Calls, line: Action) -> None:
    received = calls.bytes_of(line, line.integer(2), 5)
    request = calls.opens(line, Call.IRECV, line.integer(3, "rank"), received, 0)
    calls.add(line, Call.SEND, line.integer(1, "rank"), calls.bytes_of(line, line.integer(0), 4), 0)
    calls.add(line, Call.WAIT, request=request)


def _wait(calls: Calls, line: Action) -> None:
    names = calls.open.get(line.rank, {})
    if line.words:
        line.has(3)
        key = (line.integer(0, "rank"), line.integer(1, "rank"), line.integer(2, "tag"))
        waiting = names.get(key)
    else:
        waiting = max((item for item in names.values() if item), key=lambda item: item[-1], default=None)
    if waiting:
        calls.add(line, Call.WAIT, request=waiting.popleft() if line.words else waiting.pop())


def _waitall(calls: Calls, line: Action) -> None:
    names = calls.open.get(line.rank, {})
    for request in sorted(request for waiting in names.values() for request in waiting):
        calls.add(line, Call.WAIT, request=request)
    names.clear()


def _compute(calls: Calls, line: Action) -> None:
    flops = line.integer(0, "flops")
    calls.gaps[line.rank] = calls.gaps.get(line.rank, 0.0) + flops / calls.reading.flops


def _sleep(calls: Calls, line: Action) -> None:
    line.has(1)
    try:
        seconds = float(line.words[0])
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise TraceError(line.number, f"sleep of {abbreviate(line.words[0])} is not a number of seconds")
    calls.gaps[line.rank] = calls.gaps.get(line.rank, 0.0) + seconds


@dataclass(frozen=True)
class _Arguments:
    """Where the arguments of a collective are; its bytes and its counts by rank each have a type."""

    size: tuple[int, int] | None = None  # without it, the sum of the counts
    root: int | None = None
    flops: int | None = None
    counts: tuple[int, int] | None = None  # place of the first


# By the number of ranks, which is that of the counts.
_COLLECTIVES: dict[str, Callable[[int], _Arguments]] = {
    "barrier": lambda _: _Arguments(),
    "bcast": lambda _: _Arguments((0, 2), root=1),
    "reduce": lambda _: _Arguments((0, 3), root=2, flops=1),
    **dict.fromkeys(("allreduce", "scan", "exscan"), lambda _: _Arguments((0, 2), flops=1)),
    "gather": lambda _: _Arguments((0, 3), root=2),
    "scatter": lambda _: _Arguments((1, 4), root=2),
    **dict.fromkeys(("allgather", "alltoall"), lambda _: _Arguments((0, 2))),
    "gatherv": lambda ranks: _Arguments((0, ranks + 2), root=ranks + 1, counts=(1, ranks + 3)),
    "scatterv": lambda ranks: _Arguments((ranks, ranks + 3), root=ranks + 1, counts=(0, ranks + 2)),
    "allgatherv": lambda ranks: _Arguments((0, ranks + 1), counts=(1, ranks + 2)),
    "reducescatter": lambda ranks: _Arguments(flops=ranks, counts=(0, ranks + 1)),
    "alltoallv": lambda ranks: _Arguments(counts=(1, 2 * ranks + 2)),
}
_LEAST = {"gather": 2, "scatter": 2, "allgather": 2, "alltoall": 2}  # arguments


def _collective(calls: Calls, line: Action) -> None:
    """Add a collective, and its computation after its messages."""
    ranks = calls.world if line.name.endswith(("v", "reducescatter")) else 0
    at = _COLLECTIVES[line.name](ranks)
    line.has(2 * ranks + 2 if line.name == "alltoallv" else _LEAST.get(line.name, 0))
    size, sizes = 0, None
    if at.counts:
        first, kind = at.counts
        sizes = [calls.bytes_of(line, line.integer(first + rank), kind) for rank in range(ranks)]
        size = line.fits(sum(sizes))
    if at.size:
        size = calls.bytes_of(line, line.integer(at.size[0]), at.size[1])
    root = -1 if at.root is None else line.integer(at.root, "root", 0)
    flops = 0 if at.flops is None else line.integer(at.flops, "flops")
    calls.largest = max(calls.largest, root)
    tag = OPERATIONS.index(_NAMES.get(line.name, line.name))
    gap = calls.gaps.pop(line.rank, 0.0)
    calls.writer.add(line.rank, Call.COLLECTIVE, root, size, tag, gap=gap, sizes=sizes)
    if flops:
        calls.writer.add(line.rank, Call.REDUCTION, gap=flops / calls.reading.flops)


ACTIONS: dict[str, Callable[[Calls, Action], None]] = {
    "send": _message(Call.SEND),
    "isend": _message(Call.ISEND),
    "recv": _message(Call.RECV),
    "irecv": _message(Call.IRECV),
    "sendrecv": _sendrecv,
    "wait": _wait,
    "waitall": _waitall,
    "compute": _compute,
    "sleep": _sleep,
    **dict.fromkeys(_COLLECTIVES, _collective),
}
