"""Pairs of contestants that differ in one value: the family of differences of one study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.scheduling.metrics.comparison import Judgement, Paired, judged, paired

__all__ = ["Contest", "Contestant", "batched", "contests"]

_BATCHES, _LEAST_JOBS, _LEAST_BATCHES = 20, 5, 5


@dataclass(frozen=True)
class Contestant:
    """One of the compared candidates.

    Attributes
    ----------
    words : mapping of str to str
        Its values by name, as in ``{"policy": "easy", "partition": "random"}``; all contestants have the same
        names.
    values : mapping of str to sequence of float
        Results by measure, with the same index for the same jobs.
    in_time : bool
        Whether values are successive batches instead of seeds.
    """

    words: Mapping[str, str]
    values: Mapping[str, Sequence[float]]
    in_time: bool = False


@dataclass(frozen=True)
class Contest:
    """Two contestants that differ in one value.

    Attributes
    ----------
    measure : str
        Name of the measure.
    key : str
        Name of the differing value.
    first, second : str
        The differing value of each.
    case : dict of str to str
        All other values, which are the same.
    difference : Paired
        The second against the first.
    judgement : Judgement
        The verdict, corrected for all contests of the family.
    """

    measure: str
    key: str
    first: str
    second: str
    case: dict[str, str]
    difference: Paired
    judgement: Judgement

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold; shares are of the first's mean."""
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
            "gain": difference.gain,
        }


def contests(contestants: Sequence[Contestant], but: Sequence[str] = ()) -> list[Contest]:
    """Return all contests of contestants that differ in exactly one thing, judged as one family.

    Parameters
    ----------
    contestants : sequence of Contestant
        Those who are compared.
    but : sequence of str
        In what two are not compared.
    """
    compared = []
    for first, other in combinations(contestants, 2):
        keys = [name for name, word in first.words.items() if word != other.words[name]]
        if len(keys) != 1 or keys[0] in but:
            continue
        [key] = keys
        case = {name: word for name, word in first.words.items() if name != key}
        for measure, values in first.values.items():
            if len(values) and len(values) == len(other.values.get(measure, ())):
                difference = paired(values, other.values[measure], in_time=first.in_time)
                compared.append((measure, key, first.words[key], other.words[key], case, difference))
    return [
        Contest(*parts, judgement=verdict)
        for parts, verdict in zip(compared, judged([parts[-1] for parts in compared]), strict=True)
    ]


def batched(values: Sequence[float] | NDArray[Any]) -> NDArray[np.float64]:
    """Return the means of up to 20 batches of values that follow each other in time, 5 at least in each.

    Of fewer than 25 values it is the mean of all, once: they say nothing of chance.
    """
    column = np.asarray(values, float)
    count = min(_BATCHES, len(column) // _LEAST_JOBS)
    if count < _LEAST_BATCHES:
        return column.mean(keepdims=True) if len(column) else column
    return np.array([part.mean() for part in np.array_split(column, count)])
