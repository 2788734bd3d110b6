"""GOAL, the schedules of LogGOPSim, as text.

``num_ranks N``, then for each rank ``rank R { .. }`` with ``label: send SIZEb to PEER [tag T]``, ``label:
recv SIZEb from PEER [tag T]``, ``label: calc NANOSECONDS`` (the label may be missing), and ``a requires b``
(a begins when b has ended) or ``a irequires b`` (when b has begun). Peer or tag -1 of a recv is any.

What no dependency orders may happen in any order; a program has one. It is that of a run without time in
which each rank does what it can: it waits for a message only when nothing else can begin, and then for those
that have come. Operations on several CPUs of a rank are done one after the other.

Hoefler, Siebert and Lumsdaine, "Group Operation Assembly Language - a flexible way to express collective
communication", ICPP 2009.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from netplace.apps.formats.errors import TraceError, named
from netplace.apps.formats.stream import lines
from netplace.apps.operation import MOST_TASKS
from netplace.apps.recorded.calls import ANY, Batch, Call, CallWriter
from netplace.apps.recorded.trace import Reading, Trace
from netplace.checks import check_size, shown

__all__ = ["open_goal", "recognises"]

_TOKEN = re.compile(r"[{}:]|[^\s{}:]+")
_START = re.compile(rb"\s*num_ranks\s+\d+")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|$)", re.DOTALL)
_OPTIONS = ("tag", "cpu", "nic")
_MOST = 1 << 62
_HELD = 400  # bytes of an operation


@dataclass
class _Operation:
    """An operation of a rank; what it needs by place: `ended` or only `begun`."""

    kind: str
    size: int
    peer: int = -1
    tag: int = 0
    ended: list[int] = field(default_factory=list)
    begun: list[int] = field(default_factory=list)


def recognises(path: Path, head: bytes) -> bool:
    """Tell whether a file begins with the number of ranks."""
    text = re.sub(rb"//[^\n]*|/\*.*?\*/", b"", head[:4096], flags=re.DOTALL)
    return _START.match(text) is not None


def open_goal(path: Path, reading: Reading) -> Trace:
    """Open a schedule in GOAL; see `netplace.apps.formats.open_trace`."""
    trace = Trace(0, iter(()))
    reader = _Reader(path, reading, trace)
    trace.batches = reader.batches()
    return trace


class _Tokens:
    """The words of a file, each with its line."""

    def __init__(self, path: Path, reading: Reading) -> None:
        self._words = self._all(path, reading)
        self._next: tuple[int, str] | None = None
        self.line = 1

    @staticmethod
    def _all(path: Path, reading: Reading) -> Iterator[tuple[int, str]]:
        inside = False
        for number, raw in lines(path, reading):
            text = raw.decode("ascii", "replace")
            if inside:
                _, end, text = text.partition("*/")
                inside = not end
            if not inside and "/" in text:
                last = text.rfind("/*")
                inside = last >= 0 and "*/" not in text[last:] and "//" not in text[:last]
                text = _COMMENT.sub(" ", text)
            if not inside or text:
                for word in _TOKEN.findall(text):
                    yield number, word

    def peek(self) -> str | None:
        """Return the next word and leave it there; None at the end."""
        if self._next is None:
            self._next = next(self._words, None)
        return None if self._next is None else self._next[1]

    def take(self, what: str = "") -> str:
        """Return the next word, which must be `what` if that is said."""
        word = self.peek()
        if word is None or self._next is None:
            raise TraceError(self.line, f"ends too early, expected {what or 'more'}")
        self.line, self._next = self._next[0], None
        if what and word != what:
            raise TraceError(self.line, f"{shown(word)} stands here, expected {what}")
        return word

    def whole(self, what: str, least: int = 0, most: int = _MOST) -> int:
        """Return the next word as a number."""
        word = self.take()
        number = int(word) if re.fullmatch(r"-?\d{1,19}", word) else least - 1
        if not least <= number < most:
            raise TraceError(
                self.line, f"{what} {shown(word)} is not a whole number from {least} to {most - 1}"
            )
        return number


class _Reader:
    def __init__(self, path: Path, reading: Reading, trace: Trace) -> None:
        self._path, self._reading, self._trace = path, reading, trace
        self._writer = CallWriter()
        self._kinds: Counter[str] = Counter()
        self._needs: Counter[str] = Counter()
        self._lengths: dict[int, int] = {}
        self._cpus: set[int] = set()
        self._units = 0

    def batches(self) -> Iterator[Batch]:
        schedules: dict[int, list[_Operation]] = {}
        with named(self._path):
            tokens = _Tokens(self._path, self._reading)
            tokens.take("num_ranks")
            ranks = tokens.whole("number of ranks", 1, MOST_TASKS + 1)
            self._trace.has_ranks(ranks)
            while tokens.peek() is not None:
                tokens.take("rank")
                rank = tokens.whole("rank", 0, ranks)
                if rank in self._lengths:
                    raise TraceError(tokens.line, f"rank {rank} stands here twice")
                operations = self._block(tokens, ranks)
                self._lengths[rank] = len(operations)
                if self._reading.in_order:
                    schedules[rank] = operations
                else:
                    for each in operations:
                        self._add(rank, each, -1)
                        yield from self._writer.full()
        for rank, operation, request in _ordered(schedules):
            if operation is None:
                self._writer.add(rank, Call.WAIT, request=request)
            else:
                self._add(rank, operation, request)
            yield from self._writer.full()
        yield from self._writer.rest()
        self._tell()

    def _add(self, rank: int, operation: _Operation, request: int) -> None:
        if operation.kind == "calc":
            self._writer.add(rank, Call.COMPUTE, gap=operation.size * 1e-9)
            return
        kind = Call.ISEND if operation.kind == "send" else Call.IRECV
        wild = (operation.peer == ANY) + 2 * (operation.tag == ANY) if kind == Call.IRECV else 0
        self._writer.add(
            rank, kind, operation.peer, operation.size, operation.tag, request=request, wild=wild
        )

    def _tell(self) -> None:
        ranks = range(self._trace.ranks)
        self._trace.facts.update(
            format="goal",
            operations={**{kind: self._kinds[kind] for kind in ("send", "recv", "calc")}},
            operations_of_rank=[self._lengths.get(rank, 0) for rank in ranks],
            dependencies={kind: self._needs[kind] for kind in ("requires", "irequires")},
            compute_units=self._units,
        )
        if len(self._cpus) > 1:
            self._trace.notes.append(
                f"ranks compute on {len(self._cpus)} CPUs at once, replayed one after the other"
            )

    def _block(self, tokens: _Tokens, ranks: int) -> list[_Operation]:
        """Return the operations between the braces of a rank."""
        tokens.take("{")
        operations: list[_Operation] = []
        labels: dict[str, int] = {}
        before = sum(self._lengths.values()) if self._reading.in_order else 0
        while (word := tokens.take()) != "}":
            held = before + len(operations)
            check_size(held, _HELD, "operations that must be held", str(self._path))
            if word in ("send", "recv", "calc") and tokens.peek() != ":":
                operations.append(self._operation(word, tokens, ranks))
            elif tokens.peek() == ":":
                tokens.take(":")
                if word in labels:
                    raise TraceError(tokens.line, f"label {shown(word)} stands here twice")
                labels[word] = len(operations)
                operations.append(self._operation(tokens.take(), tokens, ranks))
            else:
                self._dependency(word, tokens, labels, operations)
        return operations

    def _dependency(
        self, word: str, tokens: _Tokens, labels: dict[str, int], operations: list[_Operation]
    ) -> None:
        how = tokens.take()
        if how not in ("requires", "irequires"):
            raise TraceError(
                tokens.line,
                f"{shown(word + ' ' + how)} is no operation, expected send, recv, calc or requires",
            )
        other = tokens.take()
        for label in (word, other):
            if label not in labels:
                raise TraceError(tokens.line, f"label {shown(label)} is not defined above")
        self._needs[how] += 1
        needs = operations[labels[word]]
        (needs.ended if how == "requires" else needs.begun).append(labels[other])

    def _operation(self, kind: str, tokens: _Tokens, ranks: int) -> _Operation:
        self._kinds[kind] += 1
        if kind == "calc":
            operation = _Operation(kind, tokens.whole("calc"))
            self._units += operation.size
        elif kind in ("send", "recv"):
            operation = _Operation(kind, self._bytes(tokens))
            tokens.take("to" if kind == "send" else "from")
            operation.peer = tokens.whole("peer", -1 if kind == "recv" else 0, ranks)
        else:
            raise TraceError(tokens.line, f"{shown(kind)} is no operation, expected send, recv or calc")
        while tokens.peek() in _OPTIONS:
            option = tokens.take()
            value = tokens.whole(option, -1 if (option, kind) == ("tag", "recv") else 0)
            if option == "tag":
                operation.tag = value
            elif option == "cpu" and kind == "calc":
                self._cpus.add(value)
        return operation

    @staticmethod
    def _bytes(tokens: _Tokens) -> int:
        word = tokens.take()
        if not re.fullmatch(r"\d{1,18}b", word):
            raise TraceError(tokens.line, f"size {shown(word)} is not a number of bytes such as 64b")
        return int(word[:-1])


def _ordered(schedules: dict[int, list[_Operation]]) -> Iterator[tuple[int, _Operation | None, int]]:
    """Yield operations, or None for a wait, with their requests, in an order that comes to its end.

    Raises
    ------
    ValueError
        If what a rank waits for never comes.
    """
    ranks = {rank: _Schedule(rank, operations) for rank, operations in schedules.items()}
    came: dict[int, deque[tuple[int, int]]] = defaultdict(deque)
    posted: dict[int, list[int]] = defaultdict(list)
    todo = deque(sorted(ranks))
    while todo:
        rank = todo.popleft()
        schedule = ranks[rank]
        for place, operation in schedule.begin():
            yield rank, operation, -1 if operation.kind == "calc" else place
            if operation.kind == "recv":
                posted[rank].append(place)
                _match(schedule, came[rank], posted[rank])
            elif operation.kind == "send" and operation.peer in ranks:
                came[operation.peer].append((rank, operation.tag))
                if _match(ranks[operation.peer], came[operation.peer], posted[operation.peer]):
                    todo.append(operation.peer)
        for place in schedule.arrive():
            yield rank, None, place
            todo.append(rank)
    for rank, schedule in sorted(ranks.items()):
        for place in schedule.left():
            yield rank, None, place
        schedule.check()


def _match(schedule: _Schedule, came: deque[tuple[int, int]], posted: list[int]) -> bool:
    """Give the receives of a rank the messages that have come, in order; tell whether any got one."""
    found = False
    for place in list(posted):
        operation = schedule.operations[place]
        for message in came:
            if operation.peer in (ANY, message[0]) and operation.tag in (ANY, message[1]):
                came.remove(message)
                posted.remove(place)
                schedule.arrived.append(place)
                found = True
                break
    return found


class _Schedule:
    """The operations of a rank, and how far it has come."""

    def __init__(self, rank: int, operations: list[_Operation]) -> None:
        self.rank, self.operations = rank, operations
        self.arrived: list[int] = []
        self._needs = [len(item.ended) + len(item.begun) for item in operations]
        self._after_end: dict[int, list[int]] = defaultdict(list)
        self._after_begin: dict[int, list[int]] = defaultdict(list)
        for place, item in enumerate(operations):
            for other in item.ended:
                self._after_end[other].append(place)
            for other in item.begun:
                self._after_begin[other].append(place)
        self._ready = deque(place for place, needs in enumerate(self._needs) if not needs)
        self._done = 0
        self._waited: set[int] = set()

    def begin(self) -> Iterator[tuple[int, _Operation]]:
        """Yield what can begin, one after the other."""
        while self._ready:
            place = self._ready.popleft()
            operation = self.operations[place]
            self._done += 1
            self._release(self._after_begin[place])
            if operation.kind != "recv":
                self._release(self._after_end[place])
            yield place, operation

    def arrive(self) -> Iterator[int]:
        """Yield receives that have come and that something waits for; what waited can begin now."""
        arrived, self.arrived = self.arrived, []
        for place in arrived:
            if self._after_end[place]:
                self._waited.add(place)
                self._release(self._after_end[place])
                yield place

    def left(self) -> Iterator[int]:
        """Yield what nothing has waited for."""
        for place, operation in enumerate(self.operations):
            if operation.kind != "calc" and place not in self._waited and not self._needs[place]:
                yield place

    def check(self) -> None:
        """Refuse a schedule that has not come to its end because operations wait for each other."""
        if self._done < len(self.operations):
            place = next(place for place, needs in enumerate(self._needs) if needs)
            item = self.operations[place]
            raise ValueError(
                f"rank {self.rank}, operation {place} ({item.kind}) never begins: what it requires never "
                "ends, for want of a message or because of a circle"
            )

    def _release(self, places: list[int]) -> None:
        for place in places:
            self._needs[place] -= 1
            if not self._needs[place]:
                self._ready.append(place)
