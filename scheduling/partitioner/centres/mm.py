"""MM, Manhattan median: as Gen-Alg, but centres lie wherever rows and columns of free nodes meet.

Source: M. A. Bender et al., "Communication-aware processor allocation for supercomputers", WADS 2005,
sections 2 and 4. On meshes of d dimensions the sum over pairs is at most 2 - 1/(2d) times the least.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from netplace.compiled import njit
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.centres.choice import Choice
from netplace.scheduling.partitioner.centres.median import closest
from netplace.scheduling.partitioner.centres.space import Space

# mypy: disable-error-code="untyped-decorator"

__all__ = ["intersections", "mm"]


def mm(space: Space, free: Nodes, size: int) -> Choice:
    """Return what MM chooses."""
    return closest(space, free, intersections(space, free), size)


def intersections(space: Space, free: Nodes) -> Nodes:
    """Return the nodes, free or held, whose coordinate in every dimension is that of some free node."""
    return np.flatnonzero(_met(space.axes.places, space.axes.sizes, free))


@njit(cache=True)
def _met(places: Any, sizes: Any, free: Any) -> Any:
    """Return which nodes these are."""
    met = np.ones(places.shape[1], np.bool_)
    for d in range(len(sizes)):
        along, used = places[d], np.zeros(sizes[d], np.bool_)
        for node in free:
            used[along[node]] = True
        if not used.all():
            for node in range(len(met)):
                met[node] &= used[along[node]]
    return met
