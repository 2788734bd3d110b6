"""Requests in lines of text: which line opens what a wait completes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps.formats.errors import TraceError
from netplace.apps.recorded.calls import Call

__all__ = ["Requests"]


class Requests:
    """The requests that are open, as lines are read: a number may be used again once it was waited for."""

    def __init__(self) -> None:
        self._key = np.empty(0, np.int64)  # rank and number in the file, in order
        self._line = np.empty(0, np.int64)
        self._number = np.empty(0, np.int64)  # of all requests
        self._opened = 0

    def renumber(self, calls: NDArray[Any], line: NDArray[np.int64]) -> None:
        """Give the requests of some calls, of these lines, numbers that are used once in the file."""
        rows = np.flatnonzero(calls["request"] >= 0)
        carried = len(self._key)
        key = np.concatenate(
            [self._key, (calls["rank"][rows].astype(np.int64) << 32) + calls["request"][rows]]
        )
        line = np.concatenate([self._line, line[rows]])
        waits = np.concatenate([np.zeros(carried, bool), calls["kind"][rows] == Call.WAIT])
        opened = self._opened + np.cumsum(~waits) - 1 - carried
        number = np.concatenate([self._number, opened[carried:]])
        self._opened += int((~waits).sum()) - carried
        order = np.argsort(key, kind="stable")
        key, line, waits, number = key[order], line[order], waits[order], number[order]
        closed = np.concatenate([[True], waits[:-1]]) | (np.diff(key, prepend=-1) != 0)
        _refuse(line, waits & closed, "waits for a request that the task never opens")
        _refuse(line, ~waits & ~closed, "opens a request that was opened before")
        number[waits] = number[np.flatnonzero(waits) - 1]
        still = ~waits & (np.diff(key, append=-1) != 0)
        self._key, self._line, self._number = key[still], line[still], number[still]
        numbers = np.empty_like(number)
        numbers[order] = number
        calls["request"][rows] = numbers[carried:]

    def finish(self) -> None:
        """Raise TraceError if a request is still open."""
        _refuse(self._line, self._line >= 0, "opens a request that is never waited for")


def _refuse(line: NDArray[np.int64], wrong: NDArray[np.bool_], reason: str) -> None:
    if wrong.any():
        raise TraceError(int(line[wrong].min()), reason)
