"""GOAL, the schedules of LogGOPSim, as text.

Its lines are ``num_ranks N``, and for each rank ``rank R {``, its operations and ``}``: ``label: send SIZEb
to PEER [tag T]``, ``label: recv SIZEb from PEER [tag T]``, ``label: calc NANOSECONDS`` (the label may be
missing), and ``a requires b`` (a begins when b has ended) or ``a irequires b`` (when b has begun). Peer or
tag -1 of a recv is any.

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


_START = re.compile(rb"\s*num_ranks\s+\d+")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|$)", re.DOTALL)
_RANK = re.compile(r"rank\s+(\S+)\s*\{\s*(\}?)")
_OPERATION = re.compile(
    r"(?:(?P<label>[^\s:]+)\s*:\s*)?"
    r"(?:(?P<message>send|recv)\s+(?P<bytes>\S+)\s+(?P<way>to|from)\s+(?P<peer>\S+)|calc\s+(?P<calc>\S+))"
    r"(?P<options>(?:\s+(?:tag|cpu|nic)\s+\S+)*)"
)
_DEPENDENCY = re.compile(r"(\S+)\s+(i?requires)\s+(\S+)")
_MOST = 1 << 62


def recognises(path: Path, head: bytes) -> bool:
    text = re.sub(rb"//[^\n]*|/\*.*?\*/", b"", head[:4096], flags=re.DOTALL)
    return _START.match(text) is not None


def open_trace(path: Path, reading: Reading) -> Trace:
    trace = Trace(0, iter(()))
    trace.batches = batches_of(path, _schedules(path, reading, trace), trace, reading.in_order)
    return trace


def _schedules(path: Path, reading: Reading, trace: Trace) -> Iterator[tuple[int, list[Operation]]]:
    rows = _rows(path, reading, trace.left_out)
    number, line = next(rows, (1, ""))
    if not line.startswith("num_ranks "):
        raise TraceError(number, f"{abbreviate(line)} found, expected num_ranks N")
    ranks = _integer(number, "number of ranks", line.removeprefix("num_ranks").strip(), 1, MOST_TASKS + 1)
    trace.has_ranks(ranks)
    known: set[int] = set()
    held = 0
    for number, line in rows:
        begin = _RANK.fullmatch(line)
        if begin is None:
            raise TraceError(number, f"{abbreviate(line)} found, expected rank R {{")
        rank = _integer(number, "rank", begin[1], 0, ranks)
        if rank in known:
            raise TraceError(number, f"rank {rank} appears twice")
        known.add(rank)
        operations = [] if begin[2] else _block(rows, number, ranks, held, path)
        held += len(operations) if reading.in_order else 0
        yield rank, operations


def _rows(path: Path, reading: Reading, left_out: Counter[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not empty with their numbers, without comments."""
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
        if text := text.strip():
            yield number, text


def _block(
    rows: Iterator[tuple[int, str]], number: int, ranks: int, before: int, path: Path
) -> list[Operation]:
    """Return the operations of a rank, whose block begins in line `number`."""
    operations: list[Operation] = []
    labels: dict[str, int] = {}
    for number, line in rows:
        if line == "}":
            return operations
        check_size(before + len(operations), HELD, "operations that must fit into memory", str(path))
        if match := _OPERATION.fullmatch(line):
            if (label := match["label"]) in labels:
                raise TraceError(number, f"label {abbreviate(label)} appears twice")
            if label is not None:
                labels[label] = len(operations)
            operations.append(_operation(number, match, ranks))
        elif match := _DEPENDENCY.fullmatch(line):
            for label in match.group(1, 3):
                if label not in labels:
                    raise TraceError(number, f"label {abbreviate(label)} is not defined above")
            needs = operations[labels[match[1]]]
            (needs.ended if match[2] == "requires" else needs.begun).append(labels[match[3]])
        else:
            raise TraceError(
                number, f"{abbreviate(line)} is not an operation, expected send, recv, calc or requires"
            )
    raise TraceError(number, "ends too early, expected }")


def _operation(number: int, match: re.Match[str], ranks: int) -> Operation:
    kind = match["message"] or "calc"
    if kind == "calc":
        operation = Operation(kind, _integer(number, "calc", match["calc"]))
    else:
        if (kind == "send") != (match["way"] == "to"):
            raise TraceError(number, f"{kind} {match['way']} found, expected send to or recv from")
        if not re.fullmatch(r"\d{1,18}b", match["bytes"]):
            size = abbreviate(match["bytes"])
            raise TraceError(number, f"size {size} is not a number of bytes such as 64b")
        peer = _integer(number, "peer", match["peer"], -1 if kind == "recv" else 0, ranks)
        operation = Operation(kind, int(match["bytes"][:-1]), peer)
    words = match["options"].split()
    for option, word in zip(words[::2], words[1::2], strict=True):
        value = _integer(number, option, word, -1 if (option, kind) == ("tag", "recv") else 0)
        if option != "nic":
            setattr(operation, option, value)
    return operation


def _integer(line: int, label: str, word: str, minimum: int = 0, maximum: int = _MOST) -> int:
    number = int(word) if re.fullmatch(r"-?\d{1,19}", word) else minimum - 1
    if not minimum <= number < maximum:
        raise TraceError(
            line, f"{label} {abbreviate(word)} is not a whole number from {minimum} to {maximum - 1}"
        )
    return number
