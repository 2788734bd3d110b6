"""Traffic matrices as applications: rows ``source,destination,bytes``, or a dense matrix.

Commas separate numbers, or blanks. Open MPI's monitoring (``E 0 1 1024 bytes 3 msgs sent``) is read, too.

A first row can name the columns: ``source`` and ``destination`` (or ``rank`` twice), ``bytes`` and, if pairs
sent more than one message, ``messages``. Without names, three columns are source, destination and bytes, and
four columns have messages before the bytes. A square table is a dense matrix of bytes, with sources as rows
and destinations as columns; pandas writes labels above it, and perhaps before each row.

The order of messages is as follows. Each rank posts its receives, from the previous rank, then from the one
before that, and so on around. It sends to the next rank, then to the one after that, and so on, and waits for
its receives. The bytes of a pair are in the given number of messages of equal size, except for the remainder.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps.formats.stream import TraceError, first_line, lines, named
from netplace.apps.operation import MOST_TASKS, check_written
from netplace.apps.recorded.calls import BATCH, CALL, Batch, Call, batched
from netplace.apps.recorded.trace import Reading, Trace
from netplace.inputs import abbreviate, check_size

_Row = tuple[int, list[str]]  # number of the line, and its words
_MONITORED = re.compile(rb"[EIS]\s+(\d+)\s+(\d+)\s+(\d+) bytes\s+(\d+) msgs sent.*")
_AS_ROW = rb"\1 \2 \4 \3"
_MOST = 1 << 62
_HELD = 60  # bytes of a number
_NAMES = {
    "source": "source", "src": "source", "from": "source", "sender": "source",
    "destination": "destination", "dst": "destination", "dest": "destination", "to": "destination",
    "target": "destination", "receiver": "destination", "bytes": "bytes", "volume": "bytes", "size": "bytes",
    "messages": "messages", "count": "messages", "calls": "messages",
}  # fmt: skip

# Messages and bytes by source and destination.
Pairs = dict[tuple[int, int], tuple[int, int]]


def recognises(path: Path, head: bytes) -> bool:
    first = first_line(head)
    if path.name.lower().removesuffix(".gz").endswith(".csv") and b"," in first:
        return True
    words = _MONITORED.sub(_AS_ROW, first).replace(b",", b" ").split()
    return len(words) > 1 and all(_is_number(word.decode("utf-8", "replace")) for word in words)


def open_trace(path: Path, reading: Reading) -> Trace:
    ranks, pairs = pairs_of(path, reading)
    # A message is sent, received and waited for.
    calls = 3 * sum(messages for messages, _ in pairs.values())
    check_written(calls, f"{path}: its messages")
    trace = Trace(max(ranks, reading.tasks or 0), iter(()), unrepeated=calls)
    trace.batches = _batches(trace, pairs)
    return trace


def pairs_of(path: Path, reading: Reading | None = None) -> tuple[int, Pairs]:
    """Return the number of ranks, and the messages and bytes of each pair that communicates."""
    with named(path):
        rows, words = [], 0
        for number, line in lines(path, reading or Reading()):
            if line and not line.startswith(b"#"):
                text = _MONITORED.sub(_AS_ROW, line).decode("utf-8", "replace")
                rows.append((number, [word.strip() for word in text.split("," if "," in text else None)]))
                words += len(rows[-1][1])
                check_size(words, _HELD, "numbers of a matrix", str(path))
        if not rows:
            raise TraceError(1, "is empty, expected a table")
        if square := _square(rows):
            return _dense(square)
        names = _names(rows[0][1])
        return _listed(rows[1:] if names else rows, names or _usual(rows[0]))


def names_pairs(words: list[str]) -> bool:
    """Return whether a row names a column of a list of pairs."""
    return not _NAMES.keys().isdisjoint(word.strip().strip('"').lower() for word in words)


def _square(rows: list[_Row]) -> list[_Row]:
    """Return the rows of a dense matrix without labels; none if it is no square."""
    width, top = len(rows[0][1]), rows[0][1]
    if names_pairs(top):
        return []
    if len(rows) == width and not top[0].strip('"'):
        return [(number, words[1:]) for number, words in rows[1:]]
    if len(rows) == width + 1 and top == [str(place) for place in range(width)]:
        return rows[1:]
    return rows if len(rows) == width and all(map(_is_number, top)) else []


def _names(words: list[str]) -> list[str] | None:
    """Return the names of the columns; None if the first row does not contain them."""
    if all(_is_number(word) for word in words):
        return None
    plain = [word.lower().strip('"').split()[0] if word.strip('"') else "" for word in words]
    if plain.count("rank") == 2:
        plain[plain.index("rank")] = "source"
        plain[plain.index("rank")] = "destination"
    columns = [_NAMES.get(word, "") for word in plain]
    for name in ("source", "destination", "bytes"):
        if name not in columns:
            raise TraceError(
                1,
                f"columns are {abbreviate(', '.join(words))}, expected source, destination and bytes of a "
                f"traffic matrix",
            )
    return columns


def _usual(row: _Row) -> list[str]:
    number, words = row
    if len(words) not in (3, 4):
        raise TraceError(
            number, f"has {len(words)} columns, expected source, destination, bytes, or a square matrix"
        )
    return ["source", "destination", *(["messages"] if len(words) == 4 else []), "bytes"]


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _integer(number: int, word: str, label: str, maximum: int = _MOST) -> int:
    value = float(word) if _is_number(word) else -1.0
    if not 0 <= value < maximum or value != int(value):
        raise TraceError(number, f"{label} {abbreviate(word)} is not a whole number from 0 to {maximum - 1}")
    return int(word) if word.isdecimal() else int(value)


def _dense(rows: list[_Row]) -> tuple[int, Pairs]:
    pairs: Pairs = {}
    for source, (number, words) in enumerate(rows):
        if len(words) != len(rows):
            raise TraceError(number, f"has {len(words)} columns, expected {len(rows)}, the number of rows")
        for target, word in enumerate(words):
            if size := _integer(number, word, "bytes"):
                pairs[source, target] = (1, size)
    return len(rows), pairs


def _listed(rows: list[_Row], names: list[str]) -> tuple[int, Pairs]:
    messages: Counter[tuple[int, int]] = Counter()
    sizes: Counter[tuple[int, int]] = Counter()
    largest = -1
    for number, words in rows:
        if len(words) != len(names):
            raise TraceError(number, f"has {len(words)} columns, expected {len(names)}")
        columns = dict(zip(names, words, strict=True))
        pair = tuple(
            _integer(number, columns[name], "rank", MOST_TASKS) for name in ("source", "destination")
        )
        key = (pair[0], pair[1])
        messages[key] += _integer(number, columns["messages"], "messages") if "messages" in columns else 1
        sizes[key] += _integer(number, columns["bytes"], "bytes")
        largest = max(largest, *key)
    return largest + 1, {key: (max(count, 1), sizes[key]) for key, count in messages.items()}


def _batches(trace: Trace, pairs: Pairs) -> Iterator[Batch]:
    yield from batched(_rows(trace.ranks, pairs))
    trace.notes.append(
        "a matrix has no order: each rank posts its receives, sends to the following ranks in increasing "
        "order, and waits"
    )


def _rows(ranks: int, pairs: Pairs) -> Iterator[NDArray[Any]]:
    """Yield rows of `CALL`, some thousands at a time."""
    sends: dict[int, list[int]] = {}
    receives: dict[int, list[int]] = {}
    for source, target in pairs:
        sends.setdefault(source, []).append(target)
        receives.setdefault(target, []).append(source)
    for rank in sorted(sends.keys() | receives.keys()):
        sources = sorted(receives.get(rank, ()), key=lambda other: (rank - other - 1) % ranks)
        targets = sorted(sends.get(rank, ()), key=lambda other: (other - rank - 1) % ranks)
        came = [pairs[source, rank] for source in sources]
        yield from _messages(rank, Call.IRECV, sources, came)
        yield from _messages(rank, Call.SEND, targets, [pairs[rank, target] for target in targets])
        yield from _messages(rank, Call.WAIT, sources, came)


def _messages(
    rank: int, kind: Call, peers: Sequence[int], amounts: Sequence[tuple[int, int]]
) -> Iterator[NDArray[Any]]:
    """Yield a call for each message of some pairs; of the bytes each has about the same share."""
    messages, sizes = np.array(amounts, np.int64).reshape(-1, 2).T
    ends = np.cumsum(messages)
    total = int(ends[-1]) if len(ends) else 0
    for begin in range(0, total, BATCH):
        number = np.arange(begin, min(begin + BATCH, total))
        pair = np.searchsorted(ends, number, side="right")
        calls = np.zeros(len(number), CALL)
        calls["rank"], calls["kind"], calls["sizes"], calls["time"] = rank, kind, -1, np.nan
        calls["request"] = -1 if kind == Call.SEND else number
        calls["peer"] = -1
        if kind != Call.WAIT:
            place = number - ends[pair] + messages[pair]
            calls["peer"] = np.array(peers)[pair]
            calls["size"] = (sizes // messages)[pair] + (place < (sizes % messages)[pair])
        yield calls
