"""The lines of the text format as calls, a part of the file at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps.formats.assembly import Lines
from netplace.apps.formats.errors import TraceError, named
from netplace.apps.formats.stream import head_of, whole_lines
from netplace.apps.formats.table import Table
from netplace.apps.operation import MOST_TASKS
from netplace.apps.recorded.calls import CALL, OPERATIONS, ROOTED, Batch, Call
from netplace.apps.recorded.trace import Reading, Trace
from netplace.checks import shown

__all__ = ["open_lines"]

Parsed = Callable[[bytes, int], tuple[Table, Lines]]
_COLL, _COMM, _MARK = -1, -2, -3


def open_lines(path: Path, reading: Reading, parsed: Parsed) -> Trace:
    """Open a trace in the text format, of which `parsed` reads lines."""
    said = re.match(rb"#[^\n]*\btasks (\d{1,9})\b", head_of(path))
    trace = Trace(reading.tasks or (int(said[1]) if said else 0), iter(()))
    trace.batches = _Reader(path, reading, parsed, trace).batches()
    return trace


@dataclass
class _Reader:
    path: Path
    reading: Reading
    parsed: Parsed
    trace: Trace
    communicators: dict[tuple[int, int], int] = field(default_factory=dict)
    sections: list[str] = field(default_factory=list)

    def batches(self) -> Iterator[Batch]:
        largest = self.trace.ranks - 1
        with named(self.path):
            for before, text in whole_lines(self.path, self.reading):
                table, lines = self.parsed(text, before)
                wrong = np.maximum(lines.task, lines.peer) >= MOST_TASKS
                if wrong.any():
                    raise TraceError(int(lines.line[wrong][0]), f"ranks must be less than {MOST_TASKS}")
                largest = max(largest, int(np.maximum(lines.task, lines.peer).max(initial=-1)))
                yield self._batch(table, lines)
        self.trace.has_ranks(largest + 1)
        self.trace.facts.update(format="text", sections=self.sections)

    def _batch(self, table: Table, lines: Lines) -> Batch:
        rows = np.arange(len(table))
        calls = np.zeros(len(table), CALL)
        calls["rank"], calls["kind"], calls["peer"] = lines.task, lines.kind, lines.peer
        calls["size"], calls["request"], calls["sizes"] = lines.size, lines.request, -1
        calls["gap"], calls["time"] = table.reals(rows, 7, "gap_us") * 1e-6, np.nan
        messages = np.isin(lines.kind, (Call.SEND, Call.ISEND, Call.RECV, Call.IRECV))
        calls["tag"][messages] = lines.tag[messages] & ((1 << 32) - 1)
        number = np.where(messages, lines.tag >> 32, 0)
        sizes: list[tuple[int, ...]] = []
        # What a line of words says may rest on lines before it, so these are taken in their order.
        others = np.flatnonzero(lines.kind < 0)
        comm = table.integers(others, 5, "comm").tolist()
        for row, own in zip(others.tolist(), comm, strict=True):
            kind = int(lines.kind[row])
            words = [table.texts(np.array([row]), column)[0] for column in (2, 4, 6)]
            if kind == _COMM:
                self._communicator(lines, row, own, words[2])
            elif kind == _COLL:
                self._collective(lines, row, own, words, calls, sizes)
            else:
                self._mark(lines, row, words, calls)
        for own in np.unique(number[messages]).tolist():
            here = messages & (number == own)
            if own:
                for rank in np.unique(lines.task[here]).tolist():
                    known = self.communicators.get((rank, own), own << 1)
                    calls["communicator"][here & (lines.task == rank)] = known
        return Batch(calls[lines.kind != _COMM], sizes)

    def _communicator(self, lines: Lines, row: int, number: int, text: str) -> None:
        line, members = int(lines.line[row]), _listed(text, int(lines.line[row]))
        if int(lines.task[row]) not in members or len(set(members)) != len(members):
            raise TraceError(
                line, f"members {shown(text)} must be different ranks, {lines.task[row]} among them"
            )
        if len(members) != lines.size[row]:
            raise TraceError(line, f"lists {len(members)} members of {lines.size[row]}")
        if max(members) >= MOST_TASKS:
            raise TraceError(line, f"members {shown(text)} must be less than {MOST_TASKS}")
        self.communicators[int(lines.task[row]), number] = self.trace.communicator(members, number)

    def _collective(
        self,
        lines: Lines,
        row: int,
        own: int,
        words: list[str],
        calls: NDArray[Any],
        sizes: list[tuple[int, ...]],
    ) -> None:
        line, rank, name = int(lines.line[row]), int(lines.task[row]), words[1]
        if name not in OPERATIONS:
            raise TraceError(line, f"collective {shown(name)} is none of {', '.join(OPERATIONS)}")
        if own and (rank, own) not in self.communicators:
            raise TraceError(line, f"communicator {own} is not known to rank {rank}")
        calls["kind"][row], calls["tag"][row] = Call.COLLECTIVE, OPERATIONS.index(name)
        calls["communicator"][row] = self.communicators[rank, own] if own else 0
        calls["peer"][row] = int(words[0]) if name in ROOTED else -1
        if words[2] != "-1":
            sizes.append(_listed(words[2], line))
            calls["sizes"][row] = len(sizes) - 1
            calls["size"][row] = sum(sizes[-1]) if name == "alltoallv" else lines.size[row]

    def _mark(self, lines: Lines, row: int, words: list[str], calls: NDArray[Any]) -> None:
        calls["kind"][row], calls["peer"][row] = Call.MARK, int(words[0])
        name, _, side = words[1].rpartition("_")
        if words[1] == "iter":
            return
        if side not in ("begin", "end") or not name:
            raise TraceError(
                int(lines.line[row]),
                f"mark {shown(words[1])} is none of iter, <section>_begin, <section>_end",
            )
        if name not in self.sections:
            self.sections.append(name)
        calls["tag"][row] = 1 + 2 * self.sections.index(name) + (side == "end")


def _listed(text: str, line: int) -> tuple[int, ...]:
    words = text.split(",")
    if not all(word.isdecimal() and len(word) < 19 for word in words):
        raise TraceError(line, f"{shown(text)} must be whole numbers with commas between")
    return tuple(map(int, words))
