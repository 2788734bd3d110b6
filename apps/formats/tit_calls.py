"""The calls of a time-independent trace of SimGrid, as its actions add them."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from netplace.apps.formats.errors import TraceError
from netplace.apps.formats.stream import blocks
from netplace.apps.formats.tit_lines import MOST, Line, whole_of
from netplace.apps.operation import MOST_TASKS
from netplace.apps.recorded.calls import OPERATIONS, Call, CallWriter
from netplace.apps.recorded.trace import Reading

__all__ = ["Calls"]

# Bytes of the types by number; those above 6 have had other numbers in other releases.
_TYPE_BYTES = (8, 4, 1, 2, 8, 4, 1, 8, 1, 1, 2, 4, 8, 8, 16, 4, 1, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16, 32, 8, 8)
_INIT = re.compile(rb"(?:^|\n)[ \t]*(\d+)[ \t]+init\b", re.IGNORECASE)
_NAMES = {"reducescatter": "reduce_scatter"}


@dataclass
class Calls:
    """Calls as they are added, and what is counted beside.

    Attributes
    ----------
    path : Path
        The first file of the trace.
    reading : Reading
        How it is read.
    ranks : int or None
        Number of ranks, if it is known before the end.
    largest : int
        Largest rank that a line names.
    requests, open : by rank
        Requests so far, and those that are open by source, destination and tag.
    gaps : by rank
        Seconds of computation before the next call.
    doubles : set of int
        Ranks whose counts are of doubles.
    flops, reduced : by rank
        Computation by itself, and that of reductions.
    types : set of int
        Numbers of types.
    completed : Counter
        Requests by the action that completed them.
    """

    path: Path
    reading: Reading
    ranks: int | None
    writer: CallWriter = field(default_factory=CallWriter)
    requests: Counter[int] = field(default_factory=Counter)
    open: dict[int, dict[tuple[int, int, int], deque[int]]] = field(default_factory=dict)
    gaps: dict[int, float] = field(default_factory=dict)
    doubles: set[int] = field(default_factory=set)
    flops: Counter[int] = field(default_factory=Counter)
    reduced: Counter[int] = field(default_factory=Counter)
    types: set[int] = field(default_factory=set)
    completed: Counter[str] = field(default_factory=Counter)
    largest: int = -1

    @property
    def world(self) -> int:
        """Number of ranks, which v-variants need before the end: of one file, that of its ``init`` lines."""
        if self.ranks is None:
            largest = -1
            for block in blocks(self.path, Reading()):
                largest = max(largest, max(map(int, _INIT.findall(block)), default=-1))
            self.ranks = min(largest, MOST_TASKS) + 1
        return self.ranks

    def bytes_of(self, line: Line, count: int, place: int) -> int:
        """Return the bytes of `count` elements, whose type may be named at `place` of the arguments."""
        if place < len(line.words):
            number = whole_of(line.number, line.words[place], "type", MOST)
            if number >= len(_TYPE_BYTES):
                raise TraceError(
                    line.number, f"type {number} is not known, expected 0 to {len(_TYPE_BYTES) - 1}"
                )
            self.types.add(number)
            size = _TYPE_BYTES[number]
        else:
            size = 8 if line.rank in self.doubles else 1
        return line.fits(count * size)

    def add(
        self, line: Line, kind: int, peer: int = -1, size: int = 0, tag: int = 0, request: int = -1
    ) -> None:
        """Add a call with the computation before it."""
        self.largest = max(self.largest, peer)
        gap = self.gaps.pop(line.rank, 0.0)
        self.writer.add(line.rank, kind, peer, size, tag, request=request, gap=gap)

    def opens(self, line: Line, kind: int, peer: int, size: int, tag: int) -> int:
        """Add a non-blocking call and return its request."""
        request = self.requests[line.rank]
        self.requests[line.rank] += 1
        self.add(line, kind, peer, size, tag, request)
        return request

    def collective(
        self, line: Line, size: int, root: int = -1, flops: int = 0, sizes: Sequence[int] | None = None
    ) -> None:
        """Add a collective, and what it computes after its messages."""
        name = _NAMES.get(line.name, line.name)
        gap = self.gaps.pop(line.rank, 0.0)
        self.largest = max(self.largest, root)
        tag = OPERATIONS.index(name)
        self.writer.add(line.rank, Call.COLLECTIVE, root, size, tag, gap=gap, sizes=sizes)
        if flops:
            self.reduced[line.rank] += flops
            self.writer.add(line.rank, Call.REDUCTION, gap=flops / self.reading.flops)
