"""Which figures are compared, and whether less or more of them is better."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from netplace.report.comparison.outcome import Result, Sample
from netplace.report.pages.kinds.saved import number_in

Figures = Mapping[tuple[str, ...], tuple[str, int]]  # by the keys of a number: its name, what is better


def figure_results(
    path: Path, draws: Mapping[str, Mapping[str, Any]], figures: Figures, kind: str
) -> list[Result]:
    """Return a result for each figure over the draws; an empty `kind` means that there is no randomness."""
    made = []
    for keys, (name, better) in figures.items():
        values = {draw: number_in(path, content, *keys) for draw, content in draws.items()}
        known = {draw: value for draw, value in values.items() if value is not None and math.isfinite(value)}
        if known and len(known) == len(values):
            sample = Sample.of(known, kind) if kind else Sample.exact(_first(known.values()))
            made.append(Result(name, sample, better))
    return made


def _first(values: Iterable[float]) -> float:
    return next(iter(values))
