"""The project's own text format, for the calls of an MPI tracer and for every program.

A line has eight words: ``rank op peer bytes tag comm req gap_us``. The order of lines of different ranks
has no meaning; empty lines and lines that begin with ``#`` are skipped, but for ``# left out: 4 put``, which
counts calls that the trace does not hold. Peers are world ranks. ``op`` is one of:

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

Communicator 0 is the world. Messages of different communicators cannot be confused. Collectives become the
messages of `netplace.apps.collectives`, on tags of their own. ``gap_us`` is the computation before the line,
in us.

A program is written with operations only: collectives are converted to messages, tags are whole and
communicators 0. A comment in the first line contains the number of tasks, and ``receives by length`` if a
receive takes the first message of its own length instead of the first of its channel. Written files read back
equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps.formats.stream import (
    TraceError,
    count_tasks,
    declared,
    first_line,
    head_of,
    is_by_length_said,
    left_out_in,
    named,
    whole_lines,
)
from netplace.apps.formats.text_lines import COLUMNS, COMMUNICATOR, KINDS, Lines, parsed
from netplace.apps.operation import MOST_TASKS
from netplace.apps.recorded.calls import CALL, OPERATIONS, ROOTED, Batch, Call
from netplace.apps.recorded.trace import Reading, Trace
from netplace.inputs import abbreviate, check_choice


class _Requests:
    """The requests that are open, as lines are read: a number may be used again once it was waited for."""

    def __init__(self) -> None:
        self._key = np.empty(0, np.int64)  # rank and number in the file, in order
        self._line = np.empty(0, np.int64)
        self._number = np.empty(0, np.int64)  # of all requests
        self._opened = 0

    def renumber(self, calls: NDArray[Any], line: NDArray[np.int64]) -> None:
        """Give the requests of some calls, of these lines, numbers that are used once in the file."""
        rows = np.flatnonzero(calls["request"] >= 0)
        open_requests = len(self._key)
        key = np.concatenate(
            [self._key, (calls["rank"][rows].astype(np.int64) << 32) + calls["request"][rows]]
        )
        line = np.concatenate([self._line, line[rows]])
        waits = np.concatenate([np.zeros(open_requests, bool), calls["kind"][rows] == Call.WAIT])
        opened = self._opened + np.cumsum(~waits) - 1 - open_requests
        number = np.concatenate([self._number, opened[open_requests:]])
        self._opened += int((~waits).sum()) - open_requests
        order = np.argsort(key, kind="stable")
        key, line, waits, number = key[order], line[order], waits[order], number[order]
        closed = np.concatenate([[True], waits[:-1]]) | (np.diff(key, prepend=-1) != 0)
        _refuse(line, waits & closed, "waits for a request that the task never opens")
        _refuse(line, ~waits & ~closed, "opens a request that is already open")
        number[waits] = number[np.flatnonzero(waits) - 1]
        still = ~waits & (np.diff(key, append=-1) != 0)
        self._key, self._line, self._number = key[still], line[still], number[still]
        numbers = np.empty_like(number)
        numbers[order] = number
        calls["request"][rows] = numbers[open_requests:]

    def finish(self) -> None:
        """Raise TraceError if a request is still open."""
        _refuse(self._line, self._line >= 0, "opens a request that is never waited for")


def _refuse(line: NDArray[np.int64], wrong: NDArray[np.bool_], reason: str) -> None:
    if wrong.any():
        raise TraceError(int(line[wrong].min()), reason)


_COLUMNS = ("kind", "peer", "tag", "communicator", "size", "sizes", "request")
_Row = tuple[int, int, int, int, int, int, int]
_NOTHING: _Row = (Call.COMPUTE, -1, 0, 0, 0, -1, -1)


def open_trace(path: Path, reading: Reading) -> Trace:
    head = head_of(path)
    tasks = reading.tasks or declared(head)
    trace = Trace(tasks or 0, iter(()), by_length=is_by_length_said(head))
    trace.batches = _Reader(path, reading, trace, tasks).batches()
    return trace


@dataclass
class _Reader:
    path: Path
    reading: Reading
    trace: Trace
    said: int | None
    communicators: dict[tuple[int, int], int] = field(default_factory=dict)
    requests: _Requests = field(default_factory=_Requests)
    sections: dict[str, int] = field(default_factory=dict)
    _sides: set[tuple[int, int]] = field(default_factory=set)  # rank and tag of marks of sections
    _collectives: dict[tuple[int, int, str], tuple[int, int, bool]] = field(default_factory=dict)
    # What must fit the number of ranks, which is known last: the largest rank named, and lengths of lists of
    # all ranks, each with its first line.
    _largest: dict[str, tuple[int, int]] = field(default_factory=dict)
    _lengths: dict[int, int] = field(default_factory=dict)

    def batches(self) -> Iterator[Batch]:
        largest = -1
        names: list[str] = []
        self.trace.sections = names
        with named(self.path):
            for before, text in whole_lines(self.path, self.reading):
                self.trace.left_out.update(left_out_in(text))
                lines = parsed(text, before)
                largest = max(largest, int(lines.rank.max(initial=-1)))
                if len(lines.peer):
                    farthest = int(lines.peer.argmax())
                    self._names("peer", int(lines.peer[farthest]), int(lines.table.line[farthest]))
                batch = self._batch(lines)
                names += list(self.sections)[len(names) :]
                yield batch
            self.requests.finish()
            ranks = count_tasks(largest, self.said)
            self._check_ranks(ranks)
        self.trace.has_ranks(ranks)
        self._check_sections()

    def _names(self, label: str, rank: int, line: int) -> None:
        """Record a rank that a line names."""
        if rank > self._largest.get(label, (-1, 0))[0]:
            self._largest[label] = rank, line

    def _check_ranks(self, ranks: int) -> None:
        for label, (rank, line) in self._largest.items():
            if rank >= ranks:
                raise TraceError(line, f"{label} must be a rank from 0 to {ranks - 1}, not {rank}")
        for length, line in self._lengths.items():
            if length != ranks:
                raise TraceError(line, f"lists {length} sizes for the {ranks} members of communicator 0")

    def _batch(self, lines: Lines) -> Batch:
        calls = np.zeros(len(lines.rank), CALL)
        for name in ("rank", "kind", "peer", "size", "tag", "request", "gap"):
            calls[name] = getattr(lines, name)
        calls["sizes"], calls["time"] = -1, np.nan
        sizes: list[tuple[int, ...]] = []
        # The meaning of such a line can depend on the lines before it, so they are read in order.
        others = np.flatnonzero(np.isin(lines.kind, (Call.COLLECTIVE, Call.MARK, COMMUNICATOR)))
        lists = [
            self._said(lines, row, peer, words, sizes)
            for row, peer, *words in zip(
                others.tolist(),
                lines.table.integers(others, 2, "peer", -1).tolist(),
                lines.table.texts(others, 4),
                lines.table.texts(others, 6),
                strict=True,
            )
        ]
        for name, column in zip(_COLUMNS, zip(*lists, strict=True), strict=False):
            calls[name][others] = column
        self.requests.renumber(calls, lines.table.line)
        self._number_communicators(calls, lines)
        silent = (calls["kind"] == Call.COMPUTE) & (calls["size"] == 0) & (calls["gap"] == 0)
        return Batch(calls[~silent], sizes)

    def _number_communicators(self, calls: NDArray[Any], lines: Lines) -> None:
        """Write the trace's number of the communicator of each message; one without members has one too."""
        rows = np.flatnonzero(lines.messages & (lines.communicator > 0))
        pairs = (lines.communicator[rows] << 32) + lines.rank[rows]
        used, places = np.unique(pairs, return_inverse=True)
        known = []
        for pair in used.tolist():
            own, rank = pair >> 32, pair & (1 << 32) - 1
            if (rank, own) not in self.communicators:
                self.communicators[rank, own] = self.trace.communicator((), own)
            known.append(self.communicators[rank, own])
        calls["communicator"][rows] = np.array(known, np.int64)[places]

    def _said(
        self, lines: Lines, row: int, peer: int, words: list[str], sizes: list[tuple[int, ...]]
    ) -> _Row:
        """Return kind, peer, tag, communicator, bytes, place of sizes and request of a line of words."""
        kind, rank, size = int(lines.kind[row]), int(lines.rank[row]), int(lines.size[row])
        line, own = int(lines.table.line[row]), int(lines.communicator[row])
        if kind == COMMUNICATOR:
            self._communicator(line, rank, own, size, words[1])
            return _NOTHING
        if kind == Call.MARK:
            tag = self._mark(line, rank, words[0])
            return _NOTHING if tag < 0 else (Call.MARK, peer, tag, 0, 0, -1, -1)
        known = self._collectives.get((rank, own, words[0]))
        if known is None:
            known = self._collectives[rank, own, words[0]] = self._collective(line, rank, own, words[0])
        tag, communicator, rooted = known
        members = self.trace.communicators[communicator] if own else ()
        if rooted and (peer not in members if own else peer < 0):
            raise TraceError(line, f"root {peer} of {words[0]} is not a member of its communicator")
        if rooted:
            self._names("root", peer, line)
        place = request = -1
        if words[1] != "-1":
            request, listed = _request_and_sizes(words[1], words[0], line)
            if listed is not None:
                if not own:
                    self._lengths.setdefault(len(listed), line)
                elif len(listed) != len(members):
                    raise TraceError(
                        line,
                        f"lists {len(listed)} sizes for the {len(members)} members of communicator {own}",
                    )
                place = len(sizes)
                sizes.append(listed)
                size = sum(listed) if words[0] == "alltoallv" else size
        return Call.COLLECTIVE, peer if rooted else -1, tag, communicator, size, place, request

    def _communicator(self, line: int, rank: int, own: int, size: int, text: str) -> None:
        members = _listed(text, "members of a communicator", line)
        if rank not in members or len(set(members)) != len(members):
            raise TraceError(line, f"members {abbreviate(text)} must be different ranks that include {rank}")
        if max(members) >= MOST_TASKS:
            raise TraceError(line, f"members {abbreviate(text)} must be less than {MOST_TASKS}")
        self._names("member", max(members), line)
        if len(members) != size:
            raise TraceError(line, f"lists {len(members)} members of {size}")
        if own:
            self.communicators[rank, own] = self.trace.communicator(members, own)
            self._collectives.clear()

    def _collective(self, line: int, rank: int, own: int, name: str) -> tuple[int, int, bool]:
        """Return number, communicator and whether it has a root, of a collective."""
        try:
            check_choice(name, OPERATIONS, "collective")
        except ValueError as error:
            raise TraceError(line, str(error)) from None
        number = self.communicators.get((rank, own)) if own else 0
        if number is None or (own and not self.trace.communicators[number]):
            raise TraceError(line, f"rank {rank} does not know communicator {own}")
        return OPERATIONS.index(name), number, name in ROOTED

    def _mark(self, line: int, rank: int, word: str) -> int:
        """Return the tag of a mark: 0 for that of an iteration, -1 if it is none."""
        name, _, side = word.rpartition("_")
        if word in ("iter", "warm_iter"):
            return 0 if word == "iter" else -1
        if side not in ("begin", "end") or not name:
            raise TraceError(
                line, f"unknown mark {abbreviate(word)}, expected iter, <section>_begin or <section>_end"
            )
        tag = 1 + 2 * self.sections.setdefault(name, len(self.sections)) + (side == "end")
        if (rank, tag) in self._sides or (side == "end" and (rank, tag - 1) not in self._sides):
            raise TraceError(line, f"mark {word} appears twice or before its beginning")
        self._sides.add((rank, tag))
        return tag

    def _check_sections(self) -> None:
        for name, number in self.sections.items():
            for rank in range(self.trace.ranks):
                if (rank, 2 + 2 * number) not in self._sides:
                    raise ValueError(
                        f"section {name!r}: rank {rank} does not begin and end it, but others do"
                    )


def _request_and_sizes(text: str, name: str, line: int) -> tuple[int, tuple[int, ...] | None]:
    """Return the request and sizes of ``r12``, ``4,6`` or ``r12:4,6``; -1 and None if absent."""
    label = f"sizes of an {name}"
    if not text.startswith("r"):
        return -1, _listed(text, label, line)
    number, _, listed = text[1:].partition(":")
    if not number.isdecimal() or len(number) > 9:
        raise TraceError(line, f"{abbreviate(text)} must be r and the number of a request")
    return int(number), _listed(listed, label, line) if listed else None


def _listed(text: str, label: str, line: int) -> tuple[int, ...]:
    words = text.split(",")
    if not all(word.isdecimal() and len(word) < 19 for word in words):
        raise TraceError(line, f"{label} must be whole numbers separated by commas, not {abbreviate(text)}")
    return tuple(map(int, words))


def recognises(path: Path, head: bytes) -> bool:
    """Return whether the first line that is no comment has the eight words of this format."""
    words = first_line(head).split()
    return len(words) == len(COLUMNS) and words[1].decode("ascii", "replace") in KINDS
