"""MM, Manhattan median: as Gen-Alg, but centers lie wherever rows and columns of free nodes meet.

Source: M. A. Bender et al., "Communication-aware processor allocation for supercomputers", WADS 2005,
sections 2 and 4. On meshes of d dimensions the sum over pairs is at most 2 - 1/(2d) times the least.
"""

from __future__ import annotations

import numpy as np

from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.centres.median import closest
from netplace.scheduling.partitioner.centres.selection import Selection
from netplace.scheduling.partitioner.centres.space import Space

__all__ = ["intersections", "mm"]


def mm(space: Space, free: Nodes, size: int) -> Selection:
    """Return what MM chooses."""
    return closest(space, free, intersections(space, free), size)


def intersections(space: Space, free: Nodes) -> Nodes:
    """Return the nodes, free or held, whose coordinate in every dimension is that of some free node."""
    met = np.ones(space.axes.places.shape[1], np.bool_)
    for along, size in zip(space.axes.places, space.axes.sizes.tolist(), strict=True):
        used = np.zeros(size, np.bool_)
        used[along[free]] = True
        if not used.all():
            met &= used[along]
    return np.flatnonzero(met)
