"""Schedules of GOAL: the operations of ranks, and one order in which they can happen.

Without dependencies, operations can happen in any order, but a program has one order. It is that of a run
without time in which each rank does what it can: it waits for a message only when nothing else can begin, and
then for messages that have arrived. Operations on several CPUs of a rank are executed one after the other.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from netplace.apps.formats.stream import named
from netplace.apps.recorded.calls import ANY, Batch, Call, CallWriter
from netplace.apps.recorded.trace import Trace

HELD = 400  # bytes of an operation


@dataclass
class Operation:
    """An operation of a rank, and the places of operations that must have `ended` or `begun` before it."""

    kind: str
    size: int
    peer: int = -1
    tag: int = 0
    cpu: int = 0
    ended: list[int] = field(default_factory=list)
    begun: list[int] = field(default_factory=list)


def batches_of(
    path: Path, schedules: Iterable[tuple[int, list[Operation]]], trace: Trace, in_order: bool
) -> Iterator[Batch]:
    """Yield the calls of the operations of ranks; note what the trace loses.

    `schedules` are read on demand. With `in_order`, operations are put into a possible order, for which all
    of them are held in memory.
    """
    writer = CallWriter()
    cpus: set[int] = set()
    held: dict[int, list[Operation]] = {}
    with named(path):
        for rank, operations in schedules:
            cpus |= {each.cpu for each in operations if each.kind == "calc"}
            if in_order:
                held[rank] = operations
                continue
            for each in operations:
                _add(writer, rank, each, -1)
                yield from writer.full()
    for rank, operation, request in _ordered(held):
        if operation is None:
            writer.add(rank, Call.WAIT, request=request)
        else:
            _add(writer, rank, operation, request)
        yield from writer.full()
    yield from writer.rest()
    if len(cpus) > 1:
        trace.notes.append(
            f"ranks compute on {len(cpus)} CPUs at once, but netplace replays this computation sequentially"
        )


def _add(writer: CallWriter, rank: int, operation: Operation, request: int) -> None:
    if operation.kind == "calc":
        writer.add(rank, Call.COMPUTE, gap=operation.size * 1e-9)
        return
    kind = Call.ISEND if operation.kind == "send" else Call.IRECV
    wild = (operation.peer == ANY) + 2 * (operation.tag == ANY) if kind == Call.IRECV else 0
    writer.add(rank, kind, operation.peer, operation.size, operation.tag, request=request, wild=wild)


def _ordered(schedules: dict[int, list[Operation]]) -> Iterator[tuple[int, Operation | None, int]]:
    """Yield operations, or None for a wait, with their requests, in an order that reaches the end."""
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
    """Give the receives of a rank the messages that have come, in order; return whether any got one."""
    matched = False
    for place in list(posted):
        operation = schedule.operations[place]
        for message in came:
            if operation.peer in (ANY, message[0]) and operation.tag in (ANY, message[1]):
                came.remove(message)
                posted.remove(place)
                schedule.arrived.append(place)
                matched = True
                break
    return matched


class _Schedule:
    """The operations of a rank, and how far it has come."""

    def __init__(self, rank: int, operations: list[Operation]) -> None:
        self.rank, self.operations = rank, operations
        self.arrived: list[int] = []
        self._come: list[int] = []  # receives that have come, and that nothing needs yet
        self._needs_that_came: Counter[int] = Counter()
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

    def begin(self) -> Iterator[tuple[int, Operation]]:
        """Yield the operations that can begin, one after the other."""
        while self._ready:
            place = self._ready.popleft()
            operation = self.operations[place]
            self._done += 1
            self._release(self._after_begin[place])
            if operation.kind != "recv":
                self._release(self._after_end[place])
            yield place, operation

    def arrive(self) -> Iterator[int]:
        """Yield completed receives that are the last requirement of some operation."""
        for place in self.arrived:
            self._come += [place] if self._after_end[place] else []
            for other in self._after_end[place]:
                self._needs_that_came[other] += 1
        self.arrived = []
        for place in list(self._come):
            after = self._after_end[place]
            if any(self._needs[other] == self._needs_that_came[other] for other in after):
                self._come.remove(place)
                self._waited.add(place)
                for other in after:
                    self._needs_that_came[other] -= 1
                self._release(after)
                yield place

    def left(self) -> Iterator[int]:
        """Yield the messages that no operation has waited for."""
        for place, operation in enumerate(self.operations):
            if operation.kind != "calc" and place not in self._waited and not self._needs[place]:
                yield place

    def check(self) -> None:
        """Refuse a schedule that has not reached its end because operations wait for each other."""
        if self._done < len(self.operations):
            place = next(place for place, needs in enumerate(self._needs) if needs)
            item = self.operations[place]
            raise ValueError(
                f"rank {self.rank}, operation {place} ({item.kind}) never begins: its requirements never "
                f"end, because a message is missing or they form a cycle"
            )

    def _release(self, places: list[int]) -> None:
        for place in places:
            self._needs[place] -= 1
            if not self._needs[place]:
                self._ready.append(place)
