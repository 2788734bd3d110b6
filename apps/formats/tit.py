"""SimGrid's time-independent traces: ``RANK action arguments``, in one file, a file per rank, or a list.

Sizes are counts: of MPI_DOUBLE if ``init`` has an argument, else of bytes, unless the action ends in the
number of a type. Computation is given in flops, so that seconds need a speed (`Reading.flops`). A request is
named by source, destination and tag; of several open ones of one name, a wait completes the oldest. The
outcome of a test is not recorded, so it does nothing here. Communicators are not either: all is on the world.

=====================================  ==================================================================
send, isend, recv, irecv               partner, tag, count [type]
sendrecv                               count, destination, count, source [type, type]
wait [source destination tag]          without arguments: the request that was opened last
waitall                                every open request
bcast                                  count [root [type]]
reduce, allreduce, scan, exscan        count, flops [root, if it has one [type]]
gather, scatter, allgather, alltoall   count sent, count received [root, if it has one [type, type]]
gatherv, allgatherv, scatterv          one count for each rank at the root's or receivers' side
reducescatter                          a count for each rank, flops [type]
alltoallv                              buffer, a count for each rank, buffer, a count for each rank [types]
compute flops, sleep seconds           computation
=====================================  ==================================================================

See SimGrid's documentation on replaying MPI traces; the numbers of types are those of its release 3.36.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from netplace.apps.formats.stream import (
    TraceError,
    first_line,
    head_of,
    left_out_in,
    lines,
    named,
    whole_content,
)
from netplace.apps.formats.tit_actions import ACTIONS, NOTHING, Action, Calls, whole_of
from netplace.apps.formats.writing import Line, Options, dense_tags, lines_of, name_of
from netplace.apps.operation import MOST_TASKS
from netplace.apps.recorded.calls import Batch, Call
from netplace.apps.recorded.recorded import Recorded
from netplace.apps.recorded.trace import Reading, Trace
from netplace.inputs import abbreviate

_SETTLED_TYPES = 7  # those above have had other numbers in other releases
_LONGEST_PATH = 250
_LINE = re.compile(rb"\s*\d+(\.0*)?\s+[A-Za-z_]+(\s+[-+.\dA-Za-z]+)*\s*(#.*)?")
_SHORT, _MOST_WORDS = ("send", "isend", "recv", "irecv", "wait", "compute"), 6


def recognises(path: Path, head: bytes) -> bool:
    first = first_line(head)
    words = first.split()
    if _LINE.fullmatch(first) and len(words) >= 2:
        name = words[1].decode("ascii", "replace").lower()
        # The text format has send, recv and wait too, in lines of eight words.
        return name in _known_actions() and not (name in _SHORT and len(words) > _MOST_WORDS)
    listed = _listed(path, head)
    return bool(listed) and listed[0].is_file() and recognises(listed[0], head_of(listed[0]))


def _known_actions() -> set[str]:
    return NOTHING | ACTIONS.keys() | {"m_usage"}  # the last one of Batsim, which is refused by its name


def _listed(path: Path, head: bytes) -> list[Path]:
    """Return the files that a list names, each where it is found."""
    words = [line.strip() for line in head.decode("utf-8", "replace").splitlines()]
    words = [word for word in words if word and not word.startswith("#")]
    if not words or any(len(word) > _LONGEST_PATH or not word.isprintable() for word in words):
        return []
    listed = []
    for word in words:
        places = (Path(word), path.parent / word, path.parent.parent / word, path.parent / Path(word).name)
        listed.append(next((place for place in places if place.is_file() and place != path), places[1]))
    return listed


def open_trace(path: Path, reading: Reading) -> Trace:
    return _Reader([part for part in files(path) if part != path] or [path], reading).trace


def files(path: Path) -> list[Path]:
    """Return the file itself, and the files that it lists."""
    if _LINE.fullmatch(first_line(head_of(path))):
        return [path]
    return [path, *_listed(path, whole_content(path, Reading(), 100))]


@dataclass
class _Reader:
    """Reads the files of a trace one after the other."""

    files: list[Path]
    reading: Reading

    def __post_init__(self) -> None:
        ranks = len(self.files) if len(self.files) > 1 else self.reading.tasks
        self.calls = Calls(self.files[0], self.reading, ranks)
        self.trace = Trace(ranks or 0, self._batches())

    def _batches(self) -> Iterator[Batch]:
        for path in self.files:
            with named(path):
                for number, line in lines(path, self.reading):
                    if line.startswith(b"#"):
                        self.trace.left_out.update(left_out_in(line))
                    elif line:
                        self._read(number, line)
                        yield from self.calls.writer.full()
        for rank, gap in self.calls.gaps.items():
            if gap:
                self.calls.writer.add(rank, Call.COMPUTE, gap=gap)
        yield from self.calls.writer.rest()
        self.trace.has_ranks(max(self.calls.largest + 1, self.reading.tasks or 0))
        self._tell()

    def _tell(self) -> None:
        unsettled = [number for number in sorted(self.calls.types) if number >= _SETTLED_TYPES]
        if unsettled:
            self.trace.notes.append(
                f"type numbers differ between releases of SimGrid; netplace reads "
                f"{', '.join(map(str, unsettled))} as in release 3.36"
            )
        self.trace.notes.append(
            f"computation is recorded in flops and converted at {self.reading.flops:g} per second (--flops)"
        )

    def _read(self, number: int, line: bytes) -> None:
        words = line.partition(b"#")[0].decode("ascii", "replace").split()
        if len(words) < 2:
            raise TraceError(
                number, f"{abbreviate(' '.join(words))} is not an action, expected: rank action arguments"
            )
        rank = whole_of(number, words[0], "rank", MOST_TASKS)
        name = words[1].lower()
        self.calls.largest = max(self.calls.largest, rank)
        action = Action(number, rank, name, words[2:])
        if name in NOTHING:
            if name == "init" and words[2:]:
                self.calls.doubles.add(rank)
        elif name in ACTIONS:
            ACTIONS[name](self.calls, action)
        else:
            raise TraceError(number, f"unknown action {abbreviate(words[1])}")


# Those whose action means the same in all releases.
_KEPT = ("barrier", "bcast", "reduce", "allreduce", "alltoall", "alltoallv", "allgather", "gather")


def tit_lines(whole: Recorded, options: Options) -> Iterator[str]:
    """Yield the lines of a trace; collectives that the format cannot represent are written as messages."""
    whole = whole.with_messages(_KEPT, world=True)
    tag_of, received = dense_tags(whole), _received(whole)
    yield from (f"{rank} init" for rank in range(whole.ranks))
    opened: dict[tuple[int, int], tuple[int, int, int]] = {}
    for line in lines_of([Batch(whole.calls, whole.sizes)]):
        flops = line.gap * options.flops + (
            line.size * options.cycle_ns * 1e-9 * options.flops if line.kind == Call.COMPUTE else 0.0
        )
        if round(flops):
            yield f"{line.rank} compute {round(flops)}"
        if line.kind == Call.COLLECTIVE:
            yield _collective(line, whole.ranks, received)
        elif line.kind == Call.WAIT:
            yield "{} wait {} {} {}".format(line.rank, *opened.pop((line.rank, line.request)))
        elif line.kind not in (Call.COMPUTE, Call.MARK):
            tag = tag_of(line.communicator, line.tag)
            if line.kind in (Call.ISEND, Call.IRECV):
                ends = (line.rank, line.peer) if line.kind == Call.ISEND else (line.peer, line.rank)
                opened[line.rank, line.request] = (*ends, tag)
            yield f"{line.rank} {Call(line.kind).name.lower()} {line.peer} {tag} {line.size}"
    yield from (f"{rank} finalize" for rank in range(whole.ranks))


def _received(whole: Recorded) -> list[Iterator[list[int]]]:
    """Return, for each rank, what it receives from each rank in one alltoallv after the other."""
    sent: list[list[Sequence[int]]] = [[] for _ in range(whole.ranks)]
    for line in lines_of([Batch(whole.calls[whole.calls["kind"] == Call.COLLECTIVE], whole.sizes)]):
        if name_of(line) == "alltoallv":
            sent[line.rank].append(line.sizes or (0,) * whole.ranks)
    calls = list(zip(*sent, strict=True))
    return [iter([[row[rank] for row in rows] for rows in calls]) for rank in range(whole.ranks)]


def _collective(line: Line, ranks: int, received: list[Iterator[list[int]]]) -> str:
    name, size, root = name_of(line), line.size, max(line.peer, 0)
    sizes = line.sizes or (0,) * ranks
    back = next(received[line.rank]) if name == "alltoallv" else []
    arguments: dict[str, tuple[int, ...]] = {
        "barrier": (),
        "bcast": (size, root),
        "reduce": (size, 0, root),
        "allreduce": (size, 0),
        "gather": (size, size, root),
        "alltoallv": (sum(sizes), *sizes, sum(back), *back),
    }
    return " ".join(map(str, (line.rank, name, *arguments.get(name, (size, size)))))
