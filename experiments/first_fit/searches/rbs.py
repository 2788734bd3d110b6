"""RBS: right border segments of the boxes that are held."""

from __future__ import annotations

import numpy as np

from netplace.experiments.first_fit.searches.box_list import BoxList
from netplace.native import experiments as native
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
    """

    def __init__(self, grid: Grid) -> None:
        super().__init__(mesh_2d(grid, "partitioner rbs"))

    def first(self, shape: Shape) -> int:
        """Return the first base of a free box of `shape`, or -1."""
        base, visited = native.right_border_segments(self.boxes, self._sizes, np.array(shape))
        self.visited += visited
        return base
