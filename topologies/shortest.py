"""Distances by search, for networks without a formula."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import scipy.sparse

_BLOCK = 2**23  # pairs looked at together: bounds the memory of intermediate arrays


def adjacency(neighbor: NDArray[np.integer[Any]]) -> scipy.sparse.csr_array:
    """Return the number of links from each switch to each other."""
    import scipy.sparse

    start, port = np.nonzero(neighbor >= 0)
    ones = np.ones(len(start), np.float32)
    shape = (len(neighbor), len(neighbor))
    return scipy.sparse.csr_array((ones, (start, neighbor[start, port])), shape=shape)


def all_hops(neighbor: NDArray[np.integer[Any]]) -> NDArray[np.int16]:
    """Return the hops from every switch to every other, by breadth-first search."""
    switches = len(neighbor)
    links = adjacency(neighbor)
    hops = np.full((switches, switches), -1, np.int16)
    rows = max(1, _BLOCK // max(1, switches))
    for first in range(0, switches, rows):
        block = hops[first : first + rows]
        front = np.zeros(block.shape, bool)
        front[np.arange(len(block)), first + np.arange(len(block))] = True
        far = 0
        while front.any():
            block[front] = far
            front = (front.astype(np.float32) @ links > 0) & (block < 0)
            far += 1
    return hops
