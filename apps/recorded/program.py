"""The conversion of calls to the program that a simulator replays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from netplace.apps.operation import MOST_CYCLES, Op, check_length
from netplace.apps.program import Program
from netplace.apps.recorded.calls import Call
from netplace.apps.replay import renumbered


def joined(
    calls: NDArray[Any],
    blocks: dict[int, dict[str, NDArray[Any]]],
    ranks: int,
    cycles_per_us: float,
    sections: Sequence[str] = (),
) -> Program:
    """Return the program of calls, with the operations of `blocks` instead of their collectives."""
    kind = calls["kind"]
    before = cycles_before(calls, cycles_per_us)
    own = (kind >= 0) & (kind <= Call.WAIT) & ~((kind == Call.COMPUTE) & (calls["size"] == 0))
    own[list(blocks)] = False
    lengths = (before > 0).astype(np.int64) + own
    for row, block in blocks.items():
        lengths[row] += len(block["kind"])
    total = int(lengths.sum())
    check_length(total, "the trace")
    start = np.cumsum(lengths) - lengths
    place = start + (before > 0)
    columns: dict[str, NDArray[Any]] = {}
    for name, dtype, computing, values in (
        ("kind", np.int8, int(Op.COMPUTE), kind),
        ("peer", np.int32, -1, np.where(np.isin(kind, (Call.COMPUTE, Call.WAIT)), -1, calls["peer"])),
        ("size", np.int64, before[before > 0], np.where(kind == Call.WAIT, 0, calls["size"])),
        ("tag", np.int64, 0, _tags(calls)),
        ("request", np.int64, -1, calls["request"]),
    ):
        column = np.empty(total, dtype)
        column[start[before > 0]] = computing
        column[place[own]] = values[own]
        for row, block in blocks.items():
            column[place[row] : place[row] + len(block[name])] = block[name]
        columns[name] = column
    columns["request"] = _from_zero(columns, calls, lengths)
    first = np.zeros(ranks + 1, np.int64)
    np.add.at(first, calls["rank"] + 1, lengths)
    marks = np.flatnonzero((kind == Call.MARK) & (calls["tag"] == 0))
    for column in columns.values():
        column.flags.writeable = False  # so that the program holds these arrays, and no copies
    program = Program(
        first=np.cumsum(first),
        marks=np.column_stack([calls["rank"][marks], place[marks], calls["peer"][marks]]).astype(np.int64),
        sections=_sections(calls, place, ranks, sections),
        **cast(Any, columns),
    )
    return replace(program, request=renumbered(program))


def cycles_before(calls: NDArray[Any], cycles_per_us: float) -> NDArray[np.int64]:
    # Rounded twice, so that a half that a product has missed by its last digit is a half.
    with np.errstate(over="ignore"):
        factor = min(1e6 * cycles_per_us, 1e300)  # finite, for no time stays none
        before = np.rint(np.round(calls["gap"] * factor, 6))
    if (before >= MOST_CYCLES).any():
        rank = int(calls["rank"][int((before >= MOST_CYCLES).argmax())])
        raise ValueError(f"rank {rank} computes for too long, expected less than 2**59 cycles")
    return before.astype(np.int64)


def _sections(
    calls: NDArray[Any], place: NDArray[np.int64], ranks: int, names: Sequence[str]
) -> dict[str, NDArray[np.int64]]:
    """Return where each task begins and ends each section; only those of all tasks count."""
    sections = {}
    for number, name in enumerate(names):
        bounds = np.full((ranks, 2), -1, np.int64)
        for side in (0, 1):
            rows = np.flatnonzero((calls["kind"] == Call.MARK) & (calls["tag"] == 1 + 2 * number + side))
            bounds[calls["rank"][rows], side] = place[rows]
        if (bounds >= 0).all():
            sections[name] = bounds
    return sections


def _tags(calls: NDArray[Any]) -> NDArray[np.int64]:
    messages = np.isin(calls["kind"], (Call.SEND, Call.ISEND, Call.RECV, Call.IRECV))
    tags: NDArray[np.int64] = np.where(
        messages, calls["tag"] + (calls["communicator"].astype(np.int64) << 32), 0
    )
    return tags


def _from_zero(
    columns: dict[str, NDArray[Any]], calls: NDArray[Any], lengths: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Return requests as small numbers, the same for the same one of a rank."""
    request = columns["request"]
    used = np.isin(columns["kind"], (Op.ISEND, Op.IRECV, Op.WAIT))
    rank = np.repeat(calls["rank"].astype(np.int64), lengths)[used]
    key = np.unique(np.column_stack([rank, request[used]]), axis=0, return_inverse=True)[1].ravel()
    numbers = np.full(len(request), -1, np.int32)
    numbers[used] = key
    return numbers
