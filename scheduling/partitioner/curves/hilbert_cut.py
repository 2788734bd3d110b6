"""Hilbert's curve of the smallest cube of side 2^m around a grid, cut to the grid.

Nodes outside the grid are struck out and the ranks closed up, so that the curve jumps where it left the grid.
It is there to reproduce what was published on machines that are no cubes; `hilbert` has no jumps.

Source: V. J. Leung et al., CLUSTER 2002, section 2.2, which leaves open what is done on other sides; to cut
is the plain reading. In two dimensions the curve starts at (0, 0) and ends at (2^m - 1, 0), as published; in
others it is Hilbert's curve by J. Skilling, "Programming the Hilbert curve", AIP Conf. Proc. 707 (2004).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.placement.rule import grid_of
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.topologies import Topology

__all__ = ["hilbert_cut"]

_Places = NDArray[np.int64]


def hilbert_cut(topology: Topology) -> Nodes:
    """Return the nodes of a grid in the order of the curve of the cube around it."""
    grid = grid_of(topology, "order hilbert-cut")
    bits = (max(grid.sizes) - 1).bit_length()
    if grid.dims == 1:
        return np.arange(grid.nodes)
    places = grid.coordinates(np.arange(grid.nodes))
    keys = _square(places, bits) if grid.dims == 2 else _cube(places, bits)
    return np.argsort(keys, kind="stable")


def _square(places: _Places, bits: int) -> _Places:
    """Return the ranks of places on the curve of the square of side 2^bits."""
    x, y = places[:, 0].copy(), places[:, 1].copy()
    rank = np.zeros(len(places), np.int64)
    for bit in reversed(range(bits)):
        side = 1 << bit
        right, up = x >> bit & 1, y >> bit & 1
        rank = rank << 2 | (3 * right ^ up)
        x, y = x & side - 1, y & side - 1
        turned = (up == 0) & (right == 1)
        x, y = np.where(turned, side - 1 - x, x), np.where(turned, side - 1 - y, y)
        x, y = np.where(up == 0, y, x), np.where(up == 0, x, y)
    return rank


def _cube(places: _Places, bits: int) -> _Places:
    """Return keys that grow along the curve of the cube of side 2^bits, of any number of dimensions."""
    # Skilling's transformation of coordinates, then of Gray codes; the transposed bits are read crosswise.
    x = places.T.copy()
    for bit in reversed(range(1, bits)):
        low = (1 << bit) - 1
        for axis in range(len(x)):
            high = (x[axis] >> bit & 1).astype(bool)
            change = np.where(high, 0, (x[0] ^ x[axis]) & low)
            x[0] = np.where(high, x[0] ^ low, x[0] ^ change)
            x[axis] ^= change
    for axis in range(1, len(x)):
        x[axis] ^= x[axis - 1]
    flip = np.zeros_like(x[0])
    for bit in reversed(range(1, bits)):
        flip ^= np.where(x[-1] >> bit & 1, (1 << bit) - 1, 0)
    x ^= flip
    rank = np.zeros(len(places), np.int64)
    for bit in reversed(range(bits)):
        for axis in range(len(x)):
            rank = rank << 1 | x[axis] >> bit & 1
    return rank
