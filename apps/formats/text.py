"""The project's own text format: what an MPI tracer saw, and every program.

A line has eight words: ``rank op peer bytes tag comm req gap_us``. The order of lines of different ranks
has no meaning; empty lines and lines that begin with ``#`` are skipped. Peers are world ranks. ``op`` is
one of:

============  ========================================================================================
send, recv    to or from ``peer``; ``req`` is -1
isend, irecv  the same; opens request ``req``, unique within the rank
wait          completes request ``req``
compute       ``bytes`` cycles of computation
coll          the collective that ``tag`` names (one of `netplace.apps.recorded.calls.OPERATIONS`) with root
              ``peer`` among the members of ``comm``; ``req`` lists the bytes for each member where they
              differ (``4,6``), and names the request of one that does not block (``r12``, ``r12:4,6``)
comm          communicator ``comm`` has the ``bytes`` world ranks that ``req`` lists
mark          ``tag`` is ``iter``: iteration ``peer`` begins (-1: the last one ends); or it is
              ``<section>_begin`` or ``<section>_end``; ``warm_iter`` is skipped
============  ========================================================================================

Communicator 0 is the world. A message's tag in the program is ``tag + comm * 2**32``. Collectives become the
messages of `netplace.apps.collectives`, on a tag of their own. ``gap_us`` is the computation before the
line, in us.

A program is written with operations alone: collectives have become messages, tags are whole and communicators
0. A comment in the first line tells the number of tasks. What was written reads back equal.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from netplace.apps.collectives import Collectives
from netplace.apps.formats.assembly import Lines, count_tasks, declaration, in_task_order
from netplace.apps.formats.collective_lines import expand, read_communicators
from netplace.apps.formats.expansion import message_tag
from netplace.apps.formats.table import Table, packed
from netplace.apps.formats.text_calls import open_lines
from netplace.apps.iterations import in_order
from netplace.apps.operation import MOST_CYCLES, MOST_TASKS, Op
from netplace.apps.program import Program
from netplace.apps.recorded.trace import Reading, Trace
from netplace.apps.requests import openers
from netplace.checks import shown

__all__ = ["has_any_collective", "open_text", "read", "recognises", "write"]

COLUMNS = ("rank", "op", "peer", "bytes", "tag", "comm", "req", "gap_us")
_OPERATIONS = {op.name.lower(): int(op) for op in Op}
_COLL, _COMM, _MARK = -1, -2, -3
_KINDS = _OPERATIONS | {"coll": _COLL, "comm": _COMM, "mark": _MARK}
# Collectives beyond those of `collective_lines`: with sizes by member, or a request; alltoallv without sizes.
_ANY_COLLECTIVE = re.compile(
    rb"^\s*\d+\s+coll\s+\S+\s+\S+\s+(?:(?:gatherv|scatterv|alltoallw)\s|alltoallv\s+\S+\s+(?:-1|r)"
    rb"|\S+\s+\S+\s+r|(?!alltoallv\s)\S+\s+\S+\s+\d)",
    re.MULTILINE,
)
_MOST = {"peer": 1 << 31, "comm": 1 << 30, "req": 1 << 31}


def recognises(path: Path, head: bytes) -> bool:
    """Tell whether the first line that is no comment has the eight words of this format."""
    for line in head.split(b"\n"):
        words = line.split()
        if words and not words[0].startswith(b"#"):
            return len(words) == len(COLUMNS) and words[1].decode("ascii", "replace") in _KINDS
    return False


def open_text(path: Path, reading: Reading) -> Trace:
    """Open a trace in the text format; see `netplace.apps.formats.open_trace`."""
    return open_lines(path, reading, parsed)


def has_any_collective(text: bytes) -> bool:
    """Tell whether a text has collectives that only `open_text` reads."""
    return b"coll" in text and _ANY_COLLECTIVE.search(text) is not None


def parsed(text: bytes, before: int) -> tuple[Table, Lines]:
    """Return lines of the text format and what each says, in the order of the file.

    Collectives, communicators and marks have kinds -1, -2 and -3.

    Raises
    ------
    TraceError
        If a line is none; lines are counted from `before`.
    """
    table = Table(text, before)
    _check_columns(table)
    rows = np.arange(len(table))
    return table, _lines(table, rows, table.integers(rows, 0, "rank"), MOST_TASKS, 0.0)


def read(
    text: bytes,
    cycles_per_us: float = 0.0,
    tasks: int | None = None,
    collectives: Collectives | None = None,
) -> Program:
    """Read a program from the text format; see `netplace.apps.formats.read`."""
    table = Table(text)
    _check_columns(table)
    rank = table.integers(np.arange(len(table)), 0, "rank")
    tasks = count_tasks(text, int(rank.max(initial=-1)), tasks)
    rows = in_task_order(rank)
    lines = _lines(table, rows, rank[rows], tasks, cycles_per_us)
    communicators = read_communicators(table, rows, lines, lines.kind == _COMM)
    lines.blocks = expand(table, rows, lines, lines.kind == _COLL, communicators, collectives)
    _read_marks(table, rows, lines)
    return lines.program()


def _check_columns(table: Table) -> None:
    if (table.columns != len(COLUMNS)).any():
        row = int((table.columns != len(COLUMNS)).argmax())
        raise table.fault(
            row, f"has {table.columns[row]} words, expected {len(COLUMNS)}: {' '.join(COLUMNS)}"
        )


def _lines(
    table: Table, rows: NDArray[np.int64], rank: NDArray[np.int64], tasks: int, cycles_per_us: float
) -> Lines:
    kind = _kinds(table, rows)
    peer = table.integers(rows, 2, "peer", -1)
    size = table.integers(rows, 3, "bytes")
    too_long = (kind == Op.COMPUTE) & (size >= MOST_CYCLES)
    _refuse(table, rows, too_long, "a compute must be less than 2**59 cycles", column=3)
    comm = table.integers(rows, 5, "comm")
    before = np.rint(table.reals(rows, 7, "gap_us") * cycles_per_us)
    _refuse(table, rows, before >= MOST_CYCLES, "gap_us must be less than 2**59 cycles", column=7)
    messages = np.isin(kind, (Op.SEND, Op.ISEND, Op.RECV, Op.IRECV))
    requests = np.isin(kind, (Op.ISEND, Op.IRECV, Op.WAIT))
    tag, request = np.zeros_like(kind), np.full_like(kind, -1)
    tag[messages] = table.integers(rows[messages], 4, "tag of a message")
    request[requests] = table.integers(rows[requests], 6, "req of a request")
    for name, column in (("peer", peer), ("comm", comm), ("req", request)):
        _refuse(table, rows, column >= _MOST[name], f"{name} must be less than {_MOST[name]}")
    strange = messages & ((peer < 0) | (peer >= tasks))
    _refuse(table, rows, strange, f"peer must be a rank from 0 to {tasks - 1}")
    tag[messages] = message_tag(comm[messages], tag[messages])
    return Lines(
        tasks=tasks,
        task=rank,
        line=table.line[rows],
        kind=kind,
        peer=np.where(messages, peer, -1),
        size=np.where(kind == Op.WAIT, 0, size),
        tag=tag,
        request=request,
        before=before.astype(np.int64),
    )


def _kinds(table: Table, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    words = table.words(rows, 1)
    kind = np.zeros(len(rows), np.int64)
    known = np.zeros(len(rows), bool)
    for name, number in _KINDS.items():
        here = words == packed(name)
        kind[here] = number
        known |= here
    _refuse(table, rows, ~known, f"op must be one of {', '.join(_KINDS)}", column=1)
    return kind


def _refuse(
    table: Table, rows: NDArray[np.int64], wrong: NDArray[np.bool_], reason: str, column: int | None = None
) -> None:
    if wrong.any():
        row = rows[[int(wrong.argmax())]]
        what = "" if column is None else f", not {shown(table.texts(row, column)[0])}"
        raise table.fault(int(row[0]), reason + what)


def _read_marks(table: Table, rows: NDArray[np.int64], lines: Lines) -> None:
    places = np.flatnonzero(lines.kind == _MARK)
    numbers = table.integers(rows[places], 2, "number of a mark", -1)
    sections: dict[str, NDArray[np.int64]] = {}
    for place, number, word in zip(
        places.tolist(), numbers.tolist(), table.texts(rows[places], 4), strict=True
    ):
        name, _, side = word.rpartition("_")
        if word == "iter":
            lines.marks.append((place, number))
        elif side in ("begin", "end") and name:
            bounds = sections.setdefault(name, np.full((lines.tasks, 2), -1, np.int64))
            column = int(side == "end")
            if bounds[lines.task[place], column] >= 0 or (column and bounds[lines.task[place], 0] < 0):
                raise table.fault(int(rows[place]), f"mark {word} stands here twice or before its beginning")
            bounds[lines.task[place], column] = place
        elif word != "warm_iter":
            raise table.fault(
                int(rows[place]), f"mark {word!r} is none of iter, <section>_begin, <section>_end"
            )
    for name, bounds in sections.items():
        if (bounds < 0).any():
            task = int((bounds < 0).any(axis=1).argmax())
            raise ValueError(f"section {name!r}: rank {task} does not begin and end it, as others do")
    lines.sections = sections


def write(program: Program) -> bytes:
    """Write a program in the text format; see `netplace.apps.formats.write`."""
    program.check_columns()
    opener = openers(program)
    source = np.where(opener >= 0, opener, np.arange(len(program)))
    names = {number: name for name, number in _OPERATIONS.items()}
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
    header = f"# {program.name or 'program'}; {declaration(program.tasks)}; columns: {' '.join(COLUMNS)}"
    out, done = [header.replace("\n", " ")], 0
    for _, place, _, text in sorted(_mark_lines(program)):
        out += lines[done:place]
        out.append(text)
        done = place
    return ("\n".join(out + lines[done:]) + "\n").encode("ascii", "replace")


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
