"""Intervals of sampled times and of times by mixes: the deviation of live runs.

A half-width is a factor times the root of a sum of variances: of the time alone, and of the time among other
jobs, which includes chance and the part that is not simulated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from netplace.cosim.alone import Alone
from netplace.cosim.fast_forward_execution import FastForwarded, JobResidence

MARKED = 0.1  # half width beyond which a job's time is marked

Real = NDArray[np.float64]

# The width was chosen on 119 drawn workloads of short and of long jobs (1,151 times that were not counted),
# so that it covers 95 to 96 % of live runs, the part on 47 others. See docs/background/sampled-time.md.
_WIDTH = 1.1
_PART = 0.3  # of an iteration
_MOST = 24.0  # excess; windows that are a leap apart, up to so many windows, count as independent


# The same by mixes, chosen on 136 other drawn workloads, two or four live runs each.
_BY_MIXES = 3.2  # their variances say less of live runs
_BELIEVED = 0.0008  # no deviation is known to be smaller


def excesses(
    stays: Mapping[int, JobResidence], made: Mapping[int, FastForwarded], again: Mapping[int, FastForwarded]
) -> dict[int, float]:
    """Return, for each attempt with two times, how much more two runs differ than their windows predict.

    Successive windows on a network in the same state are not independent and count for fewer than they are;
    two runs show for how many. The two times of one job say little about this; those of all jobs that ran at
    the same time and met the same states say more. The excess is the observed variance over the predicted
    one, both summed over these jobs; at most 24.
    """
    both = [attempt for attempt, leaped in made.items() if attempt in again and not leaped.counted]
    begin = np.array([stays[attempt].start for attempt in both], float)
    end = begin + [made[attempt].cycles for attempt in both]
    seen = np.array([_squared_difference(made[attempt], again[attempt]) / 2 for attempt in both])
    left = np.array([_left_by_windows(made[attempt], again[attempt]) for attempt in both])
    ratio = _during(begin, end, seen) / _during(begin, end, left)
    return dict(zip(both, np.minimum(_MOST, ratio).tolist(), strict=True))


def half_width(
    first: FastForwarded, second: FastForwarded | None, alone: Alone, iterations: int, excess: float
) -> float:
    """Return the relative half-width of the 95 % interval of a live time; 0 if it was counted exactly.

    The variance of the job alone also applies among other jobs; a leap can be wrong by a part of an
    iteration.
    """
    if first.counted:
        return 0.0
    variance = alone.deviation**2 + (_PART / iterations) ** 2
    if second is None:
        return _WIDTH * math.sqrt(variance + first.variance)
    # Half of the squared difference is the variance of one run; a live run adds one of its own.
    variance += _squared_difference(first, second) + (1 + excess) * _left_by_windows(first, second)
    return _WIDTH * math.sqrt(variance)


def half_width_by_mixes(alone: float, beside: float) -> float:
    """Return the same from the standard deviations alone and of the effect of others, as shares."""
    return _BY_MIXES * math.hypot(alone, beside, _BELIEVED)


def _squared_difference(first: FastForwarded, second: FastForwarded) -> float:
    """Return the square of the difference of two times, of their logarithms."""
    return math.log(second.cycles / first.cycles) ** 2


def _left_by_windows(first: FastForwarded, second: FastForwarded) -> float:
    """Return the variance of a time that windows predict, as a mean over both runs."""
    return (first.variance + second.variance) / 2


def _during(begin: Real, end: Real, values: Real) -> Real:
    """Return the sum of the values of all jobs that ran at the same time as each."""
    came, went = np.argsort(begin), np.argsort(end)
    begun, ended = (np.concatenate([[0.0], np.cumsum(values[order])]) for order in (came, went))
    before_end = begun[np.searchsorted(begin[came], end)]
    before_begin = ended[np.searchsorted(end[went], begin, side="right")]
    beside: Real = np.maximum(values, before_end - before_begin)
    return beside
