"""A second run of the same jobs, slightly moved and with other draws, to measure the effect of chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from netplace.cosim.checkpoint import Keep
from netplace.cosim.fast_forward_execution import FastForwarded, JobResidence, fast_forward
from netplace.cosim.placed import Placing

_OTHER = 104_729  # added to the seed


def replicate(
    placing: Placing,
    stays: Mapping[int, JobResidence],
    cycles: Mapping[int, float],
    target_half_width: float,
    keep: Keep | None = None,
) -> dict[int, FastForwarded]:
    """Return the results of attempts that begin up to an iteration later, with other draws."""
    rng = np.random.default_rng([placing.seed, _OTHER])
    moved = {}
    for attempt, stay in sorted(stays.items()):
        iteration = cycles.get(attempt, 0) / stay.placed.work.iterations
        later = int(rng.integers(0, max(2, round(iteration))))
        stop = stay.stop + later if stay.stop >= 0 else -1
        moved[attempt] = replace(stay, start=stay.start + later, stop=stop)
    order = sorted(moved.items(), key=lambda item: item[1].start)
    return fast_forward(replace(placing, seed=placing.seed + _OTHER), order, target_half_width, keep)
