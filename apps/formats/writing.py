"""Output of traces in other formats from the calls of a trace."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from netplace.apps.recorded.calls import OPERATIONS, Batch, Call
from netplace.apps.recorded.recorded import Recorded
from netplace.files import atomic_file

_LINES = 50_000  # written at a time


@dataclass(frozen=True)
class Options:
    """Settings for writing a trace.

    Attributes
    ----------
    flops : float
        Floating-point operations per second, for formats that give computation in such operations.
    cycle_ns : float
        Length of a cycle in nanoseconds, for formats that give computation in units of time.
    compute : float
        Factor that is applied to recorded computation when it is written as part of the program, for formats
        without recorded computation; 0 omits it, as a run does by default.
    """

    flops: float = 1e9
    cycle_ns: float = 3.2
    compute: float = 0.0


class Line(NamedTuple):
    """A call with the seconds of computation before it; the other fields are those of `CALL`."""

    rank: int
    kind: int
    peer: int
    size: int
    tag: int
    communicator: int
    request: int
    gap: float
    sizes: tuple[int, ...] | None


def lines_of(batches: Iterable[Batch]) -> Iterator[Line]:
    """Yield the calls of batches; computation alone precedes the next call of its rank.

    The remainder of a rank at the end is a compute of 0 cycles.
    """
    names = ("rank", "kind", "peer", "size", "tag", "communicator", "request", "gap", "sizes")
    gaps: dict[int, float] = {}
    for batch in batches:
        for begin in range(0, len(batch.calls), _LINES):
            part = batch.calls[begin : begin + _LINES]
            for row in zip(*(part[name].tolist() for name in names), strict=True):
                rank, kind, peer, size, tag, communicator, request, own, place = row
                gap = gaps.get(rank, 0.0) + own
                if kind == Call.REDUCTION or (kind == Call.COMPUTE and not size):
                    gaps[rank] = gap
                    continue
                gaps[rank] = 0.0
                sizes = tuple(batch.sizes[place]) if place >= 0 else None
                yield Line(rank, kind, peer, size, tag, communicator, request, gap, sizes)
    for rank, gap in sorted(gaps.items()):
        if gap:
            yield Line(rank, Call.COMPUTE, -1, 0, 0, 0, -1, gap, None)


def left_out_lines(left_out: Counter[str], comment: tuple[str, str]) -> Iterator[str]:
    """Yield the comment that lists the omitted parts of a trace, if any; `left_out_in` reads it."""
    if left_out:
        listed = ", ".join(f"{number} {name}" for name, number in sorted(left_out.items()))
        yield f"{comment[0]} left out: {listed}{comment[1]}"


def write_lines(path: Path, lines: Iterator[str]) -> None:
    """Write lines of text, some thousands at a time; gzip if the name ends in ``.gz``."""
    try:
        with atomic_file(path) as draft, draft.open("wb") as raw:
            packed = path.suffix == ".gz"
            file: Any = gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) if packed else raw
            while some := list(islice(lines, _LINES)):
                file.write(("\n".join(some) + "\n").encode("ascii", "replace"))
            if packed:
                file.close()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise ValueError(f"{path}: cannot be written, {error.strerror}") from None


def dense_tags(whole: Recorded) -> Callable[[int, int], int]:
    """Return the tag of a message by communicator and tag, for formats without communicators.

    It is the tag itself if all messages are on one communicator and tags are small, else a number from 0.
    """
    messages = whole.calls[np.isin(whole.calls["kind"], (Call.SEND, Call.ISEND, Call.RECV, Call.IRECV))]
    pairs = np.unique(np.column_stack([messages["communicator"], messages["tag"]]), axis=0)
    plain = len(np.unique(pairs[:, 0])) <= 1 and (not len(pairs) or int(pairs[:, 1].max()) < 1 << 31)
    if plain:
        return lambda communicator, tag: tag
    known = {(int(a), int(b)): number for number, (a, b) in enumerate(pairs)}
    return lambda communicator, tag: known[communicator, tag]


def name_of(line: Line) -> str:
    return OPERATIONS[line.tag]
