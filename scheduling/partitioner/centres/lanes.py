"""Tables of what is known of a row of centres, and the loops over it. Compiled.

Every loop does the same to all centres of a row, in numbers of 8 bits (of 16 on machines of large diameter),
so that the processor does as many at a time as fit into its vector registers. All tables are flat and begin
where a line of the cache does, and their rows lie a fixed number of entries apart: so the compiler knows that
rows do not overlap.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplace.compiled import njit
from netplace.scheduling.partitioner.centres.space import LINE, RING

# mypy: disable-error-code="untyped-decorator"

__all__ = [
    "LANES",
    "Tables",
    "add_line",
    "add_pairs",
    "close_lines",
    "compare_plane",
    "open_lines",
    "room_for_tables",
    "set_up",
    "start_line",
    "take",
    "take_several",
]

LANES = 512
_TOGETHER = 50  # points of lines that are counted in 8 bits; of a line, at most two are at one distance

# Rows of the numbers of each centre.
_BEYOND = 0  # by how much the line at hand lies beyond the radius
_MORE = LANES  # how many more nodes at the last distance the lines at hand may bring
_IN_LINE = 2 * LANES  # chosen nodes of the line
_PLANE = 3 * LANES  # by how much the plane at hand lies beyond the radius
_RADIUS = 4 * LANES
_HERE = 5 * LANES  # place in a dimension
_ROWS = 6 * LANES


class Tables(NamedTuple):
    """What is known of a row of centres; every place of every dimension has a row in some.

    Attributes
    ----------
    together : int
        Lines that may be at hand at a time, and
    limit : int
        nodes that they may bring at one distance.
    first : ndarray of int64, shape (dims + 1,)
        First row of each dimension, and the end.
    lanes : ndarray of int8 or int16, shape (6 * lanes,)
        Numbers of each centre, see above.
    wanted : ndarray of int16, shape (lanes,)
        Nodes at the last distance that each still wants.
    gap : ndarray of int8 or int16, shape (places * lanes,)
        Hops from each place to each centre in its dimension.
    near, far : ndarray of int64, shape (places,)
        Least and most of them.
    along : ndarray of int8 or int16, shape (places in the first dimension * lanes,)
        Chosen nodes of the lines at hand.
    chosen : ndarray of int16, shape (places * lanes,)
        Chosen nodes at each place, but
    alike : ndarray of int16, shape (places,)
        those that all centres choose.
    """

    together: int
    limit: int
    first: NDArray[np.int64]
    lanes: Any
    wanted: NDArray[np.int16]
    gap: Any
    near: NDArray[np.int64]
    far: NDArray[np.int64]
    along: Any
    chosen: NDArray[np.int16]
    alike: NDArray[np.int16]


@njit(cache=True)
def room_for_tables(axes: Any, each: int, like: Any) -> Any:
    """Return room for the tables; there are at most `each` nodes at a point."""
    small = like.dtype
    together = max(1, _TOGETHER // each)
    first = np.zeros(len(axes.sizes) + 1, np.int64)
    first[1:] = np.cumsum(axes.sizes)
    places = first[-1]
    return Tables(
        together,
        2 * each * together,
        first,
        _aligned(_ROWS, small),
        _aligned(LANES, np.int16),
        _aligned(places * LANES, small),
        np.empty(places, np.int64),
        np.empty(places, np.int64),
        _aligned(axes.sizes[0] * LANES, small),
        _aligned(places * LANES, np.int16),
        np.empty(places, np.int16),
    )


@njit(cache=True)
def _aligned(count: int, kind: Any) -> Any:
    """Return room that begins with a line of the cache, whence vector registers are filled fastest."""
    room = np.empty(count + 64, kind)
    first = -room.ctypes.data % 64 // room.itemsize
    return room[first : first + count]


@njit(cache=True)
def set_up(axes: Any, tables: Any, row: Any, radii: Any, nearer: Any, size: int) -> None:
    """Fill in what is known of a row of centres; lanes that are left over repeat the last."""
    lanes, last = tables.lanes, len(row) - 1
    for lane in range(LANES):
        centre = row[min(lane, last)]
        lanes[_RADIUS + lane], tables.wanted[lane] = radii[centre], size - nearer[centre]
    for d in range(len(axes.sizes)):
        for lane in range(LANES):
            lanes[_HERE + lane] = axes.places[d, row[min(lane, last)]]
        ring = axes.sizes[d] if axes.kinds[d] == RING else 0
        for place in range(axes.sizes[d]):
            at = tables.first[d] + place
            tables.near[at], tables.far[at] = _fill_gap(lanes, place, ring, tables.gap, at * LANES)
    tables.chosen[:], tables.alike[:], tables.along[:] = 0, 0, 0


@njit(cache=True)
def _fill_gap(lanes: Any, place: int, ring: int, gap: Any, row: int) -> Any:
    """Fill in the hops from a place to each centre in a dimension, a ring of so many places or (0) a line.

    Returns the least and the most.
    """
    small = gap.dtype.type
    at, full = small(place), small(ring)
    for lane in range(LANES):
        there = lanes[_HERE + lane]
        hops = small(max(small(there - at), small(at - there)))
        gap[np.uintp(row + lane)] = min(hops, small(full - hops)) if ring else hops
    least, most = gap[row], gap[row]
    for lane in range(LANES):
        least, most = min(least, gap[np.uintp(row + lane)]), max(most, gap[np.uintp(row + lane)])
    return least, most


@njit(cache=True)
def open_lines(tables: Any) -> None:
    """Fill in how many nodes at the last distance the next lines may bring, as far as it matters to them."""
    wanted, lanes, limit = tables.wanted, tables.lanes, np.int16(tables.limit)
    small = lanes.dtype.type
    for lane in range(LANES):
        lanes[_MORE + lane] = small(min(wanted[lane], limit))


@njit(cache=True)
def compare_plane(axes: Any, tables: Any, head: int) -> Any:
    """Fill in by how much a node's plane lies beyond each radius.

    Returns how many hops it is from the nearest and from the farthest centre.
    """
    lanes, gap = tables.lanes, tables.gap
    small = lanes.dtype.type
    least, most = 0, 0
    for lane in range(LANES):
        lanes[_PLANE + lane] = small(-lanes[_RADIUS + lane])
    for d in range(2, len(axes.sizes)):
        at = tables.first[d] + axes.places[d, head]
        least, most = least + tables.near[at], most + tables.far[at]
        row = at * LANES
        for lane in range(LANES):
            lanes[_PLANE + lane] = small(lanes[_PLANE + lane] + gap[np.uintp(row + lane)])
    return least, most


@njit(cache=True)
def start_line(gap: Any, row: int, deep: bool, lanes: Any) -> None:
    """Begin a line: fill in how far beyond the radius it lies; without a second dimension as far as all."""
    small = lanes.dtype.type
    for lane in range(LANES):
        more = gap[np.uintp(row + lane)] if deep else small(0)
        lanes[_BEYOND + lane] = small(lanes[_PLANE + lane] + more)
        lanes[_IN_LINE + lane] = small(0)


@njit(cache=True)
def take(gap: Any, lanes: Any, along: Any, row: int) -> None:
    """Count a node where it is chosen; ties go to the first that are still wanted."""
    small = gap.dtype.type
    for lane in range(LANES):
        over = small(gap[np.uintp(row + lane)] + lanes[_BEYOND + lane])
        tied = small(over == 0)
        more = lanes[_MORE + lane]
        chosen = small(over < 0) | (tied & small(more > 0))
        lanes[_MORE + lane] = small(more - tied)
        along[np.uintp(row + lane)] = small(along[np.uintp(row + lane)] + chosen)
        lanes[_IN_LINE + lane] = small(lanes[_IN_LINE + lane] + chosen)


@njit(cache=True)
def take_several(gap: Any, lanes: Any, along: Any, row: int, nodes: int) -> None:
    """Count the nodes at a point where they are chosen; of tied ones as many as are still wanted."""
    small = gap.dtype.type
    all_of = small(nodes)
    for lane in range(LANES):
        over = small(gap[np.uintp(row + lane)] + lanes[_BEYOND + lane])
        more = lanes[_MORE + lane]
        tied = min(all_of, max(more, small(0)))
        chosen = all_of if over < 0 else (tied if over == 0 else small(0))
        lanes[_MORE + lane] = small(more - (all_of if over == 0 else small(0)))
        along[np.uintp(row + lane)] = small(along[np.uintp(row + lane)] + chosen)
        lanes[_IN_LINE + lane] = small(lanes[_IN_LINE + lane] + chosen)


@njit(cache=True)
def add_line(lanes: Any, count: Any, row: int) -> None:
    """Add what was chosen of a line to the nodes at its place."""
    for lane in range(LANES):
        count[np.uintp(row + lane)] = np.int16(count[np.uintp(row + lane)] + np.int16(lanes[_IN_LINE + lane]))


@njit(cache=True)
def close_lines(axes: Any, tables: Any, node: int) -> None:
    """Count what was chosen of the lines at hand, one of them this node's, and take it off what is wanted."""
    along, count, wanted, lanes = tables.along, tables.chosen, tables.wanted, tables.lanes
    total, limit = np.zeros(LANES, np.int16), np.int16(tables.limit)
    for row in range(0, len(along), LANES):
        for lane in range(LANES):
            chosen = np.int16(along[np.uintp(row + lane)])
            count[np.uintp(row + lane)] = np.int16(count[np.uintp(row + lane)] + chosen)
            total[lane] = np.int16(total[lane] + chosen)
    along[:] = 0
    for d in range(2, len(axes.sizes)):
        row = (tables.first[d] + axes.places[d, node]) * LANES
        for lane in range(LANES):
            count[np.uintp(row + lane)] = np.int16(count[np.uintp(row + lane)] + total[lane])
    for lane in range(LANES):
        opened = min(wanted[lane], limit)
        left = np.int16(wanted[lane] - np.int16(opened - np.int16(lanes[_MORE + lane])))
        wanted[lane] = max(left, np.int16(0))


@njit(cache=True)
def add_pairs(tables: Any, d: int, kind: int, nodes: int, cost: Any) -> None:
    """Add the sums of distances over pairs in one dimension, as `nearest.along` has them."""
    begin, end = tables.first[d], tables.first[d + 1]
    count, alike = tables.chosen[begin * LANES : end * LANES], tables.alike[begin:end]
    size = end - begin
    inside, total = np.zeros(LANES, np.int16), np.zeros(LANES, np.int32)
    half = size // 2 if kind == RING else 0
    for place in range(size):
        row = place * LANES
        for lane in range(LANES):
            count[np.uintp(row + lane)] = np.int16(count[np.uintp(row + lane)] + alike[place])
    for row in range(0, half * LANES, LANES):
        for lane in range(LANES):
            inside[lane] += count[np.uintp(row + lane)]
    for place in range(size):
        row, ahead = place * LANES, (place + half) % size * LANES
        if kind == LINE:
            for lane in range(LANES):
                inside[lane] += count[np.uintp(row + lane)]
        for lane in range(LANES):
            total[lane] += np.int32(inside[lane]) * np.int32(nodes - inside[lane])
        if kind == RING:
            for lane in range(LANES):
                inside[lane] += count[np.uintp(ahead + lane)] - count[np.uintp(row + lane)]
    for lane in range(LANES):
        cost[lane] += total[lane] // 2 if kind == RING else total[lane]
