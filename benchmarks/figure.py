"""A measured figure beside the one wanted, and how to measure CPU time."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A measured figure: median, least and most of the repeats, and what it should be at least or at most."""

    name: str
    unit: str
    value: float
    low: float
    high: float
    least: float | None = None
    most: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the median is as wanted; None if nothing is wanted."""
        if self.least is None and self.most is None:
            return None
        return (self.least is None or self.value >= self.least) and (
            self.most is None or self.value <= self.most
        )

    @property
    def wanted(self) -> str:
        """The goal, for messages."""
        if self.least is not None:
            return f"at least {self.least:g}"
        return "" if self.most is None else f"at most {self.most:g}"


def figure(
    name: str, unit: str, values: Sequence[float], *, least: float | None = None, most: float | None = None
) -> Figure:
    """Return the figure of several measurements."""
    return Figure(name, unit, statistics.median(values), min(values), max(values), least, most)


def cpu_seconds(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """Return the CPU time of one call, in seconds."""
    began = clock()
    work()
    return clock() - began
