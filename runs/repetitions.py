"""Repetitions of a program: the cycles of several of them, and of one more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from netplace.runs.tables import ENTRY

if TYPE_CHECKING:
    import pandas as pd

_TOLERANCE = 0.001  # relative difference of two periods that agree
_MOST_REPEATS = 64  # that are simulated
_REPEATS = "repeats="


@dataclass(frozen=True)
class RepeatedTime:
    """Cycles of an entry by the number of repetitions."""

    cycles: Mapping[int, float] = field(default_factory=dict)  # a mean over draws
    failed: int = 0  # runs that did not end

    def total(self, repeats: int, separate: bool = False) -> float | None:
        """Return the cycles of so many repetitions; None if the table does not tell."""
        if repeats in self.cycles:
            return self.cycles[repeats]
        known = sorted(self.cycles)
        if not known or known[0] != 1:
            return None
        if separate:
            return self.cycles[1] * repeats
        if len(known) < 2:
            return None
        high = next((count for count in known if count > repeats), known[-1])
        low = known[known.index(high) - 1]
        period = (self.cycles[high] - self.cycles[low]) / (high - low)
        start = low if repeats < high else high
        return self.cycles[start] + (repeats - start) * period

    @property
    def next_repeats(self) -> int | None:
        """Number of repetitions to simulate next; None if the period is known well enough."""
        known = sorted(self.cycles)
        if len(known) < 3:
            return 1 << len(known)
        last, before = (
            (self.cycles[high] - self.cycles[low]) / (high - low)
            for low, high in ((known[-2], known[-1]), (known[-3], known[-2]))
        )
        converged = abs(last - before) <= _TOLERANCE * max(last, 1.0)
        return None if converged or known[-1] >= _MOST_REPEATS else 2 * known[-1]


def is_repeated(frame: pd.DataFrame) -> bool:
    """Return whether programs of a table run several times."""
    return bool(frame["problem"].str.contains(rf"\b{_REPEATS}").any())


def with_periods(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the times of single repetitions, with the cycles of one more in a column ``period``.

    `frame` is a table of run times; the period is empty where a program does not run several times.
    """
    parts = frame["problem"].map(without_repeats)
    ordered = frame.assign(problem=parts.str[0], count_=parts.str[1]).sort_values("count_", kind="stable")
    groups = ordered.groupby(ENTRY, dropna=False, sort=False)
    last, before = groups.tail(1).set_index(ENTRY), groups.nth(-2).set_index(ENTRY)
    period = (last["mean"] - before["mean"]) / (last["count_"] - before["count_"])
    single = ordered[ordered["count_"] == 1].drop(columns="count_")
    return single.join(period.rename("period"), on=ENTRY).sort_values(ENTRY)


def without_repeats(problem: str) -> tuple[str, int]:
    """Return a problem without the number of its repetitions, and this number."""
    words = [word for word in problem.split(",") if word]
    repeats = [int(word.removeprefix(_REPEATS)) for word in words if word.startswith(_REPEATS)]
    return ",".join(word for word in words if not word.startswith(_REPEATS)), repeats[0] if repeats else 1
