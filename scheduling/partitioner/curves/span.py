"""How much of a curve a job stretches over.

Source: V. J. Leung et al., CLUSTER 2002, section 2.3, for the span round the ring; the formula printed there
is wrong by two for sets that leave no gap, the one here is right for all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["linear_span", "ranks_along", "ring_span"]


def ranks_along(order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rank of each node along an order of some or all of them; -1: it is not there."""
    ranks = np.full(int(order.max()) + 1, -1)
    ranks[order] = np.arange(len(order))
    return ranks


def linear_span(ranks: ArrayLike) -> int:
    """Return the ranks from the first to the last of `ranks`, both counted."""
    given = np.asarray(ranks)
    return int(given.max() - given.min()) + 1


def ring_span(ranks: ArrayLike, size: int) -> int:
    """Return the length of the shortest arc of a ring of `size` ranks that holds `ranks`."""
    ordered = np.sort(np.asarray(ranks))
    gaps = np.diff(ordered, append=ordered[0] + size) - 1
    return size - int(gaps.max())
