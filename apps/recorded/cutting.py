"""A part of a trace, cut out as it is read: what lies outside is dropped at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps.recorded.calls import Call
from netplace.apps.recorded.gathering import check_kept, check_left_out, complete, whole_sections
from netplace.apps.recorded.matching import channel_places
from netplace.apps.recorded.recorded import Recorded, check_ranks
from netplace.apps.recorded.settling import UnresolvedError, settled
from netplace.apps.recorded.trace import Trace
from netplace.apps.recorded.windows import Part

__all__ = ["cut"]

_SEND, _RECEIVE, _COLLECTIVE = 0, 1, 2
# Columns of what counts calls: which of the three, source and destination or rank and -1, communicator, tag
# or -1; and which of its like a call is, from 0.
_PLACE = 5


def cut(
    trace: Trace, part: Part, ignore: Collection[str] = (), ranks: Sequence[int] | None = None
) -> Recorded:
    """Return a part of a trace, or of what some of its ranks do among themselves.

    Memory is that of the calls which are kept, of those that wait to be told what a receive took, and of a
    number for each channel. Messages and collectives of which a part lies outside are omitted, and counted.

    Parameters
    ----------
    trace : Trace
        Its calls come in order; its batches are read to their end.
    part : Part
        Tells which calls are kept.
    ignore : collection of str
        Keys of `IGNORABLE` that are omitted instead of refused.
    ranks : sequence of int, optional
        They are numbered again, in the order given, see `Recorded.only`.
    """
    counts: Counter[tuple[int, ...]] = Counter()
    rows, names, length = [], [], 0
    sizes: Sequence[Sequence[int]] = ()
    for batch in settled(trace).batches:
        calls, sizes = _of_ranks(batch.calls, ranks), batch.sizes
        named = _named(calls, counts, trace.by_length)
        keep = part.keep(calls)
        rows.append(calls[keep])
        names.append(named[keep])
        length += len(rows[-1])
        check_kept(length)
    if ranks is not None:
        check_ranks(ranks, trace.ranks)
    check_left_out(trace.left_out, ignore)
    part.check(range(trace.ranks) if ranks is None else ranks)
    calls, named = np.concatenate(rows), np.concatenate(names)
    order = np.argsort(calls["rank"], kind="stable")
    calls, lost = _whole(calls[order], named[order], counts, trace, ranks)
    calls = whole_sections(calls, trace.ranks if ranks is None else len(ranks))
    sections = tuple(trace.facts.get("sections", ()))
    calls = complete(calls)
    whole = Recorded(
        trace.ranks, calls, sizes, trace.communicators, sections, lost, trace.left_out, trace.by_length
    )
    return whole if ranks is None else whole.only(ranks)


def _of_ranks(calls: NDArray[Any], ranks: Sequence[int] | None) -> NDArray[Any]:
    """Return the calls of some ranks, without their messages to others."""
    kind = calls["kind"]
    messages = (kind == Call.SEND) | (kind == Call.ISEND) | (kind == Call.RECV) | (kind == Call.IRECV)
    unresolved = messages & ((calls["peer"] < 0) | (calls["tag"] < 0))
    if ranks is None:
        if unresolved.any():
            raise UnresolvedError("a receive from any source or of any tag")
        return calls
    chosen = np.isin(calls["rank"], list(ranks))
    if (unresolved & chosen).any():
        raise UnresolvedError("a receive from any source or of any tag")
    away = (messages & ~np.isin(calls["peer"], list(ranks)))[chosen]
    calls = calls[chosen]
    calls["kind"][away], calls["size"][away], calls["request"][away] = Call.COMPUTE, 0, -1
    return calls


def _named(calls: NDArray[Any], counts: Counter[tuple[int, ...]], by_length: bool) -> NDArray[np.int64]:
    """Return what each message and collective is on its channel, and count it; -1 for other calls."""
    # By length, that stands for the communicator of a message: such traces have only one.
    named = np.full((len(calls), _PLACE + 1), -1, np.int64)
    rank, peer, kind = calls["rank"], calls["peer"], calls["kind"]
    sends = (kind == Call.SEND) | (kind == Call.ISEND)
    receives = (kind == Call.RECV) | (kind == Call.IRECV)
    for side, which, columns in (
        (_SEND, sends, (rank, peer, calls["tag"])),
        (_RECEIVE, receives, (peer, rank, calls["tag"])),
        (_COLLECTIVE, kind == Call.COLLECTIVE, (rank, None, None)),
    ):
        apart = "size" if by_length and side != _COLLECTIVE else "communicator"
        named[which, 0], named[which, 3] = side, calls[apart][which]
        for column, values in zip((1, 2, 4), columns, strict=True):
            if values is not None:
                named[which, column] = values[which]
    some = np.flatnonzero(named[:, 0] >= 0)
    some = some[np.lexsort(named[some, :_PLACE].T)]
    keys = named[some, :_PLACE]
    new = np.ones(len(some), bool)
    new[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    begins = np.flatnonzero(new)
    lengths = np.diff([*begins.tolist(), len(some)])
    before = []
    for key, count in zip(map(tuple, keys[begins].tolist()), lengths.tolist(), strict=True):
        before.append(counts[key])
        counts[key] += count
    named[some, _PLACE] = channel_places(np.cumsum(new)) + np.repeat(np.array(before, np.int64), lengths)
    return named


def _whole(
    calls: NDArray[Any],
    named: NDArray[np.int64],
    counts: Counter[tuple[int, ...]],
    trace: Trace,
    ranks: Sequence[int] | None,
) -> tuple[NDArray[Any], int]:
    """Return the calls, those of torn messages and collectives as computation, and how many were torn."""
    torn = np.zeros(len(calls), bool)
    messages = np.flatnonzero((named[:, 0] == _SEND) | (named[:, 0] == _RECEIVE))
    messages = messages[np.lexsort(named[messages].T)]
    key = named[messages, 1:]
    first = np.flatnonzero((key[1:] == key[:-1]).all(axis=1)) if len(key) else np.empty(0, np.int64)
    sends, receives = messages[first], messages[first + 1]
    calls["size"][receives] = calls["size"][sends]
    alone = np.setdiff1d(messages, np.concatenate([sends, receives]))
    lost = 0
    for row in alone.tolist():
        # What has no partner in all of the trace stays, for `netplace.apps.Program.check` to name.
        side, *channel, place = named[row].tolist()
        if place < counts[1 - side, *channel]:
            torn[row] = True
            lost += side == _SEND
    by: dict[tuple[int, int], list[int]] = {}
    for row in np.flatnonzero(named[:, 0] == _COLLECTIVE).tolist():
        by.setdefault((int(named[row, 3]), int(named[row, _PLACE])), []).append(row)
    chosen = None if ranks is None else set(ranks)
    for (communicator, _), own in by.items():
        members = trace.communicators[communicator]
        if len(own) < sum(chosen is None or member in chosen for member in members):
            torn[own] = True
            lost += 1
    # What the rank computed before a call that goes, it still computed.
    calls["kind"][torn] = Call.COMPUTE
    calls["size"][torn] = 0
    for name in ("request", "sizes", "peer"):
        calls[name][torn] = -1
    return calls, lost
