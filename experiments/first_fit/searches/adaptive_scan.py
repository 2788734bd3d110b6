"""AS: adaptive scan."""

from __future__ import annotations

from typing import Any

import numpy as np

from netplace.compiled import njit
from netplace.experiments.first_fit.searches.box_list import BoxList
from netplace.scheduling.partitioner.contiguous.search import Shape

__all__ = ["AdaptiveScan"]


class AdaptiveScan(BoxList):
    """An exact search on meshes and tori that jumps behind the held box in its way; `visited` counts boxes.

    Bases are scanned in their order. If the box at one would meet a held box, the stride is as long as it
    takes to get behind that along X.

    J. Ding and L. N. Bhuyan, "An adaptive submesh allocation strategy for two-dimensional mesh connected
    systems", Proc. Int. Conf. on Parallel Processing (1993). That is for 2-D meshes; the same rule serves any
    number of dimensions, and rings.
    """

    def first(self, shape: Shape) -> int:
        """Return the first base of a free box of `shape`, or -1."""
        base, visited = _find(self.boxes, self._sizes, np.array(shape), self._wraps)
        self.visited += visited
        return int(base)


@njit(cache=True)
def _find(boxes: Any, sizes: Any, shape: Any, wraps: bool) -> tuple[int, int]:
    """Return the first base of a free box, or -1, and the boxes looked at."""
    dims = len(sizes)
    last = sizes - 1 if wraps else sizes - shape
    base = np.zeros(dims, np.int64)
    visited = 0
    while True:
        jump = 0
        for i in range(len(boxes)):
            visited += 1
            jump = _covered(boxes[i], sizes, shape, base)
            if jump:
                break
        if not jump:
            node = 0
            for d in range(dims - 1, -1, -1):
                node = node * sizes[d] + base[d]
            return node, visited
        base[0] += jump
        d = 0
        while base[d] > last[d]:
            base[d] = 0
            d += 1
            if d == dims:
                return -1, visited
            base[d] += 1


@njit(cache=True)
def _covered(box: Any, sizes: Any, shape: Any, base: Any) -> int:
    """Return how far the next base along X is whose box does not meet `box`, 0 if that at `base` does not."""
    dims = len(sizes)
    jump = 0
    for d in range(dims - 1, -1, -1):
        # Where the base lies in the bases that the box forbids.
        gap = (base[d] - box[d] + shape[d] - 1) % sizes[d]
        forbidden = min(box[dims + d] + shape[d] - 1, sizes[d])
        if gap >= forbidden:
            return 0
        jump = forbidden - gap
    return jump
