"""ZFF: Zhu's first fit, by the coverage of what is held."""

from __future__ import annotations

from typing import Any

import numpy as np

from netplace.compiled import njit
from netplace.experiments.first_fit.searches.over_nodes import OverNodes

__all__ = ["ZhuFirstFit"]


@njit(cache=True)
def _find(held: Any, sizes: Any, shape: Any, wraps: bool) -> tuple[int, int]:
    """Return the first base of a free box, or -1, and the nodes looked at."""
    covered = held.copy()
    stride = 1
    for d in range(len(sizes)):
        _spread(covered, stride, sizes[d], shape[d], wraps)
        stride *= sizes[d]
    visited = len(sizes) * len(held)
    for base in range(len(held)):
        visited += 1
        if not covered[base]:
            return base, visited
    return -1, visited


@njit(cache=True)
def _spread(covered: Any, stride: int, size: int, s: int, wraps: bool) -> None:
    """Mark along one dimension the `s` - 1 nodes before each marked one, and before the end of a mesh."""
    left = np.zeros(stride, np.int64)  # of the nodes that the last mark covers, for each line
    for first in range(0, len(covered), stride * size):
        left[:] = 0 if wraps else s - 1
        if wraps:
            for i in range(s - 2, -1, -1):
                for line in range(stride):
                    left[line] = s - 1 if covered[first + i * stride + line] else left[line] - 1
        for i in range(size - 1, -1, -1):
            for line in range(stride):
                node = first + i * stride + line
                if covered[node]:
                    left[line] = s - 1
                else:
                    covered[node] = left[line] > 0
                    left[line] -= 1


class ZhuFirstFit(OverNodes):
    """An exact search that marks all bases from which a box meets a held one; `visited` counts nodes.

    The marks are those of the array of held nodes spread backwards by the sides of the box: one pass over
    all nodes a dimension, and one to find the first that is not marked. The time depends on the size of the
    machine alone.

    Y. Zhu, "Efficient processor allocation strategies for mesh-connected parallel computers", J. Parallel
    and Distributed Computing 16 (1992). That is for 2-D meshes, a pass along rows and one along columns;
    here there is one for every dimension, and rings go on at their beginning.
    """

    find = staticmethod(_find)
