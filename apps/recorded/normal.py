"""Calls in a form in which what is done again looks the same again: `NORMAL` rows.

A request is told by its age, how many its rank has opened since, instead of its number; computation is in
whole cycles; what takes no time and no message is left out, marks and the recorded clock too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps.recorded.calls import CALL, Batch, Call
from netplace.apps.recorded.gathering import told
from netplace.apps.recorded.program import cycles_before

__all__ = ["COLUMNS", "Normal", "as_calls", "opens"]

Int = NDArray[np.int64]
COLUMNS = ("kind", "peer", "communicator", "size", "tag", "sizes", "before", "age")
_KIND, _PEER, _SIZE, _BEFORE, _AGE = 0, 1, 3, 6, 7
_NO_WAIT = 0  # the age of a call that is no wait


class Normal:
    """Turns batches of calls into rows of `COLUMNS`, rank by rank.

    Parameters
    ----------
    cycles_per_us : float
        Cycles in a microsecond of recorded computation.

    Attributes
    ----------
    sizes : list of tuple of int
        The different lists that calls name; the column ``sizes`` has their places.
    """

    def __init__(self, cycles_per_us: float) -> None:
        self.sizes: list[tuple[int, ...]] = []
        self._cycles_per_us = cycles_per_us
        self._places: dict[tuple[int, ...], int] = {}
        self._held = np.empty(0, CALL)
        self._opened = np.zeros(0, np.int64)  # requests so far, by rank
        # Requests that are open: rank, number in the trace, and which of its rank it is.
        self._open = np.empty((3, 0), np.int64)

    @property
    def waiting(self) -> int:
        """Calls that are held back until it is told what a receive took."""
        return len(self._held)

    def rows(self, batch: Batch) -> Iterator[tuple[int, Int]]:
        """Yield each rank of a batch with its rows, those of a rank in order over all batches."""
        calls = batch.calls.copy()
        named = np.flatnonzero(calls["sizes"] >= 0)
        calls["sizes"][named] = [self._place(tuple(batch.sizes[place])) for place in calls["sizes"][named]]
        calls = np.concatenate([self._held, calls])
        calls = calls[np.argsort(calls["rank"], kind="stable")]
        later = _from_first(calls, _untold(calls))
        self._held = calls[later]
        yield from self._released(calls[~later])

    def rest(self) -> Iterator[tuple[int, Int]]:
        """Yield the rows of calls that were held back until now."""
        held, self._held = self._held, np.empty(0, CALL)
        yield from self._released(held)

    def _place(self, listed: tuple[int, ...]) -> int:
        if listed not in self._places:
            self._places[listed] = len(self.sizes)
            self.sizes.append(listed)
        return self._places[listed]

    def _released(self, calls: NDArray[Any]) -> Iterator[tuple[int, Int]]:
        if not len(calls):
            return
        numbers = calls["request"].copy()
        used = numbers != -1
        if (calls["peer"][calls["kind"] == Call.IRECV] < 0).any() or (calls["tag"] < 0).any():
            places = calls.copy()
            places["request"][used] = np.unique(numbers[used], return_inverse=True)[1]
            order = np.arange(len(calls))
            places["time"] = order  # to find the request again
            places = told(places)
            calls = places.copy()
            calls["request"] = numbers[places["time"].astype(np.int64)]
        rows = np.empty((len(calls), len(COLUMNS)), np.int64)
        for column, name in enumerate(COLUMNS[:6]):
            rows[:, column] = calls[name]
        rows[:, _BEFORE] = cycles_before(calls, self._cycles_per_us)
        rows[:, _AGE] = self._ages(calls)
        kind = calls["kind"]
        nothing = (kind == Call.MARK) | (kind == Call.REDUCTION) | ((kind == Call.WAIT) & (rows[:, _AGE] < 0))
        before = rows[nothing, _BEFORE]
        rows[nothing] = 0
        rows[nothing, _KIND], rows[nothing, _BEFORE] = Call.COMPUTE, before
        waits = np.flatnonzero(rows[:, _KIND] == Call.WAIT)
        rows[waits, _PEER:_BEFORE] = 0  # of what they wait for
        rows[(kind == Call.COLLECTIVE) & (calls["request"] != -1), _AGE] = 1
        kept = (rows[:, _KIND] != Call.COMPUTE) | (rows[:, _SIZE] > 0) | (rows[:, _BEFORE] > 0)
        rows, rank = rows[kept], calls["rank"][kept]
        begins = np.flatnonzero(np.diff(rank, prepend=-1))
        for begin, end in zip(begins.tolist(), [*begins[1:].tolist(), len(rank)], strict=True):
            yield int(rank[begin]), rows[begin:end]

    def _ages(self, calls: NDArray[Any]) -> Int:
        """Return the age of the request of each wait, -1 of one that is not open; 0 of other calls."""
        rank = calls["rank"].astype(np.int64)
        if (most := int(rank.max()) + 1) > len(self._opened):
            self._opened = np.concatenate([self._opened, np.zeros(most - len(self._opened), np.int64)])
        opening = opens(calls)
        total = np.cumsum(opening)
        begins = np.searchsorted(rank, np.arange(len(self._opened)))
        before = np.where(begins > 0, total[np.maximum(begins - 1, 0)], 0)
        count = self._opened[rank] + total - before[rank]  # opened, this call included
        rows = np.flatnonzero(opening | (calls["kind"] == Call.WAIT))
        carried = self._open.shape[1]
        keys = np.stack([rank[rows], calls["request"][rows], count[rows] - 1])
        keys = np.concatenate([self._open, keys], axis=1)
        waits = np.concatenate([np.zeros(carried, bool), ~opening[rows]])
        order = np.lexsort((keys[1], keys[0]))
        keys, waits = keys[:, order], waits[order]
        again = np.zeros(len(waits), bool)
        again[1:] = (keys[:2, 1:] == keys[:2, :-1]).all(axis=0)
        known = waits & again & ~np.concatenate([[True], waits[:-1]])
        age = np.where(waits, -1, _NO_WAIT)
        at = np.flatnonzero(known)
        age[at] = keys[2, at] - keys[2, at - 1]
        still = ~waits
        still[at - 1] = False
        self._open = keys[:, still]
        ages = np.empty_like(age)
        ages[order] = age
        found = np.zeros(len(calls), np.int64)
        found[rows] = ages[carried:]
        np.add.at(self._opened, rank[opening], 1)
        return found


def opens(calls: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which calls open a request."""
    kind = calls["kind"]
    opening: NDArray[np.bool_] = (
        (kind == Call.ISEND) | (kind == Call.IRECV) | ((kind == Call.COLLECTIVE) & (calls["request"] != -1))
    )
    return opening


def _untold(calls: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which receives may yet be told what they took: they are not waited for in these calls."""
    untold: NDArray[np.bool_] = (calls["kind"] == Call.IRECV) & ((calls["peer"] < 0) | (calls["tag"] < 0))
    if untold.any():
        waits = calls[calls["kind"] == Call.WAIT]
        names = set(zip(waits["rank"].tolist(), waits["request"].tolist(), strict=True))
        rows = np.flatnonzero(untold)
        pairs = zip(calls["rank"][rows].tolist(), calls["request"][rows].tolist(), strict=True)
        untold[rows] = [pair not in names for pair in pairs]
    return untold


def _from_first(calls: NDArray[Any], chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which calls are the first chosen one of their rank, or come after it."""
    if not chosen.any():
        return chosen
    rows = np.flatnonzero(chosen)
    ranks, first = np.unique(calls["rank"][rows], return_index=True)
    begin: Int = np.full(int(calls["rank"].max()) + 1, len(calls), np.int64)
    begin[ranks] = rows[first]
    rank: Int = calls["rank"].astype(np.int64)
    place: Int = np.arange(len(calls))
    later: NDArray[np.bool_] = place >= begin[rank]
    return later


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
