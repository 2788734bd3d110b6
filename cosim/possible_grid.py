"""Possible links on a mesh or torus: the links of the boxes that pairs of nodes span."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from netplace.topologies import Grid

_ONE = 1 << 20  # a packet, in whole numbers whose sums are exact


def in_grid(
    grid: Grid, sources: NDArray[np.int64], targets: NDArray[np.int64], packets: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Spread packets over the links of each pair's boxes, all pairs at once, by sums over their corners."""
    sizes = np.array(grid.sizes)
    dims = len(sizes)
    begin, end = grid.coordinates(sources), grid.coordinates(targets)
    marks = np.zeros((2 * dims, *(size + 1 for size in grid.sizes)), np.int64)
    # Which way round each ring: forwards, backwards, or both.
    gap = (end - begin) % sizes if grid.wraps else end - begin
    ways = [(gap[:, d] >= 0) & ((2 * gap[:, d] <= sizes[d]) | (not grid.wraps)) for d in range(dims)]
    back = [
        (2 * gap[:, d] >= sizes[d]) & (gap[:, d] != 0) if grid.wraps else gap[:, d] < 0 for d in range(dims)
    ]
    boxes = np.prod([np.add(*pair, dtype=float) for pair in zip(ways, back, strict=True)], axis=0)
    for forward in itertools.product((True, False), repeat=dims):
        chosen = np.ones(len(sources), bool)
        for d in range(dims):
            chosen &= ways[d] if forward[d] else back[d]
        if not chosen.any():
            continue
        hops = np.abs(np.where(forward, gap, (gap - sizes) if grid.wraps else gap))[chosen]
        low = np.where(forward, begin[chosen], end[chosen])
        share = (packets / boxes)[chosen]
        for d in range(dims):
            # A link is named by the node it leaves: all of the box but the last in its own direction.
            length = hops + 1
            length[:, d] -= 1
            first = low.copy()
            if not forward[d]:
                first[:, d] = (first[:, d] + 1) % sizes[d]
            some = length[:, d] > 0
            width = np.prod(np.delete(length[some], d, axis=1), axis=1)
            amount = np.maximum(1, np.rint(_ONE * share[some] / width)).astype(np.int64)
            _add_boxes(marks[2 * d + (not forward[d])], first[some], length[some], sizes, amount)
    for d in range(dims):
        marks = np.cumsum(marks, axis=d + 1)
    inner = tuple(slice(0, size) for size in grid.sizes)
    return np.asarray(marks[(slice(None), *inner)] / _ONE).ravel()


def _add_boxes(
    corners: NDArray[np.int64],
    first: NDArray[np.int64],
    length: NDArray[np.int64],
    sizes: NDArray[np.int64],
    amount: NDArray[np.int64],
) -> None:
    """Add amounts in boxes, each cut where it goes round a ring, to an array to be summed along all axes."""
    last = first + length
    parts = [
        ((first[:, d], np.minimum(last[:, d], sizes[d])), (np.zeros_like(last[:, d]), last[:, d] - sizes[d]))
        for d in range(len(sizes))
    ]
    for part in itertools.product((0, 1), repeat=len(sizes)):
        pieces = [parts[d][which] for d, which in enumerate(part)]
        there = np.logical_and.reduce([high > low for low, high in pieces])
        for corner in itertools.product((0, 1), repeat=len(sizes)):
            place = tuple(pieces[d][which][there] for d, which in enumerate(corner))
            np.add.at(corners, place, (-1) ** sum(corner) * amount[there])
