"""What naive first fit finds and visits, worked out for all bases together instead of node by node."""

from __future__ import annotations

from typing import Any

import numpy as np

from netplace.compiled import njit
from netplace.experiments.first_fit.searches.over_nodes import OverNodes

__all__ = ["CountedFirstFit"]


@njit(cache=True)
def _find(held: Any, sizes: Any, shape: Any, wraps: bool) -> tuple[int, int]:
    """Return the first base of a free box, or -1, and the nodes that a search node by node looks at."""
    looked = np.empty(len(held), np.int32)
    _along_rows(looked, held, sizes[0], shape[0], wraps)
    whole, stride = shape[0], sizes[0]
    for d in range(1, len(sizes)):
        if shape[d] > 1:
            _along(looked, stride, sizes[d], shape[d], whole, wraps)
        whole *= shape[d]
        stride *= sizes[d]
    visited, width = 0, sizes[0]
    bases = width if wraps else width - shape[0] + 1  # in a row, if a box stays on the machine otherwise
    for row in range(0, len(held), width):
        outside, rest = False, row // width
        for d in range(1, len(sizes)):
            outside |= not wraps and rest % sizes[d] + shape[d] > sizes[d]
            rest //= sizes[d]
        if outside:
            continue
        for base in range(row, row + bases):
            if looked[base] == 0:
                return base, visited + whole
            visited += looked[base]
    return -1, visited


@njit(cache=True)
def _along_rows(looked: Any, held: Any, width: int, s: int, wraps: bool) -> None:
    """Write for each node how many are looked at in a row of `s` from it; 0: all, and none is held."""
    for row in range(0, len(held), width):
        free = 0  # from the next node on
        while wraps and free < s and not held[row + free]:
            free += 1
        for node in range(row + width - 1, row - 1, -1):
            free = 0 if held[node] else free + 1
            looked[node] = 0 if free >= s else free + 1


@njit(cache=True)
def _along(looked: Any, stride: int, size: int, s: int, whole: int, wraps: bool) -> None:
    """Make numbers for `s` sections along a dimension of those for one, which has `whole` nodes."""
    free = np.empty(stride, np.int32)  # sections that are free, from the next node on, for each line
    last = np.empty(stride, np.int32)  # nodes looked at in the one behind them
    for first in range(0, len(looked), stride * size):
        free[:] = 0
        last[:] = 0
        for place in range(s - 2 if wraps else -1, -1, -1):
            _next(free, last, looked[first + place * stride : first + (place + 1) * stride])
        for place in range(size - 1, -1, -1):
            here = looked[first + place * stride : first + (place + 1) * stride]
            _next(free, last, here)
            for i in range(stride):
                here[i] = 0 if free[i] >= s else free[i] * whole + last[i]


@njit()
def _next(free: Any, last: Any, looked: Any) -> None:
    """Go on by one section."""
    for i in range(len(looked)):
        last[i] = looked[i] if looked[i] else last[i]
        free[i] = 0 if looked[i] else free[i] + 1


class CountedFirstFit(OverNodes):
    """The answers and visits of `NaiveFirstFit`, in a time that the size of the box hardly alters.

    How many nodes are looked at from a base, up to the first that is held, follows dimension by dimension: at
    rows that begin there from the free nodes up to the next held one, at a section of a box from those of its
    rows, and so on. `visited` is the sum over all bases up to the answer.
    """

    find = staticmethod(_find)
