"""What came of a command, in one form for all: entries, what was requested of each, and its results."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Sample:
    """The values of one result."""

    # mean, std: over the draws; `std` is that of the sample, NaN for a single value.
    mean: float
    std: float
    count: int
    # By draw; empty where only the three above are known.
    values: Mapping[str, float] = field(default_factory=dict)
    # What each value is one of: ``"seeds"``, ``"jobs"``, ``"batches"``; empty: no chance has a part in it.
    draws: str = ""

    @property
    def in_time(self) -> bool:
        """Whether values follow each other in time."""
        return self.draws in ("jobs", "batches")

    @classmethod
    def of(cls, values: Mapping[str, float], draws: str) -> Sample:
        known = np.fromiter(values.values(), float)
        spread = float(known.std(ddof=1)) if len(known) > 1 else math.nan
        return cls(float(known.mean()), spread, len(known), values, draws)

    @classmethod
    def exact(cls, value: float) -> Sample:
        """Return the sample of a value in which chance has no part."""
        return cls(value, math.nan, 1, {"": value})


@dataclass(frozen=True)
class Result:
    """One result of an entry."""

    name: str  # what it is, with its unit
    sample: Sample
    better: int = 0  # -1 if less is better, 1 if more is, 0 if neither


@dataclass(frozen=True)
class Entry:
    """One of what a command was requested: a run, a point of a curve, a row of a table."""

    asked: Mapping[str, str]
    results: Sequence[Result]


@dataclass(frozen=True)
class Outcome:
    """What came of a command."""

    kind: str  # a key of `KINDS`
    name: str
    entries: Sequence[Entry]
    versions: str = ""  # with what it was made, where that is known
