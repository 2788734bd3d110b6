"""Searches that look at a flag for every node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from netplace.scheduling.partitioner.contiguous.search import NodeArray, Shape

__all__ = ["OverNodes"]


class OverNodes(NodeArray):
    """A search by one compiled function over the flags of all nodes.

    Attributes
    ----------
    find : callable
        Takes `held`, the sides of the machine and of the box, and whether the machine is a torus; returns the
        first base of a free box, or -1, and what `visited` grows by.
    """

    find: ClassVar[Callable[..., Any]]

    def first(self, shape: Shape) -> int:
        """Return the first base of a free box of `shape`, or -1."""
        base, visited = self.find(self.held, self._sizes, np.array(shape), self._wraps)
        self.visited += visited
        return int(base)
