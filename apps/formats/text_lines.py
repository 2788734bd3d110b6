"""The lines of the text format: read as a whole, and written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.apps.formats.stream import BY_LENGTH, declaration
from netplace.apps.formats.table import Table, packed
from netplace.apps.formats.writing import Line, Options, lines_of, name_of
from netplace.apps.iterations import in_order
from netplace.apps.operation import MOST_CYCLES, MOST_TASKS, Op
from netplace.apps.program import Program
from netplace.apps.recorded.calls import CALL, ROOTED, Call
from netplace.apps.recorded.settling import UnresolvedError
from netplace.apps.recorded.trace import Trace
from netplace.apps.recorded.wildcards import is_by_length
from netplace.apps.replay import openers
from netplace.inputs import abbreviate

COLUMNS = ("rank", "op", "peer", "bytes", "tag", "comm", "req", "gap_us")
COMMUNICATOR = -1  # the kind of a line that is no call
_OPERATIONS = {
    call.name.lower(): int(call)
    for call in (Call.COMPUTE, Call.SEND, Call.ISEND, Call.RECV, Call.IRECV, Call.WAIT)
}
KINDS = _OPERATIONS | {"coll": int(Call.COLLECTIVE), "comm": COMMUNICATOR, "mark": int(Call.MARK)}
_MESSAGES = (Call.SEND, Call.ISEND, Call.RECV, Call.IRECV)
_REQUESTS = (Call.ISEND, Call.IRECV, Call.WAIT)
_MOST = {"peer": 1 << 31, "comm": 1 << 30, "req": 1 << 31}


@dataclass(frozen=True)
class Lines:
    """Lines of the text format, in the order of the file."""

    table: Table  # their words
    # As in `netplace.apps.recorded.CALL`; kind `COMMUNICATOR` of a line that names one. Tag and request are
    # those of messages and waits only.
    rank: NDArray[np.int64]
    kind: NDArray[np.int64]
    peer: NDArray[np.int64]
    size: NDArray[np.int64]
    tag: NDArray[np.int64]
    communicator: NDArray[np.int64]
    request: NDArray[np.int64]
    gap: NDArray[np.float64]  # seconds of computation before each line

    @property
    def messages(self) -> NDArray[np.bool_]:
        return np.isin(self.kind, _MESSAGES)


def parsed(text: bytes, before: int) -> Lines:
    """Return lines of the text format and their contents."""
    table = Table(text, before)
    _check_columns(table)
    rows = np.arange(len(table))
    rank = table.integers(rows, 0, "rank")
    kind = _kinds(table, rows)
    peer = table.integers(rows, 2, "peer", -1)
    size = table.integers(rows, 3, "bytes")
    too_long = (kind == Call.COMPUTE) & (size >= MOST_CYCLES)
    _refuse(table, too_long, "a compute must be less than 2**59 cycles", column=3)
    communicator = table.integers(rows, 5, "comm")
    messages, requests = np.isin(kind, _MESSAGES), np.isin(kind, _REQUESTS)
    tag, request = np.zeros_like(kind), np.full_like(kind, -1)
    tag[messages] = table.integers(rows[messages], 4, "tag of a message")
    request[requests] = table.integers(rows[requests], 6, "req of a request")
    for name, column in (("peer", peer), ("comm", communicator), ("req", request)):
        _refuse(table, column >= _MOST[name], f"{name} must be less than {_MOST[name]}")
    _refuse(table, rank >= MOST_TASKS, f"ranks must be less than {MOST_TASKS}", column=0)
    strange = messages & ((peer < 0) | (peer >= MOST_TASKS))
    _refuse(table, strange, "peer must be a rank", column=2)
    return Lines(
        table=table,
        rank=rank,
        kind=kind,
        peer=np.where(messages, peer, -1),
        size=np.where(kind == Call.WAIT, 0, size),
        tag=tag,
        communicator=communicator,
        request=request,
        gap=table.reals(rows, 7, "gap_us") * 1e-6,
    )


def _check_columns(table: Table) -> None:
    if (table.columns != len(COLUMNS)).any():
        row = int((table.columns != len(COLUMNS)).argmax())
        raise table.fault(
            row, f"has {table.columns[row]} words, expected {len(COLUMNS)}: {' '.join(COLUMNS)}"
        )


def _kinds(table: Table, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    words = table.words(rows, 1)
    kind = np.zeros(len(rows), np.int64)
    known = np.zeros(len(rows), bool)
    for name, number in KINDS.items():
        here = words == packed(name)
        kind[here] = number
        known |= here
    _refuse(table, ~known, f"op must be one of {', '.join(KINDS)}", column=1)
    return kind


def _refuse(table: Table, wrong: NDArray[np.bool_], reason: str, column: int | None = None) -> None:
    if wrong.any():
        row = int(wrong.argmax())
        label = "" if column is None else f", not {abbreviate(table.texts(np.array([row]), column)[0])}"
        raise table.fault(row, reason + label)


_ON_COMMUNICATORS = frozenset((Call.SEND, Call.ISEND, Call.RECV, Call.IRECV, Call.COLLECTIVE))
_NAMES = {int(call): call.name.lower() for call in Call}


def text_lines(trace: Trace, options: Options) -> Iterator[str]:
    """Yield the lines of a trace, corrected like `netplace.apps.recorded.resolved`, as calls are read."""
    head = f"{declaration(trace.ranks)}; " if trace.ranks else ""
    head += f"{BY_LENGTH}; " if trace.by_length else ""
    yield f"# {head}columns: {' '.join(COLUMNS)}"
    number = {0: 0}
    for line in lines_of(trace.batches):
        if line.kind in _ON_COMMUNICATORS and line.communicator not in number:
            number[line.communicator] = len(number)
            yield from _members(trace.communicators[line.communicator], number[line.communicator])
        if line.kind in (Call.RECV, Call.IRECV) and (line.peer < 0 or line.tag < 0):
            raise UnresolvedError(f"rank {line.rank}: a receive from any source or with any tag")
        yield _line(line, number, trace)


def _members(members: tuple[int, ...], number: int) -> Iterator[str]:
    listed = ",".join(map(str, members))
    for rank in members:
        yield f"{rank} comm -1 {len(members)} 0 {number} {listed} 0.0"


def _line(line: Line, number: dict[int, int], trace: Trace) -> str:
    # To the picosecond: repr of a product would show digits that were never recorded.
    gap = f"{line.gap * 1e6:.6f}".rstrip("0").rstrip(".") if line.gap else "0"
    if line.kind == Call.COLLECTIVE:
        name = name_of(line)
        words = [f"r{line.request}"] if line.request >= 0 else []
        words += [",".join(map(str, line.sizes))] if line.sizes else []
        sizes = ":".join(words) or "-1"
        root = line.peer if name in ROOTED else -1
        if name in ROOTED and root < 0:
            root = (trace.communicators[line.communicator] or (0,))[0]
        return f"{line.rank} coll {root} {line.size} {name} {number[line.communicator]} {sizes} {gap}"
    if line.kind == Call.MARK:
        if not line.tag:
            return f"{line.rank} mark {line.peer} 0 iter 0 -1 {gap}"
        section, end = divmod(line.tag - 1, 2)
        name = trace.sections[section]
        return f"{line.rank} mark 0 0 {name}_{'end' if end else 'begin'} 0 -1 {gap}"
    name = _NAMES[line.kind]
    if line.kind in (Call.WAIT, Call.COMPUTE):
        size = line.size if line.kind == Call.COMPUTE else 0
        return f"{line.rank} {name} -1 {size} 0 0 {line.request} {gap}"
    comm = number[line.communicator]
    return f"{line.rank} {name} {line.peer} {line.size} {line.tag} {comm} {line.request} {gap}"


def write(program: Program) -> bytes:
    """Write a program in the text format; see `netplace.apps.formats.write`."""
    program.check_columns()
    opener = openers(program)
    source = np.where(opener >= 0, opener, np.arange(len(program)))
    names = {int(op): op.name.lower() for op in Op}
    columns = (
        program.task_of(),
        program.kind,
        program.peer[source],
        np.where(opener >= 0, program.size[source], program.size),
        program.tag[source],
        program.request,
    )
    lines = [
        f"{rank} {names[kind]} {peer} {size} {tag} 0 {request} 0.0"
        for rank, kind, peer, size, tag, request in zip(*(c.tolist() for c in columns), strict=True)
    ]
    head = f"{program.name or 'program'}; {declaration(program.tasks)}"
    if _is_by_length(program):
        head += f"; {BY_LENGTH}"
    header = f"# {head}; columns: {' '.join(COLUMNS)}"
    out, done = [header.replace("\n", " ")], 0
    for _, place, _, text in sorted(_mark_lines(program)):
        out += lines[done:place]
        out.append(text)
        done = place
    return ("\n".join(out + lines[done:]) + "\n").encode("ascii", "replace")


def _is_by_length(program: Program) -> bool:
    """Return whether receives of a program find other sends by order alone than by order and length."""
    calls = np.zeros(len(program), CALL)
    calls["rank"] = program.task_of()
    for name in ("kind", "peer", "size", "tag"):
        calls[name] = getattr(program, name)
    return is_by_length(calls)


def _mark_lines(program: Program) -> list[tuple[int, int, int, str]]:
    """Return (task, place, order, line) of each mark; at one place sections begin first and end last."""
    rows = [
        (task, place, 1 + order, f"{task} mark {i} 0 iter 0 -1 0.0")
        for order, (task, place, i) in enumerate(in_order(program.marks).tolist())
    ]
    for name, bounds in program.sections.items():
        for task, (begin, end) in enumerate(bounds.tolist()):
            rows.append((task, begin, 0, f"{task} mark 0 0 {name}_begin 0 -1 0.0"))
            rows.append((task, end, len(program.marks) + 1, f"{task} mark 0 0 {name}_end 0 -1 0.0"))
    return rows
