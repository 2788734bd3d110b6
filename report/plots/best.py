"""Which of several means is the least by more than chance."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from netplace.scheduling.metrics.comparison import judged, unpaired

__all__ = ["clear_best"]


def clear_best(mean: ArrayLike, std: ArrayLike, count: ArrayLike) -> int | None:
    """Return the place of the least mean if it is less than every other one by more than chance.

    Each other mean is compared with the least by Welch's test, and all verdicts are clear together, see
    `netplace.scheduling.metrics.judged`. A mean of a
    single value has no spread of its own: it is given the largest relative one of the others. Where nothing
    spreads, chance had no part and the least is the best. Ties have none.

    `mean`, `std`, shape (bars,): means and sample standard deviations; a mean that is NaN takes no part.
    `count`, shape (bars,): values behind each mean.

    Returns
    -------
    int or None
        None if there is no such place, or nothing to compare with.
    """
    means, counts = np.asarray(mean, float), np.asarray(count, float)
    spread = np.where(counts > 1, np.fmax(0.0, np.asarray(std, float)), 0.0)  # 0 where it is not known
    known = np.flatnonzero(np.isfinite(means) & (counts > 0))
    if len(known) < 2:
        return None
    sizes = np.abs(means[known])
    relative = np.divide(spread[known], sizes, out=np.zeros(len(known)), where=sizes > 0)
    single = known[counts[known] < 2]
    spread[single] = relative.max() * np.abs(means[single])
    best = int(known[np.argmin(means[known])])
    moments = [(float(means[place]), float(spread[place]), int(counts[place])) for place in known]
    own = (float(means[best]), float(spread[best]), int(counts[best]))
    others = [moment for place, moment in zip(known, moments, strict=True) if place != best]
    verdicts = judged([unpaired(own, other, known=True) for other in others])
    return best if all(verdict.words == "clearly more" for verdict in verdicts) else None
