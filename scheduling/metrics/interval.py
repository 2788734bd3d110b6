"""Half the width of the confidence interval of a mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["half_width"]


def half_width(values: Sequence[float] | NDArray[np.floating[Any]], confidence: float = 0.95) -> float:
    """Return half the width of the interval of the mean of `values`, by Student's t.

    Parameters
    ----------
    values : sequence of float
        Independent values of about normal distribution; of fewer than two it is NaN.
    confidence : float
        Level of the interval, between 0 and 1.

    Examples
    --------
    >>> round(half_width([1.0, 2.0, 3.0]), 3)
    2.484
    """
    from scipy import stats

    count = len(values)
    if count < 2:
        return math.nan
    quantile = float(stats.t.ppf((1 + confidence) / 2, count - 1))
    return quantile * float(np.std(np.asarray(values, float), ddof=1)) / math.sqrt(count)
