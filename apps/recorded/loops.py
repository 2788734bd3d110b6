"""Loops in the calls of a rank, found while reading: a repeated body is stored once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps.recorded.calls import CALL, Batch, Call
from netplace.apps.recorded.program import cycles_before
from netplace.apps.recorded.settling import Settling, opens

# Calls in a form in which repetitions are equal: `NORMAL` rows.
#
# Instead of a number, a request has an age: the requests that its rank has opened since. Computation is in
# whole cycles. Marks, the recorded clock, and calls without time or messages are omitted.

Int = NDArray[np.int64]
COLUMNS = ("kind", "peer", "communicator", "size", "tag", "sizes", "before", "age")
_KIND, _PEER, _SIZE, _BEFORE, _AGE = 0, 1, 3, 6, 7


class Normal:
    """Turns batches of calls into rows of `COLUMNS`, rank by rank."""

    def __init__(self, cycles_per_us: float) -> None:
        self._cycles_per_us = cycles_per_us
        self._settling = Settling()
        self._opened: dict[int, int] = {}  # requests so far, by rank

    @property
    def sizes(self) -> list[tuple[int, ...]]:
        """The different lists that calls name; the column ``sizes`` has their places."""
        return self._settling.sizes

    @property
    def waiting(self) -> int:
        """Number of calls held until the message of a receive is known."""
        return self._settling.waiting

    def rows(self, batch: Batch) -> Iterator[tuple[int, Int]]:
        """Yield each rank of a batch with its rows, those of a rank in order over all batches."""
        yield from self._rows(self._settling.settle(batch))

    def rest(self) -> Iterator[tuple[int, Int]]:
        """Yield the rows of calls that were held back until now."""
        yield from self._rows(self._settling.rest())

    def _rows(self, calls: NDArray[Any]) -> Iterator[tuple[int, Int]]:
        if not len(calls):
            return
        begins = np.flatnonzero(np.diff(calls["rank"], prepend=-1))
        rows = np.empty((len(calls), len(COLUMNS)), np.int64)
        for column, name in enumerate(COLUMNS[:6]):
            rows[:, column] = calls[name]
        rows[:, _BEFORE] = cycles_before(calls, self._cycles_per_us)
        rows[:, _AGE] = 0
        kind, opening = calls["kind"], opens(calls)
        for column in (_PEER, _SIZE):
            rows[(kind == Call.MARK) | (kind == Call.REDUCTION), column] = 0
        rows[(kind == Call.MARK) | (kind == Call.REDUCTION) | (kind == Call.COMPUTE), _KIND] = Call.COMPUTE
        rows[rows[:, _KIND] == Call.COMPUTE, _PEER] = -1
        waits = kind == Call.WAIT
        rows[waits, _PEER:_BEFORE] = 0  # of what they wait for
        rows[opening & (kind == Call.COLLECTIVE), _AGE] = 1
        kept = (rows[:, _KIND] != Call.COMPUTE) | (rows[:, _SIZE] > 0) | (rows[:, _BEFORE] > 0)
        for begin, end in zip(begins.tolist(), [*begins[1:].tolist(), len(calls)], strict=True):
            rank, part = int(calls["rank"][begin]), slice(begin, end)
            count = self._opened.get(rank, 0) + np.cumsum(opening[part])
            self._opened[rank] = int(count[-1])
            own = waits[part]
            rows[part, _AGE][own] = count[own] - 1 - calls["request"][part][own]
            yield rank, rows[part][kept[part]]


def as_calls(rank: int, rows: Int, cycles_per_us: float) -> NDArray[Any]:
    """Return rows of a rank, from its first, as calls."""
    calls = np.zeros(len(rows), CALL)
    for column, name in enumerate(COLUMNS[:6]):
        calls[name] = rows[:, column]
    calls["rank"], calls["time"] = rank, np.nan
    calls["sizes"][rows[:, _KIND] != Call.COLLECTIVE] = -1
    if cycles_per_us:
        calls["gap"] = rows[:, _BEFORE] / (1e6 * cycles_per_us)
    kind = rows[:, _KIND]
    opening = (kind == Call.ISEND) | (kind == Call.IRECV) | ((kind == Call.COLLECTIVE) & (rows[:, _AGE] > 0))
    count = np.cumsum(opening)
    waits = kind == Call.WAIT
    calls["request"] = np.where(opening, count - 1, np.where(waits, count - 1 - rows[:, _AGE], -1))
    calls["peer"][waits] = -1
    return calls


_FIRST_SEARCH = 1 << 10  # rows
_TRIES = 32  # places at which a loop may have ended
_LEAST = 3  # times that a body must stand to be a loop
# Rows of a loop that is written out again when it ends, so that it may be part of a longer one.
_SMALL = 1 << 16


@dataclass(frozen=True)
class Part:
    """Rows that occur `times` times in succession."""

    rows: Int
    times: int = 1

    @property
    def length(self) -> int:
        return len(self.rows) * self.times


class Sequence:
    """The rows of a rank in order, loops kept once.

    A search for a loop takes place whenever the number of kept rows has doubled: they must end with a loop
    that covers at least half of them. Later rows are compared with its body as long as they match.
    """

    def __init__(self, width: int) -> None:
        self._parts: list[Part] = []
        self._tail = [np.empty((0, width), np.int64)]  # not in a loop so far
        self._length = 0
        self._search = _FIRST_SEARCH
        self._body: Int | None = None
        self._place = 0  # rows since the begin of the loop

    @property
    def kept(self) -> int:
        return self._length + sum(len(part.rows) for part in self._parts)

    def extend(self, rows: Int) -> None:
        if self._body is not None:
            rows = self._matched(self._body, rows)
        if len(rows):
            self._append(rows)

    def parts(self) -> list[Part]:
        """Return all rows; nothing may be appended any more."""
        if self._body is not None:
            self._keep(self._body)
        self._parts += _with_loop(np.concatenate(self._tail))
        return self._parts

    def _append(self, rows: Int) -> None:
        self._tail.append(rows)
        self._length += len(rows)
        if self._length < self._search:
            return
        self._search = 2 * self._length
        joined = np.concatenate(self._tail)
        self._tail = [joined]
        loop = _loop_at_end(joined)
        if loop is None:
            return
        begin, period = loop
        self._parts.append(Part(joined[:begin].copy()))
        self._tail, self._length = [joined[:0]], 0
        self._body, self._place = joined[begin : begin + period].copy(), len(joined) - begin

    def _matched(self, body: Int, rows: Int) -> Int:
        """Count the rows that continue the loop, and return the others."""
        wanted = body[(self._place + np.arange(len(rows))) % len(body)]
        same = (wanted == rows).all(axis=1)
        if same.all():
            self._place += len(rows)
            return rows[:0]
        first = int(same.argmin())
        self._place += first
        self._end_loop(body)
        return rows[first:]

    def _end_loop(self, body: Int) -> None:
        if self._place < _SMALL:
            times = -(-self._place // len(body))
            self._tail = [self._parts.pop().rows, np.tile(body, (times, 1))[: self._place]]
            self._body = None
        else:
            self._keep(body)
        self._length = sum(map(len, self._tail))
        self._search = max(_FIRST_SEARCH, 2 * self._length)

    def _keep(self, body: Int) -> None:
        times, begun = divmod(self._place, len(body))
        self._parts.append(Part(body, times))
        self._tail = [body[:begun]]
        self._body = None


def _with_loop(rows: Int) -> list[Part]:
    """Return rows as parts, with a loop if one ends in their second half and is long enough."""
    for shorter in range(_TRIES):
        end = len(rows) - shorter * len(rows) // (2 * _TRIES)
        loop = _loop_at_end(rows[:end])
        if loop is not None:
            begin, period = loop
            differ = np.flatnonzero((rows[begin + period :] != rows[begin:-period]).any(axis=1))
            length = period + (int(differ[0]) if len(differ) else len(rows) - begin - period)
            times = length // period
            body, after = rows[begin : begin + period], rows[begin + times * period :]
            return [Part(rows[:begin]), Part(body, times), Part(after)]
    return [Part(rows)]


def _loop_at_end(rows: Int) -> tuple[int, int] | None:
    """Return where a loop begins with which the rows end, and its period; it covers at least half of them."""
    mark = _marks(rows)
    length = len(mark)
    if length < _LEAST:
        return None
    distances = length - 1 - np.flatnonzero(mark[:-1] == mark[-1])[::-1]
    for period in distances[distances <= length // _LEAST].tolist():
        run = _run_at_end(mark, period, length // 2 - period)
        if run + period >= max(_LEAST * period, length // 2) and run >= 0:
            begin = length - run - period
            if (rows[begin + period :] == rows[begin : length - period]).all():
                return begin, period
    return None


def _run_at_end(mark: Int, period: int, minimum: int) -> int:
    """Return how many of the last numbers are those a period before; -1 if they are fewer than `minimum`."""
    some = 64
    while some < minimum:
        if (mark[-some:] != mark[-some - period : -period]).any():
            return -1
        some *= 8
    differ = np.flatnonzero(mark[period:] != mark[:-period])
    return len(mark) - period - (int(differ[-1]) + 1 if len(differ) else 0)


def _marks(rows: Int) -> Int:
    """Return a number for each row, the same for equal ones."""
    mark = np.zeros(len(rows), np.uint64)
    for column in rows.T:
        mark = (mark ^ column.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mark ^= mark >> np.uint64(29)
    return mark.view(np.int64)
