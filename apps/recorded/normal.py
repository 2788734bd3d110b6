"""Calls in a form in which what is done again looks the same again: `NORMAL` rows.

A request is told by its age, how many its rank has opened since, instead of its number; computation is in
whole cycles; what takes no time and no message is omitted, marks and the recorded clock too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps.recorded.calls import CALL, Batch, Call
from netplace.apps.recorded.program import cycles_before
from netplace.apps.recorded.settling import Settling, opens

__all__ = ["COLUMNS", "Normal", "as_calls"]

Int = NDArray[np.int64]
COLUMNS = ("kind", "peer", "communicator", "size", "tag", "sizes", "before", "age")
_KIND, _PEER, _SIZE, _BEFORE, _AGE = 0, 1, 3, 6, 7


class Normal:
    """Turns batches of calls into rows of `COLUMNS`, rank by rank.

    Parameters
    ----------
    cycles_per_us : float
        Cycles in a microsecond of recorded computation.
    """

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
        """Calls that are held back until it is told what a receive took."""
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
