"""The best of several samples, and those that are not significantly worse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

__all__ = ["LEVEL", "best", "constant", "p_value", "spread"]

LEVEL = 0.05
Sample = Sequence[float]


def constant(least: ArrayLike, most: ArrayLike) -> tuple[float, int]:
    """Return the one value that meets most printed cells, and how many: what a score is worth beside it.

    It is chosen with the cells known, so that a study that meets fewer tells less than the printed mean.

    `least`, `most`, shape (cells,): between which values a cell counts as met, both included.
    """
    low, high = np.asarray(least, float), np.asarray(most, float)
    if not low.size:
        return float("nan"), 0
    met = ((low <= low[:, None] + 1e-9) & (low[:, None] <= high + 1e-9)).sum(axis=1)  # at every lower bound
    at = int(met.argmax())
    inside = (low <= low[at] + 1e-9) & (low[at] <= high + 1e-9)
    return float((low[inside].max() + high[inside].min()) / 2), int(met[at])


def p_value(first: Sample, other: Sample) -> float:
    """Return the probability of so large a difference by chance.

    Two samples that vary are compared by the test of Kruskal and Wallis, one that varies with one that does
    not by the t-test for a single sample; of two that do not vary it is 1 if they are the same, else 0.
    """
    varies = [bool(np.ptp(sample) > 0) for sample in (first, other)]
    if all(varies):
        return float(stats.kruskal(first, other).pvalue)
    if not any(varies):
        return float(first[0] == other[0])
    sample, fixed = (first, other) if varies[0] else (other, first)
    return float(stats.ttest_1samp(sample, fixed[0]).pvalue)


def best(samples: Mapping[str, Sample], tie: float = 0.0) -> list[str]:
    """Return the name of the sample with the least mean, and then those that are equally good.

    `samples`: samples by name. `tie`: a mean that is larger by at most this share is equally good, and so is
    one that does not differ significantly from the least (`p_value`, `LEVEL`).
    """
    means = {name: float(np.mean(sample)) for name, sample in samples.items()}
    first = min(means, key=lambda name: means[name])
    equal = [
        name
        for name in samples
        if name != first
        and (means[name] <= means[first] * (1 + tie) or p_value(samples[first], samples[name]) > LEVEL)
    ]
    return [first, *equal]


def spread(sample: Sample) -> tuple[float, float]:
    """Return mean and standard deviation (of the sample; 0 for a single value)."""
    return float(np.mean(sample)), float(np.std(sample, ddof=1)) if len(sample) > 1 else 0.0
