"""The half-width of the confidence interval of a mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["LEVEL", "half_width", "half_width_of", "quantile"]

LEVEL = 0.95  # of every interval, unless another is asked for


def quantile(count: float, confidence: float = LEVEL) -> float:
    """Return by how many standard errors the mean of `count` values may be off, by Student's t.

    `count`: independent values, more than one; not whole where values that hang together count for fewer.
    `confidence`: level of the interval, between 0 and 1.
    """
    from scipy import special

    return float(special.stdtrit(count - 1, (1 + confidence) / 2))


def half_width_of(std: float, count: int, confidence: float = LEVEL) -> float:
    """Return half the width of the interval of a mean of `count` values; NaN for fewer than two.

    `std`: standard deviation of the sample. `count`: values in it. `confidence`: level of the interval,
    between 0 and 1.
    """
    return quantile(count, confidence) * std / math.sqrt(count) if count > 1 else math.nan


def half_width(values: Sequence[float] | NDArray[np.floating[Any]], confidence: float = LEVEL) -> float:
    """Return half the width of the interval of the mean of `values`, by Student's t.

    `values`: independent values of about normal distribution; of fewer than two it is NaN. `confidence`:
    level of the interval, between 0 and 1.

    Examples
    --------
    >>> round(half_width([1.0, 2.0, 3.0]), 3)
    2.484
    """
    count = len(values)
    std = float(np.std(np.asarray(values, float), ddof=1)) if count > 1 else math.nan
    return half_width_of(std, count, confidence)
