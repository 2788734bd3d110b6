"""Paraver's ``.prv``, as Extrae writes it.

Only the first application in a file is read; its tasks are the ranks. State 1 (Running) of the first thread
of a task is computation. Communication records are messages with their actual partners, so wildcard receives
cannot be recognized. A record does not contain the kind of send: the surrounding MPI call determines it, by
Extrae's numbers of calls or by the ``.pcf`` next to the file. A non-blocking send is assumed to be waited for
in the first later call that completes requests, and a receive in the call during which it arrived.
Collectives are events with the sizes that Extrae gives them.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from netplace.apps.formats.stream import TraceError, lines, named
from netplace.apps.operation import MOST_TASKS
from netplace.apps.recorded.calls import OPERATIONS, Batch, Call, CallWriter
from netplace.apps.recorded.trace import Reading, Trace, ignorable
from netplace.inputs import abbreviate, check_size

_MPI = (50000001, 50000002, 50000003)
# Numbers of Extrae, for files without a .pcf.
_EXTRAE = """
Send Recv Isend Irecv Wait Waitall Bcast Barrier Reduce Allreduce Alltoall Alltoallv Gather Gatherv
Scatter Scatterv Allgather Allgatherv Comm_rank Comm_size Comm_create Comm_dup Comm_split Comm_group
Comm_free Comm_remote_group Comm_remote_size Comm_test_inter Comm_compare Scan Init Finalize Bsend
Ssend Rsend Ibsend Issend Irsend Test Cancel Sendrecv Sendrecv_replace Cart_create
"""
_VALUE = re.compile(r"(\d+)\s+(MPI_\w+)")


def _call_names(path: Path) -> dict[int, str]:
    """Return the names of the calls by number, from the ``.pcf`` next to a ``.prv`` if there is one."""
    names = {number: f"MPI_{name}" for number, name in enumerate(_EXTRAE.split(), 1)}
    name = path.name.removesuffix(".gz")
    stem = name.removesuffix(".prv")
    for companion in (path.with_name(f"{stem}.pcf"), path.with_name(f"{stem}.pcf.gz")):
        if companion.is_file():
            return names | _listed_names(companion)
    return names


def _listed_names(path: Path) -> dict[int, str]:
    names: dict[int, str] = {}
    calls = False
    for _, raw in lines(path, Reading()):
        words = raw.decode("utf-8", "replace").split()
        if words[:1] == ["EVENT_TYPE"]:
            calls = False
        elif len(words) > 2 and words[1].isdecimal() and int(words[1]) in _MPI:
            calls = True
        elif calls and (match := _VALUE.match(" ".join(words))):
            names[int(match[1])] = match[2]
    return names


_POSTED = {int(Call.SEND): int(Call.ISEND), int(Call.RECV): int(Call.IRECV)}
_COMPLETING = ("MPI_Wait", "MPI_Test")  # and what begins so
# Kind and peer as `CallWriter.add` has them, the time in the trace's unit, and the other values.
Row = tuple[int, int, int, dict[str, Any]]


class _Task:
    def __init__(self) -> None:
        self.sends: list[tuple[int, int, int, int]] = []  # time of the call, destination, bytes, tag
        # Time at which it was posted and at which it had come, source, bytes, tag.
        self.receives: list[tuple[int, int, int, int, int]] = []
        self._intervals: list[tuple[int, int, int]] = []
        self._open: tuple[int, int] | None = None

    def event(self, time: int, value: int, keep: bool) -> None:
        """Take the begin of an MPI call, or with a value of 0 its end."""
        if value:
            self._open = (time, value)
        elif self._open is not None:
            begin, call = self._open
            self._open = None
            if keep:
                self._intervals.append((begin, time, call))

    def calls(self, names: dict[int, str]) -> Iterator[Row]:
        """Yield messages and waits; not in order, but with their times."""
        self._intervals.sort()
        begins = [begin for begin, _, _ in self._intervals]
        completing = [
            (begin, end)
            for begin, end, call in self._intervals
            if names.get(call, "").startswith(_COMPLETING)
        ]
        starts, ends = [begin for begin, _ in completing], [end for _, end in completing]
        messages = [(int(Call.SEND), time, time, *rest) for time, *rest in sorted(self.sends)]
        messages += [(int(Call.RECV), *rest) for rest in sorted(self.receives)]
        for request, (kind, time, came, peer, size, tag) in enumerate(messages):
            name, end = self._at(time, begins, names)
            message = {"size": size, "tag": tag}
            if not (name.startswith("MPI_I") or "endrecv" in name):
                yield kind, peer, time, message
                continue
            yield _POSTED[kind], peer, time, message | {"request": request}
            if name.startswith("MPI_I"):
                # A send is waited for by the next call that completes something, a receive once it has come.
                place = bisect.bisect_left(
                    *((starts, time) if kind == Call.SEND else (ends, max(came, time + 1)))
                )
                if place == len(ends):
                    continue
                end = ends[place]
            yield Call.WAIT, -1, end, {"request": request}

    def _at(self, time: int, begins: list[int], names: dict[int, str]) -> tuple[str, int]:
        place = bisect.bisect_right(begins, time) - 1
        if place < 0 or self._intervals[place][1] < time:
            return "", time
        _, end, call = self._intervals[place]
        return names.get(call, ""), end


_HEADER = re.compile(
    r"#Paraver \(.*?\):(\d+)(_ns)?:(?:\d+\([\d,]*\)|\d+):(\d+):(\d+)\(([\d:,]*)\)(?:,(\d+))?"
)
_COLLECTIVE = 50000002
_SENT, _RECEIVED, _ROOT, _COMMUNICATOR = 50100001, 50100002, 50100003, 50100004
_RUNNING = 1
_HELD = 250  # bytes of a record


def recognises(path: Path, head: bytes) -> bool:
    return head.startswith(b"#Paraver")


def open_trace(path: Path, reading: Reading) -> Trace:
    with named(path):
        line = next(lines(path, Reading()), (1, b""))[1].decode("utf-8", "replace")
        header = _HEADER.match(line)
        if header is None:
            raise TraceError(1, f"{abbreviate(line)} is not a header of Paraver")
        tasks = int(header[4])
        if not 0 < tasks <= MOST_TASKS:
            raise TraceError(1, f"has {tasks} tasks, expected 1 to {MOST_TASKS}")
    trace = Trace(tasks, iter(()), sorted=False)
    trace.batches = _Reader(path, reading, trace, header).batches()
    return trace


class _Reader:
    def __init__(self, path: Path, reading: Reading, trace: Trace, header: re.Match[str]) -> None:
        self._path, self._reading, self._trace = path, reading, trace
        self._applications = int(header[3])
        self._unit = 1e-9 if header[2] else 1e-6
        self._names = _call_names(path)
        self._writer = CallWriter()
        self._tasks = [_Task() for _ in range(trace.ranks)]
        self._communicators: dict[int, tuple[int, tuple[int, ...]]] = {}
        self._held = 0  # records
        self._world: int | None = None

    def batches(self) -> Iterator[Batch]:
        with named(self._path):
            for number, raw in lines(self._path, self._reading):
                if number > 1 and raw:
                    try:
                        self._read(number, raw)
                    except (ValueError, IndexError) as error:
                        if isinstance(error, TraceError):
                            raise
                        text = raw.decode("ascii", "replace")
                        raise TraceError(number, f"{abbreviate(text)} is not a record of Paraver") from None
                    yield from self._writer.full()
        if self._reading.in_order:
            for rank, task in enumerate(self._tasks):
                for row in task.calls(self._names):
                    self._writer.add(rank, *row[:2], time=row[2] * self._unit, **row[3])
                    yield from self._writer.full()
        yield from self._writer.rest()
        if self._applications > 1:
            self._trace.notes.append(f"only the first of {self._applications} applications is read")

    def _read(self, number: int, raw: bytes) -> None:
        kind = raw[:2]
        if raw[:1] == b"#":
            return
        if kind == b"c:":
            self._communicator(raw)
        elif kind in (b"1:", b"2:", b"3:"):
            fields = list(map(int, raw.rstrip(b":").split(b":")))
            (self._state, self._events, self._message)[fields[0] - 1](number, fields)
        else:
            raise ValueError("unknown record")

    def _communicator(self, raw: bytes) -> None:
        application, own, count, *members = map(int, raw.rstrip(b":").split(b":")[1:])
        if application != 1:
            return
        if count != len(members):
            raise ValueError("a communicator whose size differs")
        ranks = tuple(member - 1 for member in members)
        if ranks == self._trace.communicators[0] and self._world is None:
            self._world = own
        number = 0 if own == self._world else self._trace.communicator(ranks, own)
        self._communicators[own] = (number, ranks)

    def _rank(self, number: int, application: int, task: int) -> int | None:
        """Return the rank of a record, or None if it is of another application."""
        if application != 1:
            return None
        if not 1 <= task <= self._trace.ranks:
            raise TraceError(number, f"refers to task {task}, expected 1 to {self._trace.ranks}")
        return task - 1

    def _state(self, number: int, fields: list[int]) -> None:
        _, _, application, task, thread, begin, end, state = fields
        rank = self._rank(number, application, task)
        if rank is None:
            return
        if end < begin:
            raise TraceError(number, "ends before it begins")
        if state == _RUNNING and thread == 1:
            gap = (end - begin) * self._unit
            self._writer.add(rank, Call.COMPUTE, gap=gap, time=begin * self._unit)

    def _events(self, number: int, fields: list[int]) -> None:
        _, _, application, task, thread, time, *pairs = fields
        self._held += 1
        rank = self._rank(number, application, task)
        if rank is None or thread != 1:
            return
        if len(pairs) % 2:
            raise ValueError("an event without a value")
        values = dict(zip(pairs[::2], pairs[1::2], strict=True))
        for kind in _MPI:
            if (value := values.get(kind)) is not None:
                self._tasks[rank].event(time, value, keep=self._reading.in_order)
                if value:
                    name = self._names.get(value, f"MPI call {value}")
                    self._call(number, rank, time, name.removeprefix("MPI_").lower(), kind, values)

    def _call(self, number: int, rank: int, time: int, name: str, kind: int, values: dict[int, int]) -> None:
        if ignorable(name):
            self._trace.left_out[name] += 1
        plain = name[1:] if name.startswith("i") and name[1:] in OPERATIONS else name
        if kind != _COLLECTIVE:
            return
        if plain not in OPERATIONS:
            self._trace.left_out[name] += 1
            return
        own = values.get(_COMMUNICATOR)
        place, members = self._communicators.get(own or 0, (0, self._trace.communicators[0]))
        if rank not in members:
            raise TraceError(number, f"task {rank + 1} is not a member of communicator {own}")
        sent, received = values.get(_SENT, 0), values.get(_RECEIVED, 0)
        size = max(sent, received) if plain == "bcast" else sent
        if plain in ("scatter", "scatterv"):
            size = received
        root = rank if values.get(_ROOT) else -1
        self._writer.add(
            rank,
            Call.COLLECTIVE,
            root,
            size,
            OPERATIONS.index(plain),
            communicator=place,
            time=time * self._unit,
        )

    def _message(self, number: int, fields: list[int]) -> None:
        _, _, application, task, _, sent, _, _, other, to, _, posted, came, size, tag = fields
        self._held += 1
        source, target = self._rank(number, application, task), self._rank(number, other, to)
        if source is None or target is None:
            return
        tag = max(tag, 0)
        if size < 0:
            raise ValueError("a negative size")
        if self._reading.in_order:
            check_size(self._held, _HELD, "records that must be sorted", str(self._path))
            self._tasks[source].sends.append((sent, target, size, tag))
            self._tasks[target].receives.append((posted, came, source, size, tag))
        else:
            self._writer.add(source, Call.SEND, target, size, tag, time=sent * self._unit)
            self._writer.add(target, Call.RECV, source, size, tag, time=posted * self._unit)
