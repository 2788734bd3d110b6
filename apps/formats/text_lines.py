"""The lines of the text format, read as a whole."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.apps.formats.table import Table, packed
from netplace.apps.operation import MOST_CYCLES, MOST_TASKS
from netplace.apps.recorded.calls import Call
from netplace.checks import abbreviate

COLUMNS = ("rank", "op", "peer", "bytes", "tag", "comm", "req", "gap_us")
COMMUNICATOR = -1  # the kind of a line that is no call
_OPERATIONS = {
    call.name.lower(): int(call)
    for call in (Call.COMPUTE, Call.SEND, Call.ISEND, Call.RECV, Call.IRECV, Call.WAIT)
}
KINDS = _OPERATIONS | {"coll": int(Call.COLLECTIVE), "comm": COMMUNICATOR, "mark": int(Call.MARK)}
_MESSAGES = (Call.SEND, Call.ISEND, Call.RECV, Call.IRECV)
_REQUESTS = (Call.ISEND, Call.IRECV, Call.WAIT)
_MOST = {"peer": 1 << 31, "comm": 1 << 30, "req": 1 << 31}


@dataclass(frozen=True)
class Lines:
    """Lines of the text format, in the order of the file."""

    table: Table  # their words
    # As in `netplace.apps.recorded.CALL`; kind `COMMUNICATOR` of a line that names one. Tag and request are
    # those of messages and waits only.
    rank: NDArray[np.int64]
    kind: NDArray[np.int64]
    peer: NDArray[np.int64]
    size: NDArray[np.int64]
    tag: NDArray[np.int64]
    communicator: NDArray[np.int64]
    request: NDArray[np.int64]
    gap: NDArray[np.float64]  # seconds of computation before each line

    @property
    def messages(self) -> NDArray[np.bool_]:
        return np.isin(self.kind, _MESSAGES)


def parsed(text: bytes, before: int) -> Lines:
    """Return lines of the text format and their contents."""
    table = Table(text, before)
    _check_columns(table)
    rows = np.arange(len(table))
    rank = table.integers(rows, 0, "rank")
    kind = _kinds(table, rows)
    peer = table.integers(rows, 2, "peer", -1)
    size = table.integers(rows, 3, "bytes")
    too_long = (kind == Call.COMPUTE) & (size >= MOST_CYCLES)
    _refuse(table, too_long, "a compute must be less than 2**59 cycles", column=3)
    communicator = table.integers(rows, 5, "comm")
    messages, requests = np.isin(kind, _MESSAGES), np.isin(kind, _REQUESTS)
    tag, request = np.zeros_like(kind), np.full_like(kind, -1)
    tag[messages] = table.integers(rows[messages], 4, "tag of a message")
    request[requests] = table.integers(rows[requests], 6, "req of a request")
    for name, column in (("peer", peer), ("comm", communicator), ("req", request)):
        _refuse(table, column >= _MOST[name], f"{name} must be less than {_MOST[name]}")
    _refuse(table, rank >= MOST_TASKS, f"ranks must be less than {MOST_TASKS}", column=0)
    strange = messages & ((peer < 0) | (peer >= MOST_TASKS))
    _refuse(table, strange, "peer must be a rank", column=2)
    return Lines(
        table=table,
        rank=rank,
        kind=kind,
        peer=np.where(messages, peer, -1),
        size=np.where(kind == Call.WAIT, 0, size),
        tag=tag,
        communicator=communicator,
        request=request,
        gap=table.reals(rows, 7, "gap_us") * 1e-6,
    )


def _check_columns(table: Table) -> None:
    if (table.columns != len(COLUMNS)).any():
        row = int((table.columns != len(COLUMNS)).argmax())
        raise table.fault(
            row, f"has {table.columns[row]} words, expected {len(COLUMNS)}: {' '.join(COLUMNS)}"
        )


def _kinds(table: Table, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    words = table.words(rows, 1)
    kind = np.zeros(len(rows), np.int64)
    known = np.zeros(len(rows), bool)
    for name, number in KINDS.items():
        here = words == packed(name)
        kind[here] = number
        known |= here
    _refuse(table, ~known, f"op must be one of {', '.join(KINDS)}", column=1)
    return kind


def _refuse(table: Table, wrong: NDArray[np.bool_], reason: str, column: int | None = None) -> None:
    if wrong.any():
        row = int(wrong.argmax())
        what = "" if column is None else f", not {abbreviate(table.texts(np.array([row]), column)[0])}"
        raise table.fault(row, reason + what)
