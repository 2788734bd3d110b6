"""RBS: right border segments of the boxes that are held."""

from __future__ import annotations

from typing import Any

import numpy as np

from netplace.compiled import njit
from netplace.experiments.first_fit.searches.box_list import BoxList
from netplace.scheduling.partitioner.contiguous.search import Shape, mesh_2d
from netplace.topologies import Grid

__all__ = ["RightBorderSegments"]


class RightBorderSegments(BoxList):
    """An exact search on 2-D meshes, in time quadratic in the number of held boxes; `visited` counts boxes.

    A free box can be shifted left until it touches a held one, or the border of the mesh. So the first base
    lies in the column right of a held box, beside it, or in the first column; of each such segment, what the
    coverage of other boxes leaves is looked for, the boxes being sorted by row.

    G.-M. Chiu and S.-K. Chen, "An efficient submesh allocation scheme for two-dimensional meshes with little
    overhead", IEEE Trans. Parallel and Distributed Systems 10 (1999). Their text was not at hand: this is
    made after its idea, and returns the lowest base where they may return any.

    Raises
    ------
    ValueError
        If the network is no 2-D mesh.
    """

    def __init__(self, grid: Grid) -> None:
        super().__init__(mesh_2d(grid, "partitioner rbs"))

    def first(self, shape: Shape) -> int:
        """Return the first base of a free box of `shape`, or -1."""
        base, visited = _find(self.boxes, self._sizes, np.array(shape))
        self.visited += visited
        return int(base)


@njit(cache=True)
def _find(boxes: Any, sizes: Any, shape: Any) -> tuple[int, int]:
    """Return the first base of a free box, or -1, and the boxes looked at."""
    W, H, w, h = sizes[0], sizes[1], shape[0], shape[1]
    best_x, best_y = W, H
    visited = 0
    for segment in range(-1, len(boxes)):
        x, low, high = 0, 0, H - h
        if segment >= 0:
            x = boxes[segment, 0] + boxes[segment, 2]
            low = max(low, boxes[segment, 1] - h + 1)
            high = min(high, boxes[segment, 1] + boxes[segment, 3] - 1)
        if x + w > W:
            continue
        for i in range(len(boxes)):
            visited += 1
            if boxes[i, 1] - h + 1 > low or low > high or low > best_y:
                break
            if boxes[i, 0] - w < x < boxes[i, 0] + boxes[i, 2]:
                low = max(low, boxes[i, 1] + boxes[i, 3])
        if low <= high and (low < best_y or (low == best_y and x < best_x)):
            best_x, best_y = x, low
    return (-1 if best_y == H else best_y * W + best_x), visited
