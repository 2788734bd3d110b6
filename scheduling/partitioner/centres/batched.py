"""The center whose nearest free nodes lie closest together, for many centers side by side.

Centers are taken in rows, in an order in which neighbors stay together (`Space.near_order`). The choice is
that of `nearest.best_centre`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.native import scheduling as native
from netplace.scheduling.partitioner.centres.space import Space

__all__ = ["best_of_batch", "fits_batch"]


def fits_batch(space: Space, free: int, size: int) -> bool:
    """Return whether this is a grid, numbered as it lies, whose counts and sums fit into the numbers used."""
    sizes = space.axes.sizes.tolist()
    small = max(free, sum(sizes)) < 2**15 and size * size // 4 * max(sizes) < 2**31
    return small and space.in_order


def best_of_batch(space: Space, free: NDArray[np.int64], centres: NDArray[np.int64], size: int) -> int:
    """Return the first center whose `size` nearest free nodes have the least sum of distances over pairs."""
    axes, each = space.lattice, space.each
    here = np.bincount(space.point[free], minlength=len(space.near_order)).astype(np.int16)
    at = space.point[centres]
    best = native.best_of_batch(axes.compiled, each, space.near_order, here, at, size)
    return int(centres[np.searchsorted(at, best)])
