"""Limits of a search: an amount of work, a time, or both."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

from netplace.checks import check_int


class Budget:
    """The limits of a search, and its use of them.

    Time is processor time of the calling thread, so that a busy machine does not change what a search gets.
    It is checked between slices of work of a few milliseconds. A search that is limited only by iterations
    never checks the clock, so its result depends only on its input and its seed.
    """

    def __init__(self, seconds: float | None = None, iterations: int | None = None):
        self._started = time.thread_time()
        self._limit = math.inf if seconds is None else _seconds(seconds)
        self._most = (
            math.inf if iterations is None else check_int(iterations, "iterations of a mapping search")
        )
        self.spent = 0

    @property
    def timed(self) -> bool:
        return self._limit < math.inf

    @property
    def seconds(self) -> float:
        return time.thread_time() - self._started

    @property
    def over(self) -> bool:
        return self.spent >= self._most or (self.timed and self.seconds >= self._limit)

    def allows(self, iterations: int) -> int:
        """Return how many of the next `iterations` are allowed, by their number alone."""
        return int(min(iterations, self._most - self.spent))

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Perform work that does not count as time, such as loading code."""
        before = time.thread_time()
        yield
        self._started += time.thread_time() - before

    def spend(self, iterations: int) -> None:
        """Count `iterations` as done."""
        self.spent += iterations

    @property
    def iterations_left(self) -> float:
        """Iterations that may still be done; infinite if they are not limited."""
        return self._most - self.spent

    @property
    def seconds_left(self) -> float:
        """Processor time that may still be used; infinite if it is not limited."""
        return self._limit - self.seconds if self.timed else math.inf


def _seconds(value: float) -> float:
    """Return `value` if it is a time."""
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"seconds of a mapping search: {value!r} is not a number") from None
    if not 0 < seconds < math.inf:
        raise ValueError(f"seconds of a mapping search: {value} is out of range, expected more than 0")
    return seconds
