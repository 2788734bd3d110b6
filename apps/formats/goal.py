"""GOAL, the schedules of LogGOPSim, as text.

``num_ranks N``, then for each rank ``rank R { .. }`` with ``label: send SIZEb to PEER [tag T]``, ``label:
recv SIZEb from PEER [tag T]``, ``label: calc NANOSECONDS`` (the label may be missing), and ``a requires b``
(a begins when b has ended) or ``a irequires b`` (when b has begun). Peer or tag -1 of a recv is any.

The order of operations is that of `netplace.apps.formats.goal_schedule`.

Hoefler, Siebert and Lumsdaine, "Group Operation Assembly Language - a flexible way to express collective
communication", ICPP 2009.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from netplace.apps.formats.goal_schedule import HELD, Operation, batches_of
from netplace.apps.formats.stream import TraceError, left_out_in, lines
from netplace.apps.formats.writing import Options
from netplace.apps.operation import MOST_TASKS, Op
from netplace.apps.recorded.calls import Call
from netplace.apps.recorded.recorded import Recorded
from netplace.apps.recorded.trace import Reading, Trace
from netplace.inputs import abbreviate, check_size


def goal_lines(whole: Recorded, options: Options) -> Iterator[str]:
    """Yield the lines of a schedule; collectives are written as messages, computation in nanoseconds.

    An operation requires the one before it. A posted receive is required where it is waited for, and a send
    is over when the CPU has sent it.
    """
    calls = whole.calls.copy()
    given = (calls["kind"] == Call.COMPUTE) & (calls["size"] > 0)
    calls["gap"][given] += calls["size"][given] * (options.cycle_ns * 1e-9)
    calls["size"][given] = 0
    program = replace(whole, calls=calls).program(cycles_per_us=1000.0)
    tags, tag = np.unique(program.tag, return_inverse=True)
    if not len(tags) or int(tags[-1]) < 1 << 31:
        tag = program.tag
    yield f"num_ranks {program.tasks}"
    for rank in range(program.tasks):
        part = slice(int(program.first[rank]), int(program.first[rank + 1]))
        columns = (program.kind, program.peer, program.size, tag, program.request)
        yield f"rank {rank} {{"
        yield from _rank(*(column[part].tolist() for column in columns))
        yield "}"


def _rank(
    kinds: list[int], peers: list[int], sizes: list[int], tags: list[int], requests: list[int]
) -> Iterator[str]:
    before: list[int] = []
    opened: dict[int, int] = {}
    for place, kind in enumerate(kinds):
        if kind == Op.WAIT:
            if (posted := opened.pop(requests[place], None)) is not None:
                before.append(posted)
            continue
        if kind == Op.COMPUTE:
            yield f"l{place}: calc {sizes[place]}"
        else:
            way = "send {}b to" if kind in (Op.SEND, Op.ISEND) else "recv {}b from"
            yield f"l{place}: {way.format(sizes[place])} {peers[place]} tag {tags[place]}"
        yield from (f"l{place} requires l{other}" for other in before)
        if kind == Op.IRECV:
            opened[requests[place]] = place
        else:
            before = [place]


_TOKEN = re.compile(r"[{}:]|[^\s{}:]+")
_START = re.compile(rb"\s*num_ranks\s+\d+")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|$)", re.DOTALL)
_OPTIONS = ("tag", "cpu", "nic")
_MOST = 1 << 62


def recognises(path: Path, head: bytes) -> bool:
    text = re.sub(rb"//[^\n]*|/\*.*?\*/", b"", head[:4096], flags=re.DOTALL)
    return _START.match(text) is not None


def open_trace(path: Path, reading: Reading) -> Trace:
    trace = Trace(0, iter(()))
    trace.batches = batches_of(path, _Reader(path, reading, trace).schedules(), trace, reading.in_order)
    return trace


class _Tokens:
    """The words of a file, each with its line."""

    def __init__(self, path: Path, reading: Reading, left_out: Counter[str]) -> None:
        self._words = self._all(path, reading, left_out)
        self._next: tuple[int, str] | None = None
        self.line = 1

    @staticmethod
    def _all(path: Path, reading: Reading, left_out: Counter[str]) -> Iterator[tuple[int, str]]:
        inside = False
        for number, raw in lines(path, reading):
            left_out.update(left_out_in(raw))
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

    def wrong(self, reason: str) -> TraceError:
        return TraceError(self.line, reason)

    def peek(self) -> str | None:
        """Return the next word and leave it there; None at the end."""
        if self._next is None:
            self._next = next(self._words, None)
        return None if self._next is None else self._next[1]

    def take(self, what: str = "") -> str:
        """Return the next word, which must be `what` if that is not empty."""
        word = self.peek()
        if word is None or self._next is None:
            raise self.wrong(f"ends too early, expected {what or 'more'}")
        self.line, self._next = self._next[0], None
        if what and word != what:
            raise self.wrong(f"{abbreviate(word)} found, expected {what}")
        return word

    def integer(self, what: str, least: int = 0, most: int = _MOST) -> int:
        """Return the next word as a number."""
        word = self.take()
        number = int(word) if re.fullmatch(r"-?\d{1,19}", word) else least - 1
        if not least <= number < most:
            raise self.wrong(f"{what} {abbreviate(word)} is not a whole number from {least} to {most - 1}")
        return number


class _Reader:
    def __init__(self, path: Path, reading: Reading, trace: Trace) -> None:
        self._path, self._reading, self._trace = path, reading, trace

    def schedules(self) -> Iterator[tuple[int, list[Operation]]]:
        tokens = _Tokens(self._path, self._reading, self._trace.left_out)
        tokens.take("num_ranks")
        ranks = tokens.integer("number of ranks", 1, MOST_TASKS + 1)
        self._trace.has_ranks(ranks)
        known: set[int] = set()
        held = 0
        while tokens.peek() is not None:
            tokens.take("rank")
            rank = tokens.integer("rank", 0, ranks)
            if rank in known:
                raise tokens.wrong(f"rank {rank} appears twice")
            known.add(rank)
            operations = self._block(tokens, ranks, held)
            held += len(operations) if self._reading.in_order else 0
            yield rank, operations

    def _block(self, tokens: _Tokens, ranks: int, before: int) -> list[Operation]:
        tokens.take("{")
        operations: list[Operation] = []
        labels: dict[str, int] = {}
        while (word := tokens.take()) != "}":
            held = before + len(operations)
            check_size(held, HELD, "operations that must fit into memory", str(self._path))
            if word in ("send", "recv", "calc") and tokens.peek() != ":":
                operations.append(self._operation(word, tokens, ranks))
            elif tokens.peek() == ":":
                tokens.take(":")
                if word in labels:
                    raise tokens.wrong(f"label {abbreviate(word)} appears twice")
                labels[word] = len(operations)
                operations.append(self._operation(tokens.take(), tokens, ranks))
            else:
                self._dependency(word, tokens, labels, operations)
        return operations

    def _dependency(
        self, word: str, tokens: _Tokens, labels: dict[str, int], operations: list[Operation]
    ) -> None:
        how = tokens.take()
        if how not in ("requires", "irequires"):
            raise tokens.wrong(
                f"{abbreviate(word + ' ' + how)} is not an operation, expected send, recv, calc or requires"
            )
        other = tokens.take()
        for label in (word, other):
            if label not in labels:
                raise tokens.wrong(f"label {abbreviate(label)} is not defined above")
        needs = operations[labels[word]]
        (needs.ended if how == "requires" else needs.begun).append(labels[other])

    def _operation(self, kind: str, tokens: _Tokens, ranks: int) -> Operation:
        if kind == "calc":
            operation = Operation(kind, tokens.integer("calc"))
        elif kind in ("send", "recv"):
            operation = Operation(kind, self._bytes(tokens))
            tokens.take("to" if kind == "send" else "from")
            operation.peer = tokens.integer("peer", -1 if kind == "recv" else 0, ranks)
        else:
            raise tokens.wrong(f"{abbreviate(kind)} is not an operation, expected send, recv or calc")
        while tokens.peek() in _OPTIONS:
            option = tokens.take()
            value = tokens.integer(option, -1 if (option, kind) == ("tag", "recv") else 0)
            if option == "tag":
                operation.tag = value
            elif option == "cpu":
                operation.cpu = value
        return operation

    @staticmethod
    def _bytes(tokens: _Tokens) -> int:
        word = tokens.take()
        if not re.fullmatch(r"\d{1,18}b", word):
            raise tokens.wrong(f"size {abbreviate(word)} is not a number of bytes such as 64b")
        return int(word[:-1])
