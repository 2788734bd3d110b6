"""From the calls of a trace to the program that a simulator replays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from netplace.apps.collectives import Collectives
from netplace.apps.operation import MOST_CYCLES, Op, check_length
from netplace.apps.program import Program
from netplace.apps.recorded.calls import CALL, Call
from netplace.apps.recorded.instances import collective_blocks
from netplace.apps.recorded.matching import matched
from netplace.apps.recorded.trace import IGNORABLE, Trace, ignorable
from netplace.apps.recorded.wildcards import resolved
from netplace.apps.requests import renumbered

__all__ = ["check_left_out", "gathered", "program_of"]

PENDING = -2  # source of a receive that is told where it is completed


def program_of(
    trace: Trace,
    cycles_per_us: float = 0.0,
    ignore: Collection[str] = (),
    collectives: Collectives | None = None,
) -> Program:
    """Return the program of a trace, its collectives written out as messages.

    A receive takes as many bytes as its send has. Recorded computation becomes whole cycles; a request that
    is never waited for is waited for at the end of its rank.

    Parameters
    ----------
    trace : Trace
        What is read; its batches are read to their end.
    cycles_per_us : float
        Cycles in a microsecond; 0: recorded computation is dropped.
    ignore : collection of str
        Keys of `IGNORABLE` that are left out instead of refused.
    collectives : Collectives, optional
        Chooses the algorithms of collectives; ours by default.

    Raises
    ------
    ValueError
        If the trace holds what cannot be replayed, or its ranks disagree.
    """
    calls, sizes = gathered(trace)
    check_left_out(trace.left_out, ignore)
    calls = _with_waits(_told(calls))
    calls = matched(resolved(calls, trace))
    blocks = collective_blocks(calls, sizes, trace, collectives)
    return _joined(calls, blocks, trace, cycles_per_us)


def check_left_out(left_out: Counter[str], ignore: Collection[str]) -> None:
    """Refuse operations that cannot be replayed, but for those that are to be ignored.

    Raises
    ------
    ValueError
        If there are such, naming and counting them.
    """
    for kind in IGNORABLE:
        names = {name: number for name, number in sorted(left_out.items()) if ignorable(name) == kind}
        if names and kind not in ignore:
            listed = ", ".join(f"{number} {name}" for name, number in names.items())
            raise ValueError(
                f"holds {kind} operations, which cannot be replayed: {listed}; "
                f"--ignore {kind} leaves them out"
            )


def gathered(trace: Trace) -> tuple[NDArray[Any], list[Any]]:
    """Return all calls, those of rank 0 first, each rank's in order, and the lists that they name."""
    parts: list[NDArray[Any]] = []
    sizes: list[Any] = []
    length = 0
    for batch in trace.batches:
        calls = batch.calls
        if batch.sizes:
            calls["sizes"][calls["sizes"] >= 0] += len(sizes)
            sizes += batch.sizes
        length += len(calls)
        check_length(length, "the trace")
        parts.append(calls)
    calls = np.concatenate(parts) if parts else np.empty(0, CALL)
    keys = (calls["rank"],) if trace.sorted else (calls["time"], calls["rank"])
    calls = calls[np.lexsort(keys)]
    used = calls["request"] != -1
    calls["request"][used] = np.unique(calls["request"][used], return_inverse=True)[1]
    return calls, sizes


def _told(calls: NDArray[Any]) -> NDArray[Any]:
    """Let receives know what is told where they are completed; drop those that never are."""
    waits = np.flatnonzero((calls["kind"] == Call.WAIT) & (calls["peer"] >= 0))
    posts = np.flatnonzero((calls["kind"] == Call.IRECV) & ((calls["peer"] < 0) | (calls["tag"] < 0)))
    if not len(posts):
        return calls
    keys = _request_key(calls[posts])
    order = np.argsort(keys, kind="stable")
    keys, posts = keys[order], posts[order]
    place = np.searchsorted(keys, _request_key(calls[waits]))
    known = place < len(keys)
    known[known] = keys[place[known]] == _request_key(calls[waits][known])
    target, source = posts[place[known]], waits[known]
    told = ("peer", "tag", "size", "communicator")
    for name in told:
        calls[name][target] = calls[name][source]
    lost = np.zeros(len(calls), bool)
    lost[posts] = calls["peer"][posts] == PENDING
    if lost.any():
        names = np.unique(_request_key(calls[lost]))
        lost |= (calls["kind"] == Call.WAIT) & np.isin(_request_key(calls), names)
    return calls[~lost]


def _request_key(calls: NDArray[Any]) -> NDArray[np.int64]:
    key: NDArray[np.int64] = (calls["rank"].astype(np.int64) << 32) + calls["request"]
    return key


def _with_waits(calls: NDArray[Any]) -> NDArray[Any]:
    """Let every request be waited for once: drop waits for none, add those that are missing at the end."""
    kind = calls["kind"]
    opens = np.flatnonzero(
        (kind == Call.ISEND) | (kind == Call.IRECV) | ((kind == Call.COLLECTIVE) & (calls["request"] != -1))
    )
    waits = np.flatnonzero(kind == Call.WAIT)
    opened, waited = _request_key(calls[opens]), _request_key(calls[waits])
    _, first = np.unique(waited, return_index=True)
    kept = np.zeros(len(waits), bool)
    kept[first] = True
    kept &= np.isin(waited, opened)
    keep = np.ones(len(calls), bool)
    keep[waits[~kept]] = False
    missing = calls[opens[~np.isin(opened, waited)]].copy()
    missing["kind"], missing["gap"], missing["peer"], missing["wild"] = Call.WAIT, 0.0, -1, 0
    if keep.all() and not len(missing):
        return calls
    # The computation before a dropped wait stays.
    dropped = calls[~keep].copy()
    dropped["kind"], dropped["size"] = Call.COMPUTE, 0
    calls = calls.copy()
    calls[~keep] = dropped
    calls = np.concatenate([calls, missing])
    return calls[np.argsort(calls["rank"], kind="stable")]


def _joined(
    calls: NDArray[Any], blocks: dict[int, dict[str, NDArray[Any]]], trace: Trace, cycles_per_us: float
) -> Program:
    """Return the program of calls and of the operations that stand for their collectives."""
    kind = calls["kind"]
    before = np.rint(calls["gap"] * (1e6 * cycles_per_us))
    if (before >= MOST_CYCLES).any():
        rank = int(calls["rank"][int((before >= MOST_CYCLES).argmax())])
        raise ValueError(f"rank {rank} computes for too long, expected less than 2**59 cycles")
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
    first = np.zeros(trace.ranks + 1, np.int64)
    np.add.at(first, calls["rank"] + 1, lengths)
    marks = np.flatnonzero((kind == Call.MARK) & (calls["tag"] == 0))
    program = Program(
        first=np.cumsum(first),
        marks=np.column_stack([calls["rank"][marks], place[marks], calls["peer"][marks]]).astype(np.int64),
        **cast(Any, columns),
    )
    return replace(program, request=renumbered(program))


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
