"""What came of a command, in one form for all comparisons: entries, their requests and their results."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from netplace.inputs import abbreviate
from netplace.quantities import quantities

Draws = Mapping[str, Mapping[str, Any]]  # by draw, what came of it
Figures = Mapping[tuple[str, ...], tuple[str, int]]  # by the keys of a number: its name, what is better
_COMPUTING = re.compile(r"(.*[^a-z])?cpu([^a-z].*)?", re.IGNORECASE)


def is_computing_time(name: str) -> bool:
    """Return whether a column or key is what a command itself took, which is never the same twice."""
    return _COMPUTING.fullmatch(name) is not None


@dataclass(frozen=True)
class Sample:
    """The values of one result."""

    # mean, std: over the draws; `std` is that of the sample, NaN for a single value.
    mean: float
    std: float
    count: int
    # By draw; empty where only the three above are known.
    values: Mapping[str, float] = field(default_factory=dict)
    # What each value is of, as in `netplace.scheduling.metrics.estimate`; empty: chance has no part in it.
    unit: str = ""

    @classmethod
    def of(cls, values: Mapping[str, float], unit: str) -> Sample:
        known = np.fromiter(values.values(), float)
        spread = float(known.std(ddof=1)) if len(known) > 1 else math.nan
        return cls(float(known.mean()), spread, len(known), values, unit)

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
    results: Sequence[Result]  # the main one first


@dataclass(frozen=True)
class Outcome:
    """What came of a command."""

    kind: str  # a key of `netplace.report.pages.PAGES`, or what an object holds
    name: str
    entries: Sequence[Entry]
    versions: str = ""  # with what it was made, where that is known


def seed_entries(
    made: Iterable[tuple[Sequence[tuple[str, str]], Mapping[str, Any], Mapping[str, Any]]],
    results: Callable[[Mapping[str, str], Draws], Sequence[Result]],
) -> list[Entry]:
    """Return an entry for all plans with one request but for the seed; each: request, plan, its figures.

    `results` takes the request and, by seed, the figures.
    """
    groups: dict[tuple[tuple[str, str], ...], dict[str, Mapping[str, Any]]] = {}
    for words, plan, figures in made:
        groups.setdefault(tuple(words), {})[str(plan.get("seed"))] = figures
    return [
        Entry({**dict(words), "seeds": ", ".join(draws)}, results(dict(words), draws))
        for words, draws in groups.items()
    ]


def compared(kind: type, *under: str) -> Figures:
    """Return the quantities of a record by which outcomes are compared; `under`: the keys above it."""
    known = quantities(kind).items()
    return {
        (*under, name): (quantity.heading, quantity.better) for name, quantity in known if quantity.better
    }


def figure_results(path: Path, draws: Draws, figures: Figures, kind: str) -> list[Result]:
    """Return a result for each figure over the draws; an empty `kind` means that there is no randomness."""
    made = []
    for keys, (name, better) in figures.items():
        values = {draw: _number(path, content, keys) for draw, content in draws.items()}
        known = {draw: value for draw, value in values.items() if value is not None and math.isfinite(value)}
        if known and len(known) == len(values):
            sample = Sample.of(known, kind) if kind else Sample.exact(next(iter(known.values())))
            made.append(Result(name, sample, better))
    return made


def _number(path: Path, content: Mapping[str, Any], keys: Sequence[str]) -> float | None:
    """Return the number under nested keys, None where it is null or not there."""
    value: Any = content
    for place, key in enumerate(keys):
        if not isinstance(value, Mapping):
            raise ValueError(
                f"{path}: {'.'.join(keys[:place])}: {abbreviate(value)} found, expected an object"
            )
        value = value.get(key)
        if value is None:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{path}: {'.'.join(keys)}: {abbreviate(value)} found, expected a number")
    return float(value)
