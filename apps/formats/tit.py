"""SimGrid's time-independent traces: ``RANK action arguments``, in one file, one a rank, or a list of files.

Sizes are counts: of MPI_DOUBLE if ``init`` has an argument, else of bytes, unless the action ends in the
number of a type. Computation is given in flops, so that seconds need a speed (`Reading.flops`). A request is
named by source, destination and tag; of several open ones of one name, a wait completes the oldest. The
outcome of a test is not recorded, so it does nothing here. Communicators are not either: all is on the world.

=====================================  ==================================================================
send, isend, recv, irecv               partner, tag, count [type]
sendrecv                               count, destination, count, source [type, type]
wait [source destination tag]          without arguments: the request that was opened last
waitall                                every open request
bcast                                  count [root [type]]
reduce, allreduce, scan, exscan        count, flops [root, if it has one [type]]
gather, scatter, allgather, alltoall   count sent, count received [root, if it has one [type, type]]
gatherv, allgatherv, scatterv          one count for each rank at the root's or receivers' side
reducescatter                          a count for each rank, flops [type]
alltoallv                              buffer, a count for each rank, buffer, a count for each rank [types]
compute flops, sleep seconds           computation
=====================================  ==================================================================

See SimGrid's documentation on replaying MPI traces; the numbers of types are those of its release 3.36.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from netplace.apps.formats.errors import TraceError, named
from netplace.apps.formats.stream import blocks, head_of, lines
from netplace.apps.operation import MOST_TASKS
from netplace.apps.recorded.calls import OPERATIONS, Batch, Call, CallWriter
from netplace.apps.recorded.trace import Reading, Trace
from netplace.checks import shown

__all__ = ["files", "open_tit", "recognises"]

# Bytes of the types by number; those above 6 have had other numbers in other releases.
_TYPE_BYTES = (8, 4, 1, 2, 8, 4, 1, 8, 1, 1, 2, 4, 8, 8, 16, 4, 1, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16, 32, 8, 8)
_SETTLED_TYPES = 7
_MOST = 1 << 62
_LONGEST_PATH = 250
_LINE = re.compile(rb"\s*\d+(\.0*)?\s+[A-Za-z_]+(\s+[-+.\dA-Za-z]+)*\s*(#.*)?")
_INIT = re.compile(rb"(?:^|\n)[ \t]*(\d+)[ \t]+init\b", re.IGNORECASE)
_NOTHING = {
    *("init", "finalize", "comm_size", "comm_rank", "comm_split", "comm_dup", "comm_free"),
    *("test", "testall", "testany", "probe", "location"),
}
_SHORT, _MOST_WORDS = ("send", "isend", "recv", "irecv", "wait", "compute"), 6
_NAMES = {"reducescatter": "reduce_scatter"}


def recognises(path: Path, head: bytes) -> bool:
    """Tell whether a file begins as such a trace, or as a list of such traces."""
    first = [line for line in head.split(b"\n") if line.strip() and not line.lstrip().startswith(b"#")][:1]
    if not first:
        return False
    words = first[0].split()
    if _LINE.fullmatch(first[0].rstrip(b"\r")) and len(words) >= 2:
        name = words[1].decode("ascii", "replace").lower()
        # The text format has send, recv and wait too, in lines of eight words.
        return name in _known_actions() and not (name in _SHORT and len(words) > _MOST_WORDS)
    listed = _listed(path, head)
    return bool(listed) and listed[0].is_file() and recognises(listed[0], head_of(listed[0]))


def _known_actions() -> set[str]:
    return _NOTHING | _ACTIONS.keys()


def _listed(path: Path, head: bytes) -> list[Path]:
    """Return the files that a list names, each where it is found."""
    words = [line.strip() for line in head.decode("utf-8", "replace").splitlines()]
    words = [word for word in words if word and not word.startswith("#")]
    if not words or any(len(word) > _LONGEST_PATH or not word.isprintable() for word in words):
        return []
    found = []
    for word in words:
        places = (Path(word), path.parent / word, path.parent.parent / word, path.parent / Path(word).name)
        found.append(next((place for place in places if place.is_file() and place != path), places[1]))
    return found


def open_tit(path: Path, reading: Reading) -> Trace:
    """Open a time-independent trace; see `netplace.apps.formats.open_trace`."""
    return _Reader([part for part in files(path) if part != path] or [path], reading).trace


def files(path: Path) -> list[Path]:
    """Return the file itself, and the files that it lists."""
    first = next((line for line in head_of(path).splitlines() if line.strip()), b"")
    if _LINE.fullmatch(first):
        return [path]
    return [path, *_listed(path, b"".join(blocks(path, Reading())))]


@dataclass
class _Reader:
    """Reads the files of a trace one after the other."""

    files: list[Path]
    reading: Reading
    writer: CallWriter = field(default_factory=CallWriter)
    requests: Counter[int] = field(default_factory=Counter)
    open: dict[int, dict[tuple[int, int, int], deque[int]]] = field(default_factory=dict)
    gaps: dict[int, float] = field(default_factory=dict)
    doubles: set[int] = field(default_factory=set)
    actions: Counter[str] = field(default_factory=Counter)
    flops: Counter[int] = field(default_factory=Counter)
    reduced: Counter[int] = field(default_factory=Counter)
    types: set[int] = field(default_factory=set)
    completed: Counter[str] = field(default_factory=Counter)
    largest: int = -1

    def __post_init__(self) -> None:
        self._world: int | None = len(self.files) if len(self.files) > 1 else self.reading.tasks
        self.trace = Trace(self._world or 0, self._batches())

    def _batches(self) -> Iterator[Batch]:
        for path in self.files:
            with named(path):
                for number, line in lines(path, self.reading):
                    if line and not line.startswith(b"#"):
                        self._read(number, line)
                        yield from self.writer.full()
        for rank, gap in self.gaps.items():
            if gap:
                self.writer.add(rank, Call.COMPUTE, gap=gap)
        yield from self.writer.rest()
        self.trace.has_ranks(max(self.largest + 1, self.reading.tasks or 0))
        self._tell()

    def _tell(self) -> None:
        unwaited = {
            str(rank): sum(map(len, names.values()))
            for rank, names in self.open.items()
            if any(names.values())
        }
        ranks = range(self.trace.ranks)
        self.trace.facts.update(
            format="tit",
            actions=dict(sorted(self.actions.items())),
            compute_flops=[self.flops[rank] for rank in ranks],
            compute_flops_inside_collectives=[self.reduced[rank] for rank in ranks],
            datatype_ids=sorted(self.types),
            requests_completed_in=dict(sorted(self.completed.items())),
            requests_never_waited_for=unwaited,
        )
        unsettled = [number for number in sorted(self.types) if number >= _SETTLED_TYPES]
        if unsettled:
            self.trace.notes.append(
                f"the numbers of types differ by release of SimGrid: {', '.join(map(str, unsettled))} are "
                "read as in release 3.36"
            )
        self.trace.notes.append(
            f"computation is recorded in flops, taken as {self.reading.flops:g} a second (--flops)"
        )

    def _read(self, number: int, line: bytes) -> None:
        words = line.partition(b"#")[0].decode("ascii", "replace").split()
        if len(words) < 2:
            raise TraceError(
                number, f"{shown(' '.join(words))} is no action, expected: rank action arguments"
            )
        rank = _whole(number, words[0], "rank", MOST_TASKS)
        name = words[1].lower()
        self.largest = max(self.largest, rank)
        self.actions[name] += 1
        line_of = _Line(number, rank, name, words[2:])
        if name in _NOTHING:
            if name == "init" and words[2:]:
                self.doubles.add(rank)
        elif name in _ACTIONS:
            _ACTIONS[name](self, line_of)
        else:
            raise TraceError(number, f"action {shown(words[1])} is not known")

    @property
    def world(self) -> int:
        """Number of ranks, which v-variants need before the end: of one file, that of its ``init`` lines."""
        if self._world is None:
            largest = -1
            for block in blocks(self.files[0], Reading()):
                largest = max(largest, max(map(int, _INIT.findall(block)), default=-1))
            self._world = min(largest, MOST_TASKS) + 1
        return self._world

    def bytes_of(self, line: _Line, count: int, place: int) -> int:
        """Return the bytes of `count` elements, whose type may be named at `place` of the arguments."""
        if place < len(line.words):
            number = _whole(line.number, line.words[place], "type", _MOST)
            if number >= len(_TYPE_BYTES):
                raise TraceError(
                    line.number, f"type {number} is not known, expected 0 to {len(_TYPE_BYTES) - 1}"
                )
            self.types.add(number)
            size = _TYPE_BYTES[number]
        else:
            size = 8 if line.rank in self.doubles else 1
        return line.fits(count * size)

    def add(
        self, line: _Line, kind: int, peer: int = -1, size: int = 0, tag: int = 0, request: int = -1
    ) -> None:
        """Add a call with the computation before it."""
        self.largest = max(self.largest, peer)
        gap = self.gaps.pop(line.rank, 0.0)
        self.writer.add(line.rank, kind, peer, size, tag, request=request, gap=gap)

    def opens(self, line: _Line, kind: int, peer: int, size: int, tag: int) -> int:
        """Add a non-blocking call and return its request."""
        request = self.requests[line.rank]
        self.requests[line.rank] += 1
        self.add(line, kind, peer, size, tag, request)
        return request

    def collective(
        self, line: _Line, size: int, root: int = -1, flops: int = 0, sizes: Sequence[int] | None = None
    ) -> None:
        """Add a collective, and what it computes after its messages."""
        name = _NAMES.get(line.name, line.name)
        gap = self.gaps.pop(line.rank, 0.0)
        self.largest = max(self.largest, root)
        tag = OPERATIONS.index(name)
        self.writer.add(line.rank, Call.COLLECTIVE, root, size, tag, gap=gap, sizes=sizes)
        if flops:
            self.reduced[line.rank] += flops
            self.writer.add(line.rank, Call.REDUCTION, gap=flops / self.reading.flops)


@dataclass(frozen=True)
class _Line:
    """A line: its number, whose it is, and its arguments."""

    number: int
    rank: int
    name: str
    words: list[str]

    def has(self, least: int) -> None:
        if len(self.words) < least:
            raise TraceError(
                self.number, f"{self.name} has {len(self.words)} arguments, expected at least {least}"
            )

    def whole(self, place: int, what: str = "count", default: int | None = None) -> int:
        """Return the number at `place` of the arguments."""
        if place >= len(self.words) and default is not None:
            return default
        self.has(place + 1)
        return _whole(self.number, self.words[place], what, MOST_TASKS if what in ("rank", "root") else _MOST)

    def fits(self, size: int) -> int:
        if size >= _MOST:
            raise TraceError(self.number, f"{size} bytes are too many, expected less than 2**62")
        return size


def _whole(number: int, word: str, what: str, most: int) -> int:
    try:
        value = int(word) if word.isdecimal() and len(word) < 20 else _integer(float(word))
    except (ValueError, OverflowError):
        value = -1
    if not 0 <= value < most:
        raise TraceError(
            number, f"{what} {shown(word)} is not a whole number of at least 0 and less than {most}"
        )
    return value


def _integer(value: float) -> int:
    return int(value) if value == int(value) or value >= 0 else -1


def _message(kind: int) -> Callable[[_Reader, _Line], None]:
    def add(reader: _Reader, line: _Line) -> None:
        line.has(3)
        peer, tag = line.whole(0, "rank"), line.whole(1, "tag")
        size = reader.bytes_of(line, line.whole(2), 3)
        if kind in (Call.SEND, Call.RECV):
            reader.add(line, kind, peer, size, tag)
            return
        request = reader.opens(line, kind, peer, size, tag)
        ends = (line.rank, peer) if kind == Call.ISEND else (peer, line.rank)
        reader.open.setdefault(line.rank, defaultdict(deque))[*ends, tag].append(request)

    return add


def _sendrecv(reader: _Reader, line: _Line) -> None:
    received = reader.bytes_of(line, line.whole(2), 5)
    request = reader.opens(line, Call.IRECV, line.whole(3, "rank"), received, 0)
    reader.add(line, Call.SEND, line.whole(1, "rank"), reader.bytes_of(line, line.whole(0), 4), 0)
    reader.add(line, Call.WAIT, request=request)


def _wait(reader: _Reader, line: _Line) -> None:
    names = reader.open.get(line.rank, {})
    if line.words:
        line.has(3)
        key = (line.whole(0, "rank"), line.whole(1, "rank"), line.whole(2, "tag"))
        waiting = names.get(key)
    else:
        waiting = max((item for item in names.values() if item), key=lambda item: item[-1], default=None)
    if waiting:
        key = next(name for name, item in names.items() if item is waiting)
        reader.completed[f"wait ({'send' if key[0] == line.rank else 'recv'})"] += 1
        reader.add(line, Call.WAIT, request=waiting.popleft() if line.words else waiting.pop())


def _waitall(reader: _Reader, line: _Line) -> None:
    names = reader.open.get(line.rank, {})
    for request, key in sorted((request, key) for key, waiting in names.items() for request in waiting):
        reader.completed[f"waitall ({'send' if key[0] == line.rank else 'recv'})"] += 1
        reader.add(line, Call.WAIT, request=request)
    names.clear()


def _compute(reader: _Reader, line: _Line) -> None:
    flops = line.whole(0, "flops")
    reader.flops[line.rank] += flops
    reader.gaps[line.rank] = reader.gaps.get(line.rank, 0.0) + flops / reader.reading.flops


def _sleep(reader: _Reader, line: _Line) -> None:
    line.has(1)
    try:
        seconds = float(line.words[0])
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise TraceError(line.number, f"sleep of {shown(line.words[0])} is not a number of seconds")
    reader.gaps[line.rank] = reader.gaps.get(line.rank, 0.0) + seconds


def _barrier(reader: _Reader, line: _Line) -> None:
    reader.collective(line, 0)


def _bcast(reader: _Reader, line: _Line) -> None:
    reader.collective(line, reader.bytes_of(line, line.whole(0), 2), line.whole(1, "root", 0))


def _reduction(rooted: bool) -> Callable[[_Reader, _Line], None]:
    def add(reader: _Reader, line: _Line) -> None:
        root = line.whole(2, "root", 0) if rooted else -1
        size = reader.bytes_of(line, line.whole(0), 2 + rooted)
        reader.collective(line, size, root, line.whole(1, "flops"))

    return add


def _exchange(rooted: bool, side: int = 0) -> Callable[[_Reader, _Line], None]:
    def add(reader: _Reader, line: _Line) -> None:
        line.has(2)
        root = line.whole(2, "root", 0) if rooted else -1
        reader.collective(line, reader.bytes_of(line, line.whole(side), 2 + rooted + side), root)

    return add


def _counts(reader: _Reader, line: _Line, begin: int) -> list[int]:
    line.has(begin + reader.world)
    return [line.whole(place) for place in range(begin, begin + reader.world)]


def _gatherv(reader: _Reader, line: _Line) -> None:
    after = 1 + reader.world
    sizes = [reader.bytes_of(line, count, after + 2) for count in _counts(reader, line, 1)]
    size = reader.bytes_of(line, line.whole(0), after + 1)
    reader.collective(line, size, line.whole(after, "root", 0), sizes=sizes)


def _scatterv(reader: _Reader, line: _Line) -> None:
    after = 1 + reader.world
    sizes = [reader.bytes_of(line, count, after + 1) for count in _counts(reader, line, 0)]
    size = reader.bytes_of(line, line.whole(reader.world), after + 2)
    reader.collective(line, size, line.whole(after, "root", 0), sizes=sizes)


def _allgatherv(reader: _Reader, line: _Line) -> None:
    after = 1 + reader.world
    sizes = [reader.bytes_of(line, count, after + 1) for count in _counts(reader, line, 1)]
    reader.collective(line, reader.bytes_of(line, line.whole(0), after), sizes=sizes)


def _reduce_scatter(reader: _Reader, line: _Line) -> None:
    after = reader.world
    sizes = [reader.bytes_of(line, count, after + 1) for count in _counts(reader, line, 0)]
    reader.collective(line, sum(sizes), flops=line.whole(after, "flops"), sizes=sizes)


def _alltoallv(reader: _Reader, line: _Line) -> None:
    world = reader.world
    line.has(2 + 2 * world)
    sizes = [reader.bytes_of(line, count, 2 + 2 * world) for count in _counts(reader, line, 1)]
    reader.collective(line, line.fits(sum(sizes)), sizes=sizes)


_ACTIONS: dict[str, Callable[[_Reader, _Line], None]] = {
    "send": _message(Call.SEND),
    "isend": _message(Call.ISEND),
    "recv": _message(Call.RECV),
    "irecv": _message(Call.IRECV),
    "sendrecv": _sendrecv,
    "wait": _wait,
    "waitall": _waitall,
    "compute": _compute,
    "sleep": _sleep,
    "barrier": _barrier,
    "bcast": _bcast,
    "reduce": _reduction(rooted=True),
    "allreduce": _reduction(rooted=False),
    "scan": _reduction(rooted=False),
    "exscan": _reduction(rooted=False),
    "gather": _exchange(rooted=True),
    "scatter": _exchange(rooted=True, side=1),
    "allgather": _exchange(rooted=False),
    "alltoall": _exchange(rooted=False),
    "gatherv": _gatherv,
    "scatterv": _scatterv,
    "allgatherv": _allgatherv,
    "reducescatter": _reduce_scatter,
    "alltoallv": _alltoallv,
}
