"""Jobs for checks of scheduling rules."""

from __future__ import annotations

import numpy as np

from netplace.scheduling import Job

__all__ = ["some_jobs"]


def some_jobs(count: int, nodes: int, seed: int = 5) -> list[Job]:
    """Return jobs of all sizes up to `nodes`, some of which exceed their estimates."""
    rng = np.random.default_rng(seed)
    sizes = np.minimum(rng.geometric(0.25, count), nodes)
    submits = np.cumsum(rng.integers(0, 6, count))
    runs = rng.integers(0, 30, count)
    asked = np.maximum(runs * rng.uniform(0.6, 3, count).round(1), 1)
    columns = zip(submits.tolist(), sizes.tolist(), runs.tolist(), asked.tolist(), strict=True)
    return [
        Job(number, float(submit), size, float(run), estimate)
        for number, (submit, size, run, estimate) in enumerate(columns)
    ]
