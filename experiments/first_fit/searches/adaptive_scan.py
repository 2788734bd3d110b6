"""AS: adaptive scan."""

from __future__ import annotations

import numpy as np

from netplace.experiments.first_fit.searches.box_list import BoxList
from netplace.native import experiments as native
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
        base, visited = native.adaptive_scan(self.boxes, self._sizes, np.array(shape), self._wraps)
        self.visited += visited
        return base
