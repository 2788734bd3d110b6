"""An order of locations in which every block of a power of two is compact: recursive bisection.

Blocks are halved across the longest of their dimensions, as in recursive coordinate bisection: M. J. Berger
and S. H. Bokhari, "A partitioning strategy for nonuniform problems on multiprocessors", IEEE Trans. Computers
36 (1987). Trees use the order of their ancestors. Locations with only a table of costs are halved between two
that are far apart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.placement.mapping.qap.kinds import TABLE, TREE, TWIST
from netplace.placement.mapping.qap.locations import Locations

__all__ = ["bisected", "nearest"]

_EXACT = 8192  # locations up to which the nearest are looked up in the whole table
_WINDOW = 4  # elsewhere: so many before and behind in the order


def bisected(locations: Locations) -> NDArray[np.int64]:
    """Return the numbers of the locations in order; blocks ``i >> level`` of it are compact."""
    if locations.kind == TREE:
        return np.lexsort(locations.places.T)
    order = np.arange(len(locations))
    halve = _apart if locations.kind == TABLE else _across
    for level in range((len(locations) - 1).bit_length(), 0, -1):
        order = halve(locations, order, level)
    return order


def _across(locations: Locations, order: NDArray[np.int64], level: int) -> NDArray[np.int64]:
    """Sort every block by the coordinates, that in which it is longest first."""
    places = locations.places[order].astype(np.int64)
    places -= places.min(axis=0)
    block = np.arange(len(order)) >> level
    begins = np.arange(0, len(order), 1 << level)
    longest = (np.maximum.reduceat(places, begins) - np.minimum.reduceat(places, begins)).argmax(axis=1)
    dims, size = places.shape[1], places.max(axis=0) + 1
    sorted_by = [(longest[block] + d) % dims for d in range(dims)]
    rows = np.arange(len(order))
    key = block
    for dimension in sorted_by:
        key = key * size.max() + places[rows, dimension]
    return order[np.argsort(key, kind="stable")]


def _apart(locations: Locations, order: NDArray[np.int64], level: int) -> NDArray[np.int64]:
    """Sort every block by how much nearer its members are to one end of it than to the other."""
    sorted_blocks = []
    for begin in range(0, len(order), 1 << level):
        block = order[begin : begin + (1 << level)]
        home = locations.home[block]
        first = home[locations.table[home[0], home].argmax()]
        other = home[locations.table[first, home].argmax()]
        nearer = locations.table[first, home].astype(np.float64) - locations.table[other, home]
        sorted_blocks.append(block[np.argsort(nearer, kind="stable")])
    return np.concatenate(sorted_blocks)


def nearest(locations: Locations) -> NDArray[np.int32]:
    """Return locations near each, shape (locations, k)."""
    count = len(locations)
    if locations.kind == TREE or (locations.kind == TABLE and count > _EXACT):
        return _window(count)
    if locations.kind == TABLE:
        return _from_table(locations)
    from scipy.spatial import cKDTree

    dims = locations.places.shape[1]
    rings = np.where(np.isfinite(locations.steps), locations.steps, 0)[:dims]
    places = locations.places
    if locations.kind == TWIST:
        places, rings[1] = _unrolled(places, *locations.steps), 0
    wanted = min((2 * dims + 2) * locations.crowd, count - 1)
    _, near = cKDTree(places, boxsize=rings).query(places[:count], wanted + 1, p=1)
    near = near.reshape(count, -1) % count
    # Where others stand in the same place a location is not always the first that it finds.
    rows, columns = np.nonzero(near == np.arange(count)[:, None])
    near[rows, columns] = near[rows, 0]
    return np.ascontiguousarray(near[:, 1:], np.int32)


def _unrolled(places: NDArray[np.float32], width: float, height: float, twist: float) -> NDArray[np.float32]:
    """Return places on a twisted torus, and where they are seen beyond either end of Y."""
    beyond = np.array([-twist, height], np.float32)
    every = np.concatenate((places, places + beyond, places - beyond))
    every[:, 0] %= width
    return every


def _window(count: int) -> NDArray[np.int32]:
    wanted = min(2 * _WINDOW, count - 1)
    first = np.clip(np.arange(count) - wanted // 2, 0, count - 1 - wanted)
    window = first[:, None] + np.arange(wanted + 1)
    others: NDArray[np.int64] = window[window != np.arange(count)[:, None]]
    return np.ascontiguousarray(others.reshape(count, wanted), np.int32)


def _from_table(locations: Locations) -> NDArray[np.int32]:
    count = len(locations)
    wanted = min(2 * _WINDOW, count - 1)
    near = np.empty((count, wanted), np.int32)
    for location in range(count):
        away = locations.table[locations.home[location], locations.home].astype(np.float32)
        away[location] = np.inf
        near[location] = np.argpartition(away, wanted - 1)[:wanted]
    return near
