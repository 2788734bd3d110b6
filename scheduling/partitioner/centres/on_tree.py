"""The center whose nearest free nodes lie closest together on a tree, from counts of its subtrees."""

from __future__ import annotations

import numpy as np

from netplace.native import scheduling as native
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.centres.space import GROUPS, Axes

__all__ = ["best_on_tree", "is_tree"]


def is_tree(axes: Axes) -> bool:
    """Return whether the dimensions are the levels of a tree."""
    return bool((axes.kinds == GROUPS).all())


def best_on_tree(axes: Axes, free: Nodes, centres: Nodes, size: int) -> int:
    """Return the first of the best centers, which are in increasing order; `size` is 2 or more."""
    subtrees = np.append(axes.sizes, 1)
    first = np.append(0, np.cumsum(subtrees))
    return native.best_on_tree(first, int(subtrees[0] // subtrees[1]), free, centres, size)
