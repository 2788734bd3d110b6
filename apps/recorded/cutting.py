"""A whole trace, or a part that is cut out while it is read: calls outside are dropped at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from netplace.apps.collectives import Collectives
from netplace.apps.program import Program
from netplace.apps.recorded.calls import ROOTED_NUMBERS, Call
from netplace.apps.recorded.recorded import Recorded
from netplace.apps.recorded.settling import (
    UnresolvedError,
    check_kept,
    check_left_out,
    complete,
    gathered,
    resolved_receives,
    settled,
    whole_sections,
)
from netplace.apps.recorded.trace import IGNORABLE, Trace
from netplace.apps.recorded.wildcards import resolved, with_sizes
from netplace.apps.replay import ordinals


class _Part(Protocol):
    def keep(self, calls: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which calls, by rank, lie in the part; those of a rank come in order over all batches."""

    def check(self, ranks: Collection[int]) -> None:
        """Raise ValueError if these ranks, when all is read, have nothing that the part names."""


def first_call(trace: Trace, ranks: Collection[int] | None = None) -> float | None:
    """Return when the first call of a trace, or of some of its ranks, began, in its own seconds.

    None if the trace has no clock, as its first calls show. Its batches are read.
    """
    first = np.inf
    for batch in trace.batches:
        times = batch.calls["time"]
        if first == np.inf and len(times) and not np.isfinite(times).any():
            return None
        if ranks is not None:
            times = times[np.isin(batch.calls["rank"], list(ranks))]
        first = min(first, float(np.nanmin(times, initial=np.inf)))
    return None if first == np.inf else first


class Window:
    """Calls that began from `begin` to before `end`, in seconds since the first call."""

    # Without a clock there is no `first`: the time of a call is then the computation of its rank before it.
    def __init__(self, begin: float, end: float, first: float | None) -> None:
        self._begin, self._end, self._first = begin, end, first
        self._computed: dict[int, float] = {}
        self._last, self._any = 0.0, False

    def keep(self, calls: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which calls lie in the window."""
        if self._first is None:
            times = np.zeros(len(calls))
            for rank, begin, end in _spans(calls):
                gaps = np.concatenate([[self._computed.get(rank, 0.0)], calls["gap"][begin:end]])
                times[begin:end] = np.cumsum(gaps)[1:]
                self._computed[rank] = float(times[end - 1])
        else:
            known = calls["time"]
            times = np.where(np.isfinite(known), known, self._first) - self._first
        keep: NDArray[np.bool_] = (times >= self._begin) & (times < self._end)
        self._last = max(self._last, float(times.max(initial=0.0)))
        self._any = self._any or bool(keep.any())
        return keep

    def check(self, ranks: Collection[int]) -> None:
        """Raise ValueError if nothing lies in the window."""
        if not self._any:
            raise ValueError(
                f"no call begins from {self._begin:g} to {self._end:g} s, the trace ends at {self._last:g} s"
            )


class Iterations:
    """The marked iterations `first` to `last` of every rank."""

    def __init__(self, first: int, last: int) -> None:
        self._first, self._last = first, last
        self._begun: set[int] = set()
        self._in_last: set[int] = set()
        self._ended: set[int] = set()

    def keep(self, calls: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which calls lie in the iterations."""
        keep = np.zeros(len(calls), bool)
        marks = (calls["kind"] == Call.MARK) & (calls["tag"] == 0)
        for rank, begin, end in _spans(calls):
            at = begin
            for place in (np.flatnonzero(marks[begin:end]) + begin).tolist():
                keep[at:place] = self._inside(rank)
                self._mark(rank, int(calls["peer"][place]))
                at = place
            keep[at:end] = self._inside(rank)
        return keep

    def check(self, ranks: Collection[int]) -> None:
        """Raise ValueError if a rank has no mark of one of them."""
        for rank in ranks:
            for number, marked in ((self._first, self._begun), (self._last, self._in_last)):
                if rank not in marked:
                    raise ValueError(f"rank {rank} has no mark of iteration {number}")

    def _inside(self, rank: int) -> bool:
        return rank in self._begun and rank not in self._ended

    def _mark(self, rank: int, number: int) -> None:
        if number > self._last or rank in self._in_last:
            self._ended.add(rank)
        if number == self._last:
            self._in_last.add(rank)
        if number == self._first:
            self._begun.add(rank)


class _Everything:
    def keep(self, calls: NDArray[Any]) -> NDArray[np.bool_]:
        return np.ones(len(calls), bool)

    def check(self, ranks: Collection[int]) -> None:
        """Do nothing: nothing is named."""


def _spans(calls: NDArray[Any]) -> Iterator[tuple[int, int, int]]:
    """Yield the ranks, with the rows at which the calls of each begin and end."""
    ranks, begins = np.unique(calls["rank"], return_index=True)
    yield from zip(ranks.tolist(), begins.tolist(), [*begins.tolist(), len(calls)][1:], strict=True)


_SEND, _RECEIVE, _COLLECTIVE = 0, 1, 2
# Columns of what counts calls: which of the three, source and destination or rank and -1, communicator, tag
# or -1; and which of its like a call is, from 0.
_PLACE = 5


def cut(
    trace: Trace, part: _Part, ignore: Collection[str] = (), ranks: Sequence[int] | None = None
) -> Recorded:
    """Return a part of a trace with ordered calls, or of the communication among some of its ranks.

    Memory holds the calls that are kept, those that wait for the message of a receive, and a number per
    channel. Messages and collectives that are partly outside are omitted and counted.
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
    sections = tuple(trace.sections)
    calls = complete(calls)
    whole = Recorded(
        trace.ranks, calls, sizes, trace.communicators, sections, lost, trace.left_out, trace.by_length
    )
    return whole if ranks is None else whole.of_ranks(ranks)


def part_of(whole: Recorded, part: _Part) -> Recorded:
    """Return a part of a trace that is in memory."""
    made = cut(whole.trace(), part, IGNORABLE)
    return replace(made, lost=whole.lost + made.lost)


def _of_ranks(calls: NDArray[Any], ranks: Sequence[int] | None) -> NDArray[Any]:
    """Return the calls of some ranks, without their messages to others."""
    kind = calls["kind"]
    messages = (kind == Call.SEND) | (kind == Call.ISEND) | (kind == Call.RECV) | (kind == Call.IRECV)
    unresolved = messages & ((calls["peer"] < 0) | (calls["tag"] < 0))
    chosen = np.ones(len(calls), bool) if ranks is None else np.isin(calls["rank"], list(ranks))
    if (unresolved & chosen).any():
        raise UnresolvedError("a receive from any source or with any tag")
    if ranks is None:
        return calls
    away = (messages & ~np.isin(calls["peer"], list(ranks)))[chosen]
    calls = calls[chosen]
    calls["kind"][away], calls["size"][away], calls["request"][away] = Call.COMPUTE, 0, -1
    return calls


def _named(calls: NDArray[Any], counts: Counter[tuple[int, ...]], by_length: bool) -> NDArray[np.int64]:
    """Return the channel of each message and collective, and its place there; -1 for other calls."""
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
    named[some, _PLACE] = ordinals(np.cumsum(new)) + np.repeat(np.array(before, np.int64), lengths)
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
        # A message without a partner in the whole trace stays; `netplace.apps.Program.check` reports it.
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
        root = int(calls["peer"][own].max()) if int(calls["tag"][own[0]]) in ROOTED_NUMBERS else -1
        away = chosen is not None and root >= 0 and root not in chosen
        if away or len(own) < sum(chosen is None or member in chosen for member in members):
            torn[own] = True
            lost += 1
    # The computation before a dropped call stays.
    calls["kind"][torn] = Call.COMPUTE
    calls["size"][torn] = 0
    for name in ("request", "sizes", "peer"):
        calls[name][torn] = -1
    return calls, lost


def check_ranks(ranks: Sequence[int], count: int) -> None:
    """Raise ValueError unless these are different ranks of `count`."""
    for rank in ranks:
        if not 0 <= rank < count:
            raise ValueError(f"rank {rank} does not exist, expected 0 to {count - 1}")
    if len(set(ranks)) != len(ranks) or not ranks:
        raise ValueError("a rank appears twice, expected each rank once")


def recorded(trace: Trace, ignore: Collection[str] = (), ranks: Sequence[int] | None = None) -> Recorded:
    """Read a whole trace into memory, or the communication among some of its ranks; others take none."""
    calls, sizes = gathered(trace, ranks)
    calls = resolved_receives(calls)
    if ranks is not None:
        check_ranks(ranks, trace.ranks)
        messages = np.isin(calls["kind"], (Call.SEND, Call.ISEND, Call.RECV, Call.IRECV))
        away = messages & (calls["peer"] >= 0) & ~np.isin(calls["peer"], list(ranks))
        calls["kind"][away], calls["size"][away], calls["request"][away] = Call.COMPUTE, 0, -1
    check_left_out(trace.left_out, ignore)
    calls = with_sizes(resolved(complete(calls), trace), trace.by_length)
    whole = Recorded(
        trace.ranks,
        calls,
        sizes,
        trace.communicators,
        tuple(trace.sections),
        left_out=trace.left_out,
        by_length=trace.by_length,
    )
    return whole if ranks is None else cut(whole.trace(), _Everything(), IGNORABLE, ranks)


def program_of(
    trace: Trace,
    cycles_per_us: float = 0.0,
    ignore: Collection[str] = (),
    collectives: Collectives | None = None,
) -> Program:
    """Return the program of a trace, its collectives written out as messages.

    A receive takes as many bytes as its send has, unless receives find their sends by length. Recorded
    computation becomes whole cycles. A request that is never waited for is completed at the end of its rank.
    """
    return recorded(trace, ignore).program(cycles_per_us, collectives)
