"""The box of least sum of shell numbers, by sums over corners."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplace.native import scheduling as native
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.centres.space import RING, Axes, Space

__all__ = ["FreeBelow", "free_below"]


class FreeBelow(NamedTuple):
    """How many free nodes lie below each corner, so that those of a box are a sum over its corners.

    A ring is unrolled by half its length at either end, so that no box is cut by its seam.

    Attributes
    ----------
    corners : ndarray of int32
        For corner (c_0, c_1, ..) the free nodes at places less than c_d in every dimension, flat.
    strides : ndarray of int64, shape (dims,)
        By how much the index grows with each coordinate.
    shift : ndarray of int64, shape (dims,)
        Where place 0 stands in each unrolled dimension.
    ends : ndarray of int64, shape (dims,)
        Places of each unrolled dimension.
    """

    corners: NDArray[np.int32]
    strides: NDArray[np.int64]
    shift: NDArray[np.int64]
    ends: NDArray[np.int64]


def free_below(space: Space, free: Nodes) -> FreeBelow:
    """Return the counts below corners for these free nodes of a grid."""
    sizes, ring = space.axes.sizes, space.axes.kinds == RING
    here = np.bincount(space.point[free], minlength=sizes.prod())
    shift = np.where(ring, (sizes - 1) // 2, 0)
    ends = sizes + shift + np.where(ring, sizes // 2, 0)
    strides = np.cumprod([1, *(ends + 1)])
    return FreeBelow(native.sum_below(here, sizes, shift, ends, strides), strides[:-1], shift, ends)


def best_box(
    axes: Axes, corners: FreeBelow, free: Nodes, below: NDArray[np.int64], above: NDArray[np.int64], size: int
) -> tuple[int, int]:
    """Return the first free node around which the sum of shell numbers of `size` nodes is least, and it.

    The sum is that over shells of how many of the nodes lie further out.
    """
    return native.best_box(axes.compiled, *corners, free, below, above, size)
