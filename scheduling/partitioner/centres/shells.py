"""The box of least sum of shell numbers, by sums over corners. Compiled."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplace.compiled import njit
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.centres.space import RING, Space

# mypy: disable-error-code="untyped-decorator"

__all__ = ["FreeBelow", "best_box", "free_below"]


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
    return FreeBelow(_summed(here, sizes, shift, ends, strides), strides[:-1], shift, ends)


@njit(cache=True)
def _summed(here: Any, sizes: Any, shift: Any, ends: Any, strides: Any) -> Any:
    """Return the counts below every corner of the unrolled grid."""
    dims = len(sizes)
    below = np.zeros(strides[dims], np.int32)
    place = np.zeros(dims, np.int64)  # of a line along the first dimension, unrolled
    for _ in range(ends[1:].prod()):
        line, corner, length = 0, 0, sizes[0]
        for d in range(1, dims):
            line += (place[d] + sizes[d] - shift[d]) % sizes[d] * length
            corner += (place[d] + 1) * strides[d]
            length *= sizes[d]
        total, x = np.int32(0), sizes[0] - shift[0]
        for i in range(ends[0]):
            x = x - sizes[0] if x >= sizes[0] else x
            total += np.int32(here[line + x])
            below[corner + i + 1] = total
            x += 1
        d = 1
        while d < dims and place[d] == ends[d] - 1:
            place[d] = 0
            d += 1
        if d < dims:
            place[d] += 1
    for d in range(1, dims):
        for block in range(0, strides[dims], strides[d + 1]):
            for row in range(block + strides[d], block + strides[d + 1], strides[d]):
                _add(below[row : row + strides[d]], below[row - strides[d] : row])
    return below


@njit(cache=True)
def _add(sums: Any, others: Any) -> None:
    for i in range(len(sums)):
        sums[i] += others[i]


@njit(cache=True)
def best_box(axes: Any, below_corner: Any, free: Any, below: Any, above: Any, size: int) -> Any:
    """Return the first free node around which the sum of shell numbers of `size` nodes is least, and it.

    The sum is that over shells of how many of the nodes lie further out.
    """
    dims = len(axes.sizes)
    low, high = np.empty(dims, np.int64), np.empty(dims, np.int64)
    best, best_at = np.int64(-1), np.int64(-1)
    for centre in free:
        cost, shell = np.int64(0), 0
        while best < 0 or cost < best:
            for d in range(dims):
                down, up = below[d] + shell, above[d] + shell
                if axes.kinds[d] == RING:
                    down, up = min(down, (axes.sizes[d] - 1) // 2), min(up, axes.sizes[d] // 2)
                middle = axes.places[d, centre] + below_corner.shift[d]
                low[d] = max(middle - down, 0) * below_corner.strides[d]
                high[d] = min(middle + up + 1, below_corner.ends[d]) * below_corner.strides[d]
            inside = 0
            for corner in range(1 << dims):
                at, sign = 0, 1
                for d in range(dims):
                    if corner >> d & 1:
                        at += low[d]
                        sign = -sign
                    else:
                        at += high[d]
                inside += sign * below_corner.corners[at]
            if inside >= size:
                best, best_at = cost, centre
                break
            cost += size - inside
            shell += 1
        if best == 0:
            break
    return best_at, best
