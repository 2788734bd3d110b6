"""Which calls of a trace lie in a part of it, told as they are read."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from netplace.apps.recorded.calls import Call
from netplace.apps.recorded.trace import Trace

__all__ = ["Iterations", "Part", "Window", "first_call"]


class Part(Protocol):
    """A part of a trace."""

    def keep(self, calls: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which calls, by rank, lie in the part; those of a rank come in order over all batches."""

    def check(self, ranks: Collection[int]) -> None:
        """Raise ValueError if these ranks, when all is read, have nothing that the part names."""


def first_call(trace: Trace, ranks: Collection[int] | None = None) -> float | None:
    """Return when the first call of a trace, or of some of its ranks, began, in its own seconds.

    None if the trace has no clock, which its first calls tell. Its batches are read.
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
    """What began from `begin` to before `end`, in seconds since the first call.

    Parameters
    ----------
    begin, end : float
        Seconds.
    first : float or None
        When the first call began; None: there is no clock, and the time of a call is what its rank has
        computed before it.
    """

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
                f"no call begins from {self._begin:g} to {self._end:g} s, the trace goes to {self._last:g} s"
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


def _spans(calls: NDArray[Any]) -> Iterator[tuple[int, int, int]]:
    """Yield the ranks, with the rows at which the calls of each begin and end."""
    ranks, begins = np.unique(calls["rank"], return_index=True)
    yield from zip(ranks.tolist(), begins.tolist(), [*begins.tolist(), len(calls)][1:], strict=True)
