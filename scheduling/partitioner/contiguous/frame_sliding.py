"""FS: frame sliding."""

from __future__ import annotations

from typing import Any

import numpy as np

from netplace.compiled import njit
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

    Raises
    ------
    ValueError
        If the network is no 2-D mesh.
    """

    def __init__(self, grid: Grid) -> None:
        super().__init__(mesh_2d(grid, "partitioner frame-sliding"))

    def first(self, shape: Shape) -> int:
        """Return the base of the first free frame of `shape`, or -1."""
        base, visited = _find(self.held, self._sizes, np.array(shape))
        self.visited += visited
        return int(base)


@njit(cache=True)
def _find(held: Any, sizes: Any, shape: Any) -> tuple[int, int]:
    """Return the base of the first free frame, or -1, and the nodes looked at."""
    W, H, w, h = sizes[0], sizes[1], shape[0], shape[1]
    start = 0
    while start < len(held) and held[start]:
        start += 1
    visited = start
    for y in range(start // W, H - h + 1, h):
        x = start % W if y == start // W else start % W % w
        while x + w <= W:
            free, looked = _frame(held, W, x, y, w, h)
            visited += looked
            if free:
                return y * W + x, visited
            x += w
    return -1, visited


@njit(cache=True)
def _frame(held: Any, W: int, x: int, y: int, w: int, h: int) -> tuple[bool, int]:
    """Return whether all nodes of a frame are free, and how many were looked at."""
    looked = 0
    for row in range(y, y + h):
        for node in range(row * W + x, row * W + x + w):
            looked += 1
            if held[node]:
                return False, looked
    return True, looked
