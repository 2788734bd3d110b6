"""Several live runs of the same jobs from the same starts, which differ in their random numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.cosim.job_row import Measured
from netplace.scheduling.metrics.interval import half_width, half_widths_with_prior

PILOT, MOST = 5, 40  # draws from which the number of draws is chosen, and that number at most


def over_draws(jobs: Sequence[Measured], live: NDArray[Any], alone: NDArray[Any]) -> list[Measured]:
    """Return jobs with mean times over draws, and the intervals of the live times and of the slowdowns.

    `live` and `alone`, shape (jobs, draws), are cycles with other jobs and alone, with the same random
    numbers in a draw. The slowdown is the ratio of the means, and its error that of the differences from it:
    W. Cochran, "Sampling techniques", section 6. The prior variance is the mean one of the jobs that others
    affected.
    """
    if not jobs:
        return []
    mean, own = live.mean(axis=1), alone.mean(axis=1)
    slowdown = np.divide(mean, own, out=np.ones(len(jobs)), where=own > 0)
    differences = live - slowdown[:, None] * alone
    shares = np.divide(differences.std(axis=1, ddof=1), mean, out=np.zeros(len(jobs)), where=mean > 0)
    touched = (live != alone).any(axis=1)
    usual = math.sqrt((shares[touched] ** 2).mean()) if touched.any() else 0.0
    chance = half_widths_with_prior(shares, live.shape[1], usual)
    return [
        replace(
            one,
            live=float(mean[row]),
            alone=float(own[row]),
            half_width=half_width(live[row]) / mean[row] if mean[row] else 0.0,
            chance=float(chance[row]),
            ran=round(float(live[row, 0])),
        )
        for row, one in enumerate(jobs)
    ]


def enough_draws(jobs: Sequence[Measured], draws: int, target_half_width: float, most: int) -> int:
    """Return how many draws make slowdowns as precise as requested on average, from `draws` to `most`."""
    unit = float(half_widths_with_prior(1.0, draws, 1.0))
    deviation = float(np.mean([one.chance for one in jobs])) / unit if jobs else 0.0
    while draws < most and half_widths_with_prior(deviation, draws, deviation) > target_half_width:
        draws += 1
    return draws
