"""The ``.trc`` format of INSEE: sends, receives and computation.

===================  =================
s FROM TO TAG BYTES  task FROM sends
r FROM TO TAG BYTES  task TO receives
c TASK N             task TASK computes
===================  =================

The program of a task consists of its lines, in file order. Empty lines and lines that begin with ``#`` are
skipped. Computation is in cycles or, with `Reading.trc_ns`, in nanoseconds, which is the default of INSEE: N
nanoseconds are the whole cycles in them. A receive takes a message of its own length, so messages of the same
source and tag can be received in another order of lengths than they are sent.

The format knows nothing of requests and marks. So a program is written as INSEE's users do it: an isend
is a send at its place and the wait for it nothing, an irecv is nothing and the wait for it the receive. A
comment in the first line tells the number of tasks, for tasks that say nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from netplace.apps.formats.stream import (
    count_tasks,
    declaration,
    declared,
    first_line,
    head_of,
    left_out_in,
    named,
    whole_lines,
)
from netplace.apps.formats.table import Table, packed
from netplace.apps.operation import MOST_CYCLES, MOST_TASKS, Op
from netplace.apps.program import Program
from netplace.apps.recorded.calls import CALL, Batch
from netplace.apps.recorded.trace import Reading, Trace
from netplace.apps.replay import openers
from netplace.inputs import abbreviate

_COLUMNS = {"s": 5, "r": 5, "c": 3}


def recognises(path: Path, head: bytes) -> bool:
    return first_line(head).split(maxsplit=1)[:1] in ([b"s"], [b"r"], [b"c"])


def open_trace(path: Path, reading: Reading) -> Trace:
    tasks = reading.tasks or declared(head_of(path))
    trace = Trace(tasks or 0, iter(()), by_length=True)
    trace.batches = _batches(path, reading, trace, tasks)
    return trace


def _batches(path: Path, reading: Reading, trace: Trace, tasks: int | None) -> Iterator[Batch]:
    largest = -1
    with named(path):
        for before, text in whole_lines(path, reading):
            trace.left_out.update(left_out_in(text))
            table = Table(text, before)
            kind, task, peer, size, _ = columns = _columns(table)
            if reading.trc_ns:
                size[kind == Op.COMPUTE] = _whole_cycles(size[kind == Op.COMPUTE], reading.trc_ns)
            wrong = np.maximum(task, peer) >= MOST_TASKS
            if wrong.any():
                raise table.fault(int(wrong.argmax()), f"tasks must be less than {MOST_TASKS}")
            calls = np.zeros(len(kind), CALL)
            for name, column in zip(("kind", "rank", "peer", "size", "tag"), columns, strict=True):
                calls[name] = column
            calls["request"], calls["sizes"], calls["time"] = -1, -1, np.nan
            largest = max(largest, int(np.maximum(task, peer).max(initial=-1)))
            yield Batch(calls)
    trace.has_ranks(count_tasks(largest, tasks))
    unit = "nanoseconds" if reading.trc_ns else "cycles (--trc-unit ns reads nanoseconds, like INSEE)"
    trace.notes.append(f"the format has no collectives, requests and times; computation is in {unit}")


def _columns(table: Table) -> tuple[NDArray[np.int64], ...]:
    """Return kind, task, peer, size and tag of each row."""
    sends, receives, computes = _rows_of_each(table)
    kind = np.full(len(table), -1, np.int64)
    task, peer, size, tag = (np.zeros_like(kind) for _ in range(4))
    for rows, op, own, other in ((sends, Op.SEND, 1, 2), (receives, Op.RECV, 2, 1)):
        kind[rows] = op
        task[rows] = table.integers(rows, own, "task")
        peer[rows] = table.integers(rows, other, "task")
        tag[rows] = table.integers(rows, 3, "tag")
        size[rows] = table.integers(rows, 4, "bytes")
    kind[computes], peer[computes] = Op.COMPUTE, -1
    task[computes] = table.integers(computes, 1, "task")
    size[computes] = table.integers(computes, 2, "cycles", bits=59)
    return kind, task, peer, size, tag


def _whole_cycles(nanoseconds: NDArray[np.int64], cycle_ns: float) -> NDArray[np.int64]:
    """Return the whole cycles in a number of nanoseconds, exactly."""
    cycle = Fraction(str(cycle_ns))
    values, place = np.unique(nanoseconds, return_inverse=True)
    cycles = [value * cycle.denominator // cycle.numerator for value in values.tolist()]
    if max(cycles, default=0) >= MOST_CYCLES:
        raise ValueError(f"a task computes for {max(cycles)} cycles, expected less than 2**59")
    return np.array(cycles, np.int64)[place]


def _rows_of_each(table: Table) -> list[NDArray[np.int64]]:
    words = table.words(np.arange(len(table)), 0)
    rows_by_kind = []
    known = np.zeros(len(table), bool)
    for word, columns in _COLUMNS.items():
        rows = np.flatnonzero(words == packed(word))
        known[rows] = True
        wrong = table.columns[rows] != columns
        if wrong.any():
            row = int(rows[int(wrong.argmax())])
            raise table.fault(
                row, f"has {table.columns[row]} words, expected {columns} because it begins with {word}"
            )
        rows_by_kind.append(rows)
    if not known.all():
        row = int(known.argmin())
        raise table.fault(
            row, f"begins with {abbreviate(table.texts(np.array([row]), 0)[0])}, expected s, r or c"
        )
    return rows_by_kind


def write(program: Program) -> bytes:
    """Write a program in INSEE's format; see `netplace.apps.formats.write`."""
    program.check_columns()
    opener = openers(program)
    source = np.where(opener >= 0, opener, np.arange(len(program)))
    # A wait for an irecv becomes the receive; an irecv, and a wait for an isend, become nothing.
    kind = np.where(opener >= 0, program.kind[source], program.kind)
    opens = np.where(opener >= 0, kind == Op.IRECV, kind != Op.IRECV)
    source = source[opens]
    columns = (
        program.task_of()[source],
        kind[opens],
        program.peer[source],
        program.tag[source],
        program.size[source],
    )
    lines = [f"# {declaration(program.tasks)}"]
    for task, op, peer, tag, size in zip(*(column.tolist() for column in columns), strict=True):
        if op == Op.COMPUTE:
            lines.append(f"c {task} {size}")
        elif op in (Op.SEND, Op.ISEND):
            lines.append(f"s {task} {peer} {tag} {size}")
        else:
            lines.append(f"r {peer} {task} {tag} {size}")
    return ("\n".join(lines) + "\n").encode("ascii")
