"""FS: frame sliding."""

from __future__ import annotations

import numpy as np

from netplace.native import scheduling as native
from netplace.scheduling.partitioner.contiguous.search import NodeArray, Shape, mesh_2d
from netplace.topologies import Grid

__all__ = ["FrameSliding"]


class FrameSliding(NodeArray):
    """A search on 2-D meshes that looks at few bases, and so misses free boxes; `visited` counts nodes.

    The first frame has its base at the first free node; from there the frame slides by its width along a row,
    then by its height to the next row of frames. So no node is looked at twice.

    P.-J. Chuang and N.-F. Tzeng, "An efficient submesh allocation strategy for mesh computer systems",
    Proc. 11th Int. Conf. on Distributed Computing Systems (1991). Their text was not at hand: here every
    row of frames goes from left to right, over all bases that differ from the first by multiples of the
    width.
    """

    def __init__(self, grid: Grid) -> None:
        super().__init__(mesh_2d(grid, "partitioner frame-sliding"))

    def first(self, shape: Shape) -> int:
        """Return the base of the first free frame of `shape`, or -1."""
        base, visited = native.slide_frame(self.held, self._sizes, np.array(shape))
        self.visited += visited
        return base
