"""The lines of the text format as calls, a part of the file at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

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
    _known: dict[tuple[int, int, str], tuple[int, int, bool]] = field(default_factory=dict)

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
        said = [
            self._said(lines, row, peer, own, words, sizes)
            for row, peer, own, *words in zip(
                others.tolist(),
                table.integers(others, 2, "peer", -1).tolist(),
                table.integers(others, 5, "comm").tolist(),
                table.texts(others, 4),
                table.texts(others, 6),
                strict=True,
            )
        ]
        columns = ("kind", "peer", "tag", "communicator", "size", "sizes", "request")
        for name, column in zip(columns, zip(*said, strict=True), strict=False):
            calls[name][others] = column
        for own in np.unique(number[messages]).tolist():
            here = messages & (number == own)
            if own:
                for rank in np.unique(lines.task[here]).tolist():
                    known = self.communicators.get((rank, own), (1 << 30) + own)
                    calls["communicator"][here & (lines.task == rank)] = known
        return Batch(calls[(lines.kind != _COMM) & (calls["tag"] >= 0)], sizes)

    def _said(
        self,
        lines: Lines,
        row: int,
        peer: int,
        own: int,
        words: list[str],
        sizes: list[tuple[int, ...]],
    ) -> tuple[int, int, int, int, int, int, int]:
        """Return kind, peer, tag, communicator, bytes, place of sizes and request of a line of words."""
        kind, rank, size = int(lines.kind[row]), int(lines.task[row]), int(lines.size[row])
        if kind == _COMM:
            self._communicator(lines, row, own, words[1])
            return Call.COMPUTE, -1, 0, 0, 0, -1, -1
        if kind == _MARK:
            return Call.MARK, peer, self._mark(words[0], int(lines.line[row])), 0, 0, -1, -1
        known = self._known.get((rank, own, words[0]))
        if known is None:
            known = self._known[rank, own, words[0]] = self._collective(lines, row, own, words[0])
        tag, communicator, rooted = known
        place = request = -1
        if words[1] != "-1":
            request, listed = _request_and_sizes(words[1], int(lines.line[row]))
            if listed is not None:
                place = len(sizes)
                sizes.append(listed)
                size = sum(listed) if words[0] == "alltoallv" else size
        return Call.COLLECTIVE, peer if rooted else -1, tag, communicator, size, place, request

    def _communicator(self, lines: Lines, row: int, number: int, text: str) -> None:
        line, rank, members = int(lines.line[row]), int(lines.task[row]), _listed(text, int(lines.line[row]))
        if rank not in members or len(set(members)) != len(members):
            raise TraceError(line, f"members {shown(text)} must be different ranks, {rank} among them")
        if len(members) != lines.size[row]:
            raise TraceError(line, f"lists {len(members)} members of {lines.size[row]}")
        if max(members) >= MOST_TASKS:
            raise TraceError(line, f"members {shown(text)} must be less than {MOST_TASKS}")
        self.communicators[rank, number] = self.trace.communicator(members, number)
        self._known.clear()

    def _collective(self, lines: Lines, row: int, own: int, name: str) -> tuple[int, int, bool]:
        """Return number, communicator and whether it has a root, of a collective."""
        line, rank = int(lines.line[row]), int(lines.task[row])
        if name not in OPERATIONS:
            raise TraceError(line, f"collective {shown(name)} is none of {', '.join(OPERATIONS)}")
        if own and (rank, own) not in self.communicators:
            raise TraceError(line, f"communicator {own} is not known to rank {rank}")
        number = self.communicators[rank, own] if own else 0
        return OPERATIONS.index(name), number, name in ROOTED

    def _mark(self, word: str, line: int) -> int:
        """Return the tag of a mark: 0 for that of an iteration."""
        name, _, side = word.rpartition("_")
        if word in ("iter", "warm_iter"):
            return 0 if word == "iter" else -1
        if side not in ("begin", "end") or not name:
            raise TraceError(line, f"mark {shown(word)} is none of iter, <section>_begin, <section>_end")
        if name not in self.sections:
            self.sections.append(name)
        return 1 + 2 * self.sections.index(name) + (side == "end")


def _request_and_sizes(text: str, line: int) -> tuple[int, tuple[int, ...] | None]:
    """Return what ``r12``, ``4,6`` or ``r12:4,6`` say: -1 for no request, None for no sizes."""
    if not text.startswith("r"):
        return -1, _listed(text, line)
    number, _, listed = text[1:].partition(":")
    if not number.isdecimal() or len(number) > 9:
        raise TraceError(line, f"{shown(text)} must be r and the number of a request")
    return int(number), _listed(listed, line) if listed else None


def _listed(text: str, line: int) -> tuple[int, ...]:
    words = text.split(",")
    if not all(word.isdecimal() and len(word) < 19 for word in words):
        raise TraceError(line, f"{shown(text)} must be whole numbers with commas between")
    return tuple(map(int, words))
