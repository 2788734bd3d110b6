"""Contrasts of one setting of a study against the first: the family of differences that is tested."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from netplace.scheduling.metrics.comparison import Judgement, Paired, judged, paired_ratio
from netplace.scheduling.metrics.interval import Estimate, estimate

SEEDS_ALONE = 5  # seeds that tell of chance by themselves; with fewer, the values within each do


@dataclass(frozen=True)
class Contestant:
    """One of the candidates that are compared."""

    words: Mapping[str, str]  # its settings by name, the same names for all contestants
    values: Mapping[str, Sequence[float]]  # results by measure; the same index refers to the same jobs
    unit: str = "seeds"  # what each value is of: a key of `interval.UNITS`

    def estimate(self, measure: str) -> Estimate:
        """Return the mean of a measure, computed from the same values as the differences."""
        return estimate(self.values[measure], self.unit)

    def to_dict(self) -> dict[str, Any]:
        """Return the settings and means in JSON-compatible form."""
        found = {name: self.estimate(name) for name, values in self.values.items() if len(values)}
        means = {name: {"mean": one.mean, "half_width": one.half_width} for name, one in found.items()}
        return {**self.words, "unit": self.unit, "means": means}


@dataclass(frozen=True)
class Contest:
    """One value of a setting against the first, over contestants that differ in nothing else."""

    measure: str
    key: str  # name of the setting that differs
    first: str  # value of this setting
    second: str
    case: dict[str, str]  # the other settings that all contestants share
    difference: Paired  # between the second contestant and the first
    judgement: Judgement  # corrected for the number of contests in the family
    unit: str = "seeds"
    cases: int = 1  # combinations of the other settings over which the difference is a mean

    def to_dict(self) -> dict[str, Any]:
        """Return the values in JSON-compatible form; shares are relative to ``before``, the first mean."""
        difference = self.difference
        low, high = difference.share_interval or (math.nan, math.nan)
        return {
            "measure": self.measure,
            "compared": self.key,
            "first": self.first,
            "second": self.second,
            "case": self.case,
            "scale": difference.scale,
            "before": difference.first,
            "after": difference.second,
            "share": difference.share,
            "share_low": low,
            "share_high": high,
            "p_value": difference.p_value,
            "p_holm": self.judgement.p_value,
            "verdict": self.judgement.words,
            "pairs": difference.count,
            "unit": self.unit,
            "cases": self.cases,
        }


def contests(
    contestants: Sequence[Contestant], measures: Sequence[str], but: Sequence[str] = ()
) -> list[Contest]:
    """Return the contrasts of a study as one family: each value of a setting against the first of it.

    A contrast is a ratio of means over all pairs of contestants that differ in nothing else, pair by pair of
    the same seed, batch or job; pairs with other numbers of these are contrasts of their own. `but`: settings
    that are not contrasted.
    """
    compared = []
    for key in contestants[0].words if contestants else ():
        first, *others = dict.fromkeys(one.words[key] for one in contestants)
        for measure, other in product(measures, others if key not in but else ()):
            for pairs in _alike(contestants, measure, {key: first}, {key: other}):
                sides = list(zip(*(values for _, values in pairs), strict=True))
                words = [one.words for one, _ in pairs]
                case = {name: word for name, word in words[0].items() if name != key}
                case = {name: word for name, word in case.items() if {own[name] for own in words} == {word}}
                unit = pairs[0][0].unit
                difference = paired_ratio(sides[0], sides[1], unit)
                compared.append((measure, key, first, other, case, difference, unit, len(pairs)))
    verdicts = judged([parts[5] for parts in compared])
    return [
        Contest(*parts[:6], judgement=verdict, unit=parts[6], cases=parts[7])
        for parts, verdict in zip(compared, verdicts, strict=True)
    ]


def _alike(
    contestants: Sequence[Contestant], measure: str, first: Mapping[str, str], other: Mapping[str, str]
) -> Iterable[list[tuple[Contestant, tuple[Sequence[float], Sequence[float]]]]]:
    """Return pairs of contestants that differ in one setting, by the unit and the number of their values."""
    by_words = {frozenset(one.words.items()): one for one in contestants}
    groups: dict[tuple[str, int], list[tuple[Contestant, tuple[Sequence[float], Sequence[float]]]]] = {}
    for one in contestants:
        two = by_words.get(frozenset({**one.words, **other}.items()))
        if two and first.items() <= one.words.items():
            values = one.values.get(measure, ()), two.values.get(measure, ())
            if len(values[0]) == len(values[1]) > 0:
                groups.setdefault((one.unit, len(values[0])), []).append((one, values))
    return groups.values()
