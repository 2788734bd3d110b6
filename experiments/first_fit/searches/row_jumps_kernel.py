"""The compiled part of `row_jumps`."""

from __future__ import annotations

from typing import Any

import numpy as np

from netplace.compiled import njit
from netplace.experiments.first_fit.searches.iff_kernel import change_line

__all__ = ["change", "find"]


@njit(cache=True)
def find(run: Any, sizes: Any, shape: Any, wraps: bool) -> tuple[int, int]:
    """Return the first base of a box, or -1, and the nodes visited.

    Parameters
    ----------
    run : ndarray of int32, shape (nodes,)
        Free nodes from each node on along X, at most a row of them; 0: the node is held.
    sizes, shape : ndarray of int64, shape (dims,)
        Sides of the network and of the box.
    wraps : bool
        Whether the network is a torus.
    """
    dims = len(sizes)
    last = np.empty(dims, np.int64)
    for d in range(dims):
        last[d] = sizes[d] - 1 if wraps else sizes[d] - shape[d]
    base, offset, jump = np.zeros(dims, np.int64), np.zeros(dims, np.int64), np.zeros(dims, np.int64)
    jump[:] = sizes
    visited = 0
    while True:
        for d in range(1, dims):
            offset[d] = shape[d] - 1
        blocked = False
        while True:  # the rows of the box, the farthest first
            node = 0
            for d in range(dims - 1, 0, -1):
                place = base[d] + offset[d]
                if place >= sizes[d]:
                    place -= sizes[d]
                node = node * sizes[d] + place
            node = node * sizes[0] + base[0]
            visited += 1
            if run[node] < shape[0]:
                blocked = True
                break
            d = 1
            while d < dims and offset[d] == 0:
                offset[d] = shape[d] - 1
                d += 1
            if d == dims:
                break
            offset[d] -= 1
        if not blocked:
            node = 0
            for d in range(dims - 1, -1, -1):
                node = node * sizes[d] + base[d]
            return node, visited
        base[0] += run[node] + 1
        for d in range(1, dims):
            jump[d] = min(jump[d], offset[d] + 1)
        d = 0
        while base[d] > last[d]:
            base[d] = 0
            d += 1
            if d == dims:
                return -1, visited
            base[d] += jump[d]
            jump[d] = sizes[d]


@njit(cache=True)
def change(run: Any, sizes: Any, shape: Any, base: int, free: bool, wraps: bool) -> None:
    """Mark the nodes of a box as free or held."""
    dims = len(sizes)
    start, step = np.empty(dims, np.int64), np.zeros(dims, np.int64)
    for d in range(dims):
        start[d] = base % sizes[d]
        base //= sizes[d]
    while True:
        row = 0
        for d in range(dims - 1, 0, -1):
            row = row * sizes[d] + (start[d] + step[d]) % sizes[d]
        change_line(run, row * sizes[0], 1, sizes[0], start[0], shape[0], free, wraps)
        d = 1
        while d < dims and step[d] == shape[d] - 1:
            step[d] = 0
            d += 1
        if d == dims:
            return
        step[d] += 1
