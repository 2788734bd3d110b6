"""The centre whose nearest free nodes lie closest together, for many centres side by side. Compiled.

Centres are taken in rows, in an order in which neighbours stay together (`Space.near_order`), and how far
each one's nodes reach is known from counts (`reach`): a free node out of reach of all centres of a row is
passed over, one within reach of all is taken as it is. The choice is that of `nearest.best_centre`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplace.compiled import njit
from netplace.scheduling.partitioner.centres.lanes import (
    LANES,
    add_line,
    add_pairs,
    close_lines,
    compare_plane,
    open_lines,
    room_for_tables,
    set_up,
    start_line,
    take,
    take_several,
)
from netplace.scheduling.partitioner.centres.nearest import farthest
from netplace.scheduling.partitioner.centres.reach import reach_of
from netplace.scheduling.partitioner.centres.space import Space

# mypy: disable-error-code="untyped-decorator"

__all__ = ["best_of_batch", "fits_batch"]

_MOST = 2**62


class _Lines(NamedTuple):
    """The points with free nodes, line by line of the first dimension.

    Attributes
    ----------
    starts : ndarray of int64, shape (lines + 1,)
        Where each line begins among these points, and the end of the last.
    heads : ndarray of int64, shape (lines,)
        First of them.
    planes : ndarray of int64, shape (lines,)
        Number of the plane of the first two dimensions.
    places : ndarray of int64, shape (points,)
        Place of each point in its line.
    nodes : ndarray of int16, shape (points,)
        Its free nodes.
    """

    starts: NDArray[np.int64]
    heads: NDArray[np.int64]
    planes: NDArray[np.int64]
    places: NDArray[np.int64]
    nodes: NDArray[np.int16]


def fits_batch(space: Space, free: int, size: int) -> bool:
    """Return whether this is a grid, numbered as it lies, whose counts and sums fit into the numbers used."""
    sizes = space.axes.sizes.tolist()
    small = max(free, sum(sizes)) < 2**15 and size * size // 4 * max(sizes) < 2**31
    return small and space.in_order


def best_of_batch(space: Space, free: NDArray[np.int64], centres: NDArray[np.int64], size: int) -> int:
    """Return the first centre whose `size` nearest free nodes have the least sum of distances over pairs."""
    axes, each = space.lattice, space.each
    most = max(farthest(axes), axes.sizes.max(), axes.sizes[0] * each, 2 * each)
    like = np.empty(0, np.int8 if most < 2**7 else np.int16)
    here = np.bincount(space.point[free], minlength=len(space.near_order)).astype(np.int16)
    at = space.point[centres]
    best = _best(axes, each, space.near_order, here, at, size, like)
    return int(centres[np.searchsorted(at, best)])


@njit(cache=True)
def _best(axes: Any, each: int, order: Any, here: Any, centres: Any, size: int, like: Any) -> int:
    """Return the best point; distances are numbers of the type that `like` has."""
    radii, nearer = reach_of(axes, here, centres, size)
    lines, tables = _lines(axes, here), room_for_tables(axes, each, like)
    rows = _in_order(order, centres)
    cost = np.empty(LANES, np.int64)
    best, best_at = np.int64(_MOST), np.int64(_MOST)
    for first in range(0, len(rows), LANES):
        row = rows[first : first + LANES]
        set_up(axes, tables, row, radii, nearer, size)
        _choose(axes, tables, lines, radii[row].min(), radii[row].max())
        cost[:] = 0
        for d in range(len(axes.sizes)):
            add_pairs(tables, d, axes.kinds[d], size, cost)
        for lane in range(len(row)):
            if cost[lane] < best or (cost[lane] == best and row[lane] < best_at):
                best, best_at = cost[lane], row[lane]
    return int(best_at)


@njit(cache=True)
def _lines(axes: Any, here: Any) -> Any:
    """Return the lines of the points with free nodes."""
    width, free = axes.sizes[0], np.flatnonzero(here)
    plane = width * (axes.sizes[1] if len(axes.sizes) > 1 else 1)
    starts, lines, end = np.empty(len(free) + 1, np.int64), 0, 0
    for i in range(len(free)):
        if free[i] >= end:
            end = free[i] - free[i] % width + width
            starts[lines] = i
            lines += 1
    starts[lines] = len(free)
    starts = starts[: lines + 1]
    heads = free[starts[:-1]]
    return _Lines(starts, heads, heads // plane, axes.places[0][free], here[free])


@njit(cache=True)
def _in_order(order: Any, centres: Any) -> Any:
    """Return the centres, each once, in the order given of all points."""
    wanted = np.zeros(len(order), np.bool_)
    for centre in centres:
        wanted[centre] = True
    rows, count = np.empty(len(order), np.int64), 0
    for point in order:
        if wanted[point]:
            rows[count] = point
            count += 1
    return rows[:count]


@njit(cache=True, forceinline=True)
def _choose(axes: Any, tables: Any, lines: Any, shortest: int, largest: int) -> None:
    """Count the nodes that each centre chooses; `shortest` and `largest` are the extremes of the radii.

    The lines at hand are those of one plane since the counts were last brought to `chosen`. This is compiled
    into its caller, where the compiler sees that the tables are apart: a fourth of the time.
    """
    gap, near, far, lanes = tables.gap, tables.near, tables.far, tables.lanes
    dims = len(axes.sizes)
    plane, least, most, at_hand, last = -1, 0, 0, 0, 0
    open_lines(tables)
    for line in range(len(lines.heads)):
        head = lines.heads[line]
        if lines.planes[line] != plane:
            plane = lines.planes[line]
            least, most = compare_plane(axes, tables, head)
        nearest, farthest, at = least, most, 0
        if dims > 1:
            at = tables.first[1] + axes.places[1, head]
            nearest, farthest = least + near[at], most + far[at]
        if nearest > largest:
            continue
        if at_hand == tables.together or (at_hand and lines.planes[last] != plane):
            close_lines(axes, tables, lines.heads[last])
            open_lines(tables)
            at_hand = 0
        at_hand, last = at_hand + 1, line
        start_line(gap, at * LANES, dims > 1, lanes)
        common = 0
        for i in range(lines.starts[line], lines.starts[line + 1]):
            place, nodes = lines.places[i], lines.nodes[i]
            if far[place] + farthest < shortest:
                tables.alike[place] += nodes
                common += nodes
            elif near[place] + nearest <= largest:
                if nodes == 1:
                    take(gap, lanes, tables.along, place * LANES)
                else:
                    take_several(gap, lanes, tables.along, place * LANES, nodes)
        if dims > 1:
            add_line(lanes, tables.chosen, at * LANES)
        for d in range(1, dims):
            tables.alike[tables.first[d] + axes.places[d, head]] += common
    close_lines(axes, tables, lines.heads[last])
