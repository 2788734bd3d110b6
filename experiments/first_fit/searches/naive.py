"""NFF: naive first fit, node by node."""

from __future__ import annotations

from typing import Any

import numpy as np

from netplace.compiled import njit
from netplace.experiments.first_fit.searches.over_nodes import OverNodes

__all__ = ["NaiveFirstFit"]


@njit(cache=True)
def _find(held: Any, sizes: Any, shape: Any, wraps: bool) -> tuple[int, int]:
    """Return the first base of a free box, or -1, and the nodes looked at."""
    dims, width = len(sizes), sizes[0]
    place, step = np.zeros(dims, np.int64), np.zeros(dims, np.int64)
    bases = width if wraps else width - shape[0] + 1  # in a row, if a box stays on the machine otherwise
    visited = 0
    for row in range(0, len(held), width):
        outside, rest = False, row // width
        for d in range(1, dims):
            place[d], rest = rest % sizes[d], rest // sizes[d]
            outside |= not wraps and place[d] + shape[d] > sizes[d]
        if outside:
            continue
        for x in range(bases):
            if held[row + x]:
                visited += 1
            else:
                place[0] = x
                free, looked = _box_is_free(held, sizes, shape, place, step)
                visited += looked
                if free:
                    return row + x, visited
    return -1, visited


@njit(cache=True)
def _box_is_free(held: Any, sizes: Any, shape: Any, place: Any, step: Any) -> tuple[bool, int]:
    """Return whether no node of the box at a place is held, and the nodes looked at; `step` is room."""
    dims, visited = len(sizes), 0
    step[:] = 0
    d = 0
    while d < dims:
        row = 0
        for d in range(dims - 1, 0, -1):
            x = place[d] + step[d]
            row = row * sizes[d] + (x if x < sizes[d] else x - sizes[d])
        row *= sizes[0]
        for x in range(place[0], place[0] + shape[0]):
            visited += 1
            if held[row + (x if x < sizes[0] else x - sizes[0])]:
                return False, visited
        d = 1
        while d < dims and step[d] == shape[d] - 1:
            step[d] = 0
            d += 1
        if d < dims:
            step[d] += 1
    return True, visited


class NaiveFirstFit(OverNodes):
    """An exact search on meshes and tori that looks at every node of every box; `visited` counts nodes.

    A base is given up at the first held node.
    """

    find = staticmethod(_find)
