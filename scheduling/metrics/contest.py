"""Pairs of contestants that differ in one value: the family of differences of one study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from netplace.scheduling.metrics.comparison import Judgement, Paired, judged, paired
from netplace.scheduling.metrics.interval import Estimate, estimate

SEEDS_ALONE = 5  # seeds that tell of chance by themselves; with fewer, the values within each do


@dataclass(frozen=True)
class Contestant:
    """One of the candidates that are compared.

    Attributes
    ----------
    words : mapping of str to str
        Its settings by name, as in ``{"policy": "easy", "partition": "random"}``; the names are the same for
        all contestants.
    values : mapping of str to sequence of float
        Results by measure; the same index refers to the same jobs.
    unit : str
        What each value is of: a key of `netplace.scheduling.metrics.interval.UNITS`.
    """

    words: Mapping[str, str]
    values: Mapping[str, Sequence[float]]
    unit: str = "seeds"

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
    """Two contestants that differ in one setting.

    Attributes
    ----------
    key : str
        Name of the setting that differs.
    first, second : str
        Value of this setting for each contestant.
    case : dict of str to str
        All other settings, which are the same.
    difference : Paired
        The difference between the second contestant and the first.
    judgement : Judgement
        The verdict, corrected for the number of contests in the family.
    unit : str
        As in `Contestant`.
    """

    measure: str
    key: str
    first: str
    second: str
    case: dict[str, str]
    difference: Paired
    judgement: Judgement
    unit: str = "seeds"

    def to_dict(self) -> dict[str, Any]:
        """Return the values in JSON-compatible form; shares are relative to the first contestant's mean."""
        difference = self.difference
        return {
            "measure": self.measure,
            "compared": self.key,
            "first": self.first,
            "second": self.second,
            "case": self.case,
            "mean": difference.mean,
            "half_width": difference.half_width,
            "share": difference.share,
            "share_half_width": difference.share_half_width,
            "p_value": difference.p_value,
            "p_holm": self.judgement.p_value,
            "verdict": self.judgement.words,
            "pairs": difference.count,
            "unit": self.unit,
            "gain": difference.gain,
        }


def contests(contestants: Sequence[Contestant], but: Sequence[str] = ()) -> list[Contest]:
    """Return all contests between contestants that differ in one setting not in `but`, as one family."""
    compared, units = [], []
    for first, other in combinations(contestants, 2):
        keys = [name for name, word in first.words.items() if word != other.words[name]]
        if len(keys) != 1 or keys[0] in but:
            continue
        [key] = keys
        case = {name: word for name, word in first.words.items() if name != key}
        for measure, values in first.values.items():
            if len(values) and len(values) == len(other.values.get(measure, ())):
                difference = paired(values, other.values[measure], first.unit)
                units.append(first.unit)
                compared.append((measure, key, first.words[key], other.words[key], case, difference))
    verdicts = judged([parts[-1] for parts in compared])
    return [
        Contest(*parts, judgement=verdict, unit=unit)
        for parts, verdict, unit in zip(compared, verdicts, units, strict=True)
    ]
