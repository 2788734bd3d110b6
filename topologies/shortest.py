"""Distances by search, for networks without a formula."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from netplace.native import topologies

if TYPE_CHECKING:
    import scipy.sparse


def adjacency(neighbor: NDArray[np.integer[Any]]) -> scipy.sparse.csr_array:
    """Return the number of links from each switch to each other."""
    import scipy.sparse

    start, port = np.nonzero(neighbor >= 0)
    ones = np.ones(len(start), np.float32)
    shape = (len(neighbor), len(neighbor))
    return scipy.sparse.csr_array((ones, (start, neighbor[start, port])), shape=shape)


def all_hops(neighbor: NDArray[np.integer[Any]]) -> NDArray[np.int16]:
    """Return the hops from every switch to every other, by breadth-first search."""
    links = np.maximum(neighbor, -1, dtype=np.int64)
    return topologies.all_hops(links).reshape(len(neighbor), len(neighbor))
