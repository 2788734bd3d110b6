"""Input of a whole trace into memory, with late information put in its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps.operation import check_length
from netplace.apps.recorded.calls import CALL, Call
from netplace.apps.recorded.trace import IGNORABLE, Trace, ignorable
from netplace.checks.sizes import most_bytes

_BYTES_A_CALL = 400  # at the worst moment: the calls, keys to sort and match them, and the program
PENDING = -2  # source of a receive that is known only at its completion


def check_left_out(left_out: Counter[str], ignore: Collection[str]) -> None:
    """Refuse operations that cannot be replayed, but for those that are to be ignored."""
    for kind in IGNORABLE:
        names = {
            name: number for name, number in sorted(left_out.items()) if (ignorable(name) or "other") == kind
        }
        if names and kind not in ignore:
            listed = ", ".join(f"{number} {name}" for name, number in names.items())
            what = "operations" if kind == "other" else f"{kind} operations"
            raise ValueError(
                f"contains {what}, which cannot be replayed: {listed}; --ignore {kind} skips them"
            )


def gathered(trace: Trace, ranks: Collection[int] | None = None) -> tuple[NDArray[Any], list[Any]]:
    """Return all calls, those of rank 0 first, each rank's in order, and the lists that they name."""
    chosen = None if ranks is None else np.array(sorted(ranks), np.int64)
    if ranks is None:
        check_kept(trace.unrepeated)
    parts: list[NDArray[Any]] = []
    sizes: list[Any] = []
    length = 0
    for batch in trace.batches:
        calls = batch.calls
        if batch.sizes:
            calls["sizes"][calls["sizes"] >= 0] += len(sizes)
            sizes += batch.sizes
        if chosen is not None:
            calls = calls[np.isin(calls["rank"], chosen)]
        length += len(calls)
        check_kept(length)
        parts.append(calls)
    calls = np.concatenate(parts) if parts else np.empty(0, CALL)
    keys = (calls["rank"],) if trace.sorted else (calls["time"], calls["rank"])
    calls = calls[np.lexsort(keys)]
    used = calls["request"] != -1
    calls["request"][used] = np.unique(calls["request"][used], return_inverse=True)[1]
    return calls, sizes


def check_kept(calls: int) -> None:
    check_length(calls, "the trace")
    limit = most_bytes()
    if calls * _BYTES_A_CALL > limit:
        raise ValueError(
            f"has more than {calls:,} calls without repetition, which take more than {limit:,} bytes of "
            f"memory; cut the trace to some --ranks or a window"
        )


def resolved_receives(calls: NDArray[Any]) -> NDArray[Any]:
    """Return calls whose receives have the information of their completion; drop those without any."""
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
    fields = ("peer", "tag", "size", "communicator")
    for name in fields:
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


def complete(calls: NDArray[Any]) -> NDArray[Any]:
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


def whole_sections(calls: NDArray[Any], ranks: int) -> NDArray[Any]:
    """Return the calls without marks of sections that not all of the given number of ranks begin and end."""
    rows = np.flatnonzero((calls["kind"] == Call.MARK) & (calls["tag"] > 0))
    if not len(rows):
        return calls
    marks = np.unique(np.column_stack([calls["tag"][rows], calls["rank"][rows]]), axis=0)
    sections, number = np.unique((marks[:, 0] - 1) // 2, return_counts=True)
    torn = rows[np.isin((calls["tag"][rows] - 1) // 2, sections[number < 2 * ranks])]
    calls["kind"][torn], calls["size"][torn], calls["peer"][torn] = Call.COMPUTE, 0, -1
    return calls
