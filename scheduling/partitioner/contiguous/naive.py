"""NFF: naive first fit, node by node."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from netplace.scheduling.partitioner.contiguous.search import NodeArray, Shape

__all__ = ["NaiveFirstFit"]


class NaiveFirstFit(NodeArray):
    """An exact search on meshes and tori that looks at every node of every box; `visited` counts nodes.

    A base is given up at the first held node.
    """

    def first(self, shape: Shape) -> int:
        """Return the first base of a free box of `shape`, or -1."""
        base, visited = _find(self.held, self._sizes, np.array(shape), self._wraps)
        self.visited += visited
        return int(base)


@njit(cache=True)
def _find(held: Any, sizes: Any, shape: Any, wraps: bool) -> tuple[int, int]:
    """Return the first base of a free box, or -1, and the nodes looked at."""
    dims = len(sizes)
    place, step = np.zeros(dims, np.int64), np.zeros(dims, np.int64)
    visited = 0
    for base in range(len(held)):
        rest, inside = base, True
        for d in range(dims):
            place[d], rest = rest % sizes[d], rest // sizes[d]
            inside &= wraps or place[d] + shape[d] <= sizes[d]
        step[:] = 0
        while inside:
            node = 0
            for d in range(dims - 1, -1, -1):
                x = place[d] + step[d]
                node = node * sizes[d] + (x if x < sizes[d] else x - sizes[d])
            visited += 1
            if held[node]:
                break
            d = 0
            while d < dims and step[d] == shape[d] - 1:
                step[d] = 0
                d += 1
            if d == dims:
                return base, visited
            step[d] += 1
    return -1, visited
