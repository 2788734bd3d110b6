"""The nodes of least sum over pairs on a line, exactly: consecutive free nodes.

Source: M. A. Bender et al., "Communication-aware processor allocation for supercomputers", WADS 2005,
section 1, which speaks of dynamic programming; that the optimum is consecutive, by an exchange argument, is
ours.
"""

from __future__ import annotations

import numpy as np

from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.centres.selection import Selection
from netplace.scheduling.partitioner.centres.space import LINE, Space

__all__ = ["consecutive", "line_of"]


def consecutive(space: Space, free: Nodes, size: int) -> Selection:
    """Return the `size` consecutive free nodes of least sum over pairs, the first of several."""
    place = space.axes.places[0, free]
    sums, moments = np.cumsum([0, *place]), np.cumsum([0, *(np.arange(len(free)) * place)])
    first = np.arange(len(free) - size + 1)
    # Sum of (2 i - k + 1) x_i with i counted from the first of the window.
    inside = sums[size:] - sums[: len(first)]
    weights = moments[size:] - moments[: len(first)] - first * inside
    costs = 2 * weights - (size - 1) * inside
    best = int(np.argmin(costs))
    return Selection(free[best : best + size], int(costs[best]))


def line_of(space: Space) -> Space:
    """Return `space` if it is a line."""
    if len(space.axes.sizes) != 1 or space.axes.kinds[0] != LINE:
        raise ValueError(f"partitioner line: is defined on meshes of one dimension, not on {space.topology}")
    return space
