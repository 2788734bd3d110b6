"""The k free nodes nearest to a center, and the center around which they lie closest together.

Ties, which the papers leave open, go to the least node number everywhere.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.native import scheduling as native
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.centres.space import Axes


def best_centre(axes: Axes, free: Nodes, centres: Nodes, size: int) -> tuple[int, int, Nodes]:
    """Return the first center whose `size` nearest free nodes have the least sum over pairs, it, and them."""
    centre, cost, nodes = native.best_centre(axes.compiled, free, centres, size)
    return centre, cost, nodes


def farthest(axes: Axes) -> int:
    """Return a number of hops that no two nodes are more apart."""
    return native.farthest(axes.compiled)


def least_swap(
    axes: Axes, chosen: Nodes, others: Nodes, near: NDArray[np.int64], far: NDArray[np.int64], most: int
) -> tuple[int, int, int]:
    """Return the indices of the swap of least change, and that change; ties to the lowest nodes.

    `near` and `far` hold the sum of distances of each chosen and each other node to the chosen ones. No two
    nodes are more than `most` hops apart, so few pairs can beat the most promising one.
    """
    return native.least_swap(axes.compiled, chosen, others, near, far, most)


def improve(axes: Axes, chosen: Nodes, others: Nodes) -> int:
    """Swap sorted chosen nodes for others in place while the sum over pairs falls; return by how much."""
    return native.improve(axes.compiled, chosen, others)
