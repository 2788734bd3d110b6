"""MM, Manhattan median: as Gen-Alg, but centres lie wherever rows and columns of free nodes meet.

Source: M. A. Bender et al., "Communication-aware processor allocation for supercomputers", WADS 2005,
sections 2 and 4. On meshes of d dimensions the sum over pairs is at most 2 - 1/(2d) times the least.
"""

from __future__ import annotations

import numpy as np

from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.centres.choice import Choice
from netplace.scheduling.partitioner.centres.median import closest
from netplace.scheduling.partitioner.centres.space import Space

__all__ = ["intersections", "mm"]


def mm(space: Space, free: Nodes, size: int) -> Choice:
    """Return what MM chooses."""
    return closest(space, free, intersections(space, free), size)


def intersections(space: Space, free: Nodes) -> Nodes:
    """Return the nodes, free or held, whose coordinate in every dimension is that of some free node."""
    places = space.axes.places
    met = np.ones(places.shape[1], bool)
    for d, size in enumerate(space.axes.sizes):
        used = np.zeros(size, bool)
        used[places[d, free]] = True
        met &= used[places[d]]
    return np.flatnonzero(met)
