"""Traffic matrices as applications: rows ``source,destination,bytes``, or a dense matrix.

Commas, semicolons, tabs or blanks separate numbers. Open MPI's monitoring (``E 0 1 1024 bytes 3 msgs sent``)
is read, too: lines E, I and S, and R from the other rank; lines of collectives count the same messages again.

A first row can name the columns: ``source`` and ``destination`` (or ``rank`` twice), ``bytes`` and, if pairs
sent more than one message, ``messages``. Without names, three columns are source, destination and bytes, and
four columns have messages before the bytes. A square table is a dense matrix of bytes, with sources as rows
and destinations as columns; pandas writes labels above it, and perhaps before each row. Three rows of three
numbers are a matrix only if its diagonal is 0.

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

from netplace.apps.formats.stream import first_line, whole_content
from netplace.apps.operation import MOST_TASKS, check_written
from netplace.apps.recorded.calls import BATCH, CALL, Batch, Call, batched
from netplace.apps.recorded.trace import Reading, Trace
from netplace.files import decoded
from netplace.inputs import abbreviate
from netplace.text_tables import PairTable, pair_table, rows_of

_MONITORED = re.compile(
    r"^([EISR])\s+(\d+)\s+(\d+)\s+(\d+) bytes\s+(\d+) msgs sent.*|^(?:C|D|O2A|A2O|A2A)\t.*", re.MULTILINE
)
_MOST = 1 << 62
_HELD = 60  # bytes of memory for a byte of the file
_NAMES = {
    **dict.fromkeys(("bytes", "volume", "size"), "bytes"),
    **dict.fromkeys(("messages", "count", "calls"), "messages"),
}
_USUAL = {1: ["bytes"], 2: ["messages", "bytes"]}

# Messages and bytes by source and destination.
Pairs = dict[tuple[int, int], tuple[int, int]]


def recognises(path: Path, head: bytes) -> bool:
    first = first_line(head)
    name = path.name.lower().removesuffix(".gz")
    if name.endswith((".csv", ".tsv")) and re.search(rb"[,;\t]", first):
        return True
    words = _as_rows(first.decode("utf-8", "replace")).replace(",", " ").split()
    return len(words) > 1 and all(map(_is_number, words))


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
    content = whole_content(path, reading or Reading(), _HELD)
    try:
        text = decoded(content)
    except UnicodeDecodeError:
        raise ValueError(f"{path}: is not a text file") from None
    return pairs_in(table_of(text, str(path)), str(path))


def table_of(text: str, where: str) -> PairTable:
    """Return the table in a text."""
    table = pair_table(rows_of(_as_rows(text), where), where, _column, _USUAL)
    if table.labels is None and "bytes" not in table.names:
        raise ValueError(f"{where}: no column bytes of a traffic matrix")
    return table


def _as_rows(text: str) -> str:
    """Return what Open MPI's monitoring writes as rows; its R are bytes received, its C repeat messages."""

    def row(line: re.Match[str]) -> str:
        kind, rank, other, size, messages = line.groups()
        ends = (other, rank) if kind == "R" else (rank, other)
        return " ".join([*ends, messages, size]) if kind else ""

    return _MONITORED.sub(row, text)


def _column(heading: str) -> str:
    return _NAMES.get((heading.lower().split() or [""])[0], "")


def places_of(labels: list[str]) -> list[int]:
    """Return the tasks of the rows or columns of a matrix: their labels, or else their places."""
    tasks = [int(label) for label in labels if label.isdecimal()]
    return tasks if sorted(tasks) == [*range(len(labels))] else [*range(len(labels))]


def pairs_in(table: PairTable, where: str) -> tuple[int, Pairs]:
    """Return the number of ranks, and the messages and bytes of each pair, of a table."""
    if table.labels is None:
        return _listed(table, where)
    pairs: Pairs = {}
    sources, targets = map(places_of, table.labels)
    for source, (line, cells) in zip(sources, table.rows, strict=True):
        for target, cell in zip(targets, cells, strict=True):
            if size := _integer(f"{where}, line {line}: bytes", cell):
                pairs[source, target] = (1, size)
    return len(table.rows), pairs


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _integer(label: str, word: str, maximum: int = _MOST) -> int:
    value = float(word) if _is_number(word) else -1.0
    if not 0 <= value < maximum or value != int(value):
        raise ValueError(f"{label} {abbreviate(word)} is not a whole number from 0 to {maximum - 1}")
    return int(word) if word.isdecimal() else int(value)


def _listed(table: PairTable, where: str) -> tuple[int, Pairs]:
    messages: Counter[tuple[int, int]] = Counter()
    sizes: Counter[tuple[int, int]] = Counter()
    for line, cells in table.rows:
        here = f"{where}, line {line}:"
        columns = dict(zip(table.names, cells[2:], strict=True))
        key = (_integer(f"{here} rank", cells[0], MOST_TASKS), _integer(f"{here} rank", cells[1], MOST_TASKS))
        messages[key] += _integer(f"{here} messages", columns["messages"]) if "messages" in columns else 1
        sizes[key] += _integer(f"{here} bytes", columns["bytes"])
    largest = max((max(pair) for pair in messages), default=-1)
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
