"""Intervals of means over seeds."""

from __future__ import annotations

import math

from scipy import stats

__all__ = ["half_width"]


def half_width(std: float, count: int) -> float | None:
    """Return half of the 95 % interval of a mean by Student's t; None for a single value."""
    if count < 2 or math.isnan(std):
        return None
    return float(stats.t.ppf(0.975, count - 1) * std / math.sqrt(count))
