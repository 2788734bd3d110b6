"""What came of a command, in one form for all: entries, what was requested of each, and its results."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

__all__ = ["Entry", "Outcome", "Result", "Sample"]


@dataclass(frozen=True)
class Sample:
    """The values of one result.

    Attributes
    ----------
    mean, std : float
        Over the draws; `std` is that of the sample, NaN for a single value.
    count : int
        Draws.
    values : mapping of str to float
        By draw; empty where only the three above are known.
    draws : str
        What each value is one of: ``"seeds"``, ``"jobs"``, ``"batches"``; empty: no chance has a part in it.
    """

    mean: float
    std: float
    count: int
    values: Mapping[str, float] = field(default_factory=dict)
    draws: str = ""

    @property
    def in_time(self) -> bool:
        """Whether values follow each other in time."""
        return self.draws in ("jobs", "batches")

    @classmethod
    def of(cls, values: Mapping[str, float], draws: str) -> Sample:
        """Return the sample of values by draw."""
        known = np.fromiter(values.values(), float)
        spread = float(known.std(ddof=1)) if len(known) > 1 else math.nan
        return cls(float(known.mean()), spread, len(known), values, draws)

    @classmethod
    def exact(cls, value: float) -> Sample:
        """Return the sample of a value in which chance has no part."""
        return cls(value, math.nan, 1, {"": value})


@dataclass(frozen=True)
class Result:
    """One result of an entry.

    Attributes
    ----------
    name : str
        What it is, with its unit.
    sample : Sample
        Its values.
    better : int
        -1 if less is better, 1 if more is, 0 if neither.
    """

    name: str
    sample: Sample
    better: int = 0


@dataclass(frozen=True)
class Entry:
    """One of what a command was requested: a run, a point of a curve, a row of a table.

    Attributes
    ----------
    asked : mapping of str to str
        What was asked, by name.
    results : sequence of Result
        What came of it.
    """

    asked: Mapping[str, str]
    results: Sequence[Result]


@dataclass(frozen=True)
class Outcome:
    """What came of a command.

    Attributes
    ----------
    kind : str
        A key of `KINDS`.
    name : str
        Of the file or folder.
    entries : sequence of Entry
        All of it.
    versions : str
        With what it was made, where that is known.
    """

    kind: str
    name: str
    entries: Sequence[Entry]
    versions: str = ""
