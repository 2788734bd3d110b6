"""The compiled part of `iff`."""

from __future__ import annotations

from typing import Any

import numpy as np

from netplace.compiled import njit

__all__ = ["change", "change_line", "find"]


@njit(cache=True)
def find(
    runs: Any, left: Any, whose: Any, jumps: Any, seen: Any, sizes: Any, shape: Any, wraps: bool
) -> tuple[int, int, int]:
    """Return the first base of a box, or -1, the nodes looked at, and those that count as visited.

    As published, each partition that is met counts once a search, and so does each node of the candidate that
    is accepted; candidates and their checks that are skipped do not (J. A. Pascual, thesis, 4.1.1, 7.1.2).

    Parameters
    ----------
    runs : ndarray of int32, shape (dims, nodes)
        Free nodes from each node on in each dimension, itself included; 0: the node is held.
    left : ndarray of int32, shape (nodes,)
        Of a held node: nodes of its partition from it on along X, itself included.
    whose : ndarray of int32, shape (nodes,)
        Of a held node: base of its partition.
    jumps : ndarray of int32, shape (nodes,)
        All 0, and left so.
    seen : ndarray of bool, shape (nodes,)
        All false, and left so: bases of partitions that were met.
    sizes, shape : ndarray of int64, shape (dims,)
        Sides of the network and of the box.
    wraps : bool
        Whether the network is a torus.
    """
    dims = len(sizes)
    base = np.zeros(dims, np.int64)
    blocked = np.zeros(dims, np.int64)
    last = sizes - 1 if wraps else sizes - shape
    marked = np.empty(64, np.int64)
    met = np.empty(64, np.int64)
    marks, meets, visited, fitting, accepted = 0, 0, 0, -1, 0
    ended = False
    while fitting < 0 and not ended:
        node = _number(base, sizes)
        visited += 1
        step, block = 1, -1  # a held node of the partition that is met
        if jumps[node] > 0:
            step = jumps[node]
        elif runs[0, node] == 0:
            step, block = left[node], node
        elif runs[0, node] < shape[0]:
            # What ends the run is a partition, or the border of a mesh.
            end = base[0] + runs[0, node]
            step = runs[0, node]
            if end < sizes[0] or wraps:
                block = node - base[0] + end % sizes[0]
                step += left[block]
        else:
            short = False
            for d in range(1, dims):
                short = short or runs[d, node] < shape[d]
            if not short:
                failed, looks = _look(runs, sizes, shape, base, blocked)
                visited += looks
                if not failed:
                    fitting, accepted = node, 1 + looks
                    break
                block = _number(blocked, sizes)
                marks, marked = _mark(left, jumps, sizes, base, blocked, marked, marks)
                step = max(1, jumps[node])
        if block >= 0 and not seen[whose[block]]:
            seen[whose[block]] = True
            met, meets = _appended(met, meets, whose[block])
        base[0] += step
        d = 0
        while base[d] > last[d] and not ended:
            base[d] = 0
            d += 1
            ended = d == dims
            if not ended:
                base[d] += 1
    for i in range(marks):
        jumps[marked[i]] = 0
    for i in range(meets):
        seen[met[i]] = False
    return fitting, visited, meets + accepted


@njit(cache=True)
def _appended(values: Any, count: int, value: int) -> tuple[Any, int]:
    """Return the values with one more behind the first `count`, in a longer array if need be."""
    if count == len(values):
        longer = np.empty(2 * count, np.int64)
        longer[:count] = values
        values = longer
    values[count] = value
    return values, count + 1


@njit(cache=True)
def _number(place: Any, sizes: Any) -> int:
    node = 0
    for d in range(len(sizes) - 1, -1, -1):
        node = node * sizes[d] + place[d] % sizes[d]
    return node


@njit(cache=True)
def _look(runs: Any, sizes: Any, shape: Any, base: Any, blocked: Any) -> tuple[bool, int]:
    """Return whether a node of the box is held, and the nodes looked at; `blocked` becomes its place.

    Step s looks at nodes that differ from the base in the last s dimensions, the last of these by at least
    one, and compares their runs in the dimensions before.
    """
    dims = len(sizes)
    looks = 0
    offset = np.zeros(dims, np.int64)
    for moved in range(dims - 1, 0, -1):
        # Nodes with offset[moved] >= 1, any offset in the dimensions behind it, none in those before.
        offset[:] = 0
        offset[moved] = 1
        while offset[moved] < shape[moved]:
            for d in range(dims):
                blocked[d] = base[d] + offset[d]
            node = _number(blocked, sizes)
            looks += 1
            for d in range(moved):
                if runs[d, node] < shape[d]:
                    blocked[d] += runs[d, node]
                    return True, looks
            d = dims - 1
            while d > moved and offset[d] == shape[d] - 1:
                offset[d] = 0
                d -= 1
            offset[d] += 1
    return False, looks


@njit(cache=True)
def _mark(
    left: Any, jumps: Any, sizes: Any, base: Any, blocked: Any, marked: Any, marks: int
) -> tuple[int, Any]:
    """Mark the bases that the held node at `blocked` forbids: from the base to it, behind it along X.

    Return how many nodes are marked in all, and their list.
    """
    dims = len(sizes)
    end = blocked[0] + left[_number(blocked, sizes)]  # the first base along X that is not forbidden
    end = min(end, base[0] + sizes[0])
    place = base.copy()
    while True:
        for x in range(base[0], end):
            place[0] = x
            node = _number(place, sizes)
            if jumps[node] == 0:
                marked, marks = _appended(marked, marks, node)
            jumps[node] = max(jumps[node], end - x)
        d = 1
        while d < dims and place[d] == blocked[d]:
            place[d] = base[d]
            d += 1
        if d >= dims:
            return marks, marked
        place[d] += 1


@njit(cache=True)
def change(
    runs: Any, left: Any, whose: Any, sizes: Any, shape: Any, base: int, free: bool, wraps: bool
) -> None:
    """Mark the nodes of a box as free or held, and correct the runs that end at them."""
    dims, partition = len(sizes), base
    start, stride = np.empty(dims, np.int64), np.ones(dims, np.int64)
    for d in range(dims):
        start[d] = base % sizes[d]
        base //= sizes[d]
        if d > 0:
            stride[d] = stride[d - 1] * sizes[d - 1]
    offset, place = np.zeros(dims, np.int64), np.empty(dims, np.int64)
    for along in range(dims):
        offset[:] = 0
        while True:
            for d in range(dims):
                place[d] = start[d] + offset[d]
            place[along] = 0
            line = _number(place, sizes)
            step, side = stride[along], sizes[along]
            change_line(runs[along], line, step, side, start[along], shape[along], free, wraps)
            if along == 0:
                for i in range(shape[0]):
                    left[line + (start[0] + i) % side] = 0 if free else shape[0] - i
                    whose[line + (start[0] + i) % side] = partition
            d = 0
            while d < dims and (d == along or offset[d] == shape[d] - 1):
                offset[d] = 0
                d += 1
            if d == dims:
                break
            offset[d] += 1


@njit(cache=True)
def change_line(
    runs: Any, line: int, step: int, side: int, first: int, count: int, free: bool, wraps: bool
) -> None:
    """Mark `count` nodes of a line from `first` on, and correct the runs before them."""
    end = first + count
    length = 0
    if free and count < side and (end < side or wraps):
        length = runs[line + (end % side) * step]
    for i in range(side):
        place = end - 1 - i
        if place < 0:
            if not wraps:
                return
            place += side
        elif place >= side:
            place -= side
        node = line + place * step
        if i >= count and runs[node] == 0:
            return
        if not free and i < count:
            runs[node] = 0
            continue
        length += 1
        runs[node] = length
    if free and wraps:  # the whole ring is free
        for i in range(side):
            runs[line + i * step] = side
