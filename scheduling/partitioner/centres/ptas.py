"""The approximation scheme for the sum over pairs on 2-D meshes: cuts and tables of the unknown optimum.

Source: M. A. Bender et al., "Communication-aware processor allocation for supercomputers", WADS 2005, section
3. It is theory, of about n^(2(m-1)) cuts times the tables: for a dozen free nodes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from netplace.placement.compactness import pairwise_sum
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.centres.space import LINE, Selection, Space

_MOST = 20_000_000  # choices of nodes


def ptas(space: Space, free: Nodes, size: int, strips: int = 3) -> Selection:
    """Return the best choice over all cuts into strips and all tables of nodes per cell.

    Each strip holds ``size / strips`` nodes of the unknown optimum. Cell (i, j) gives the nodes that are
    least in the direction ``(2 i + 1 - m, 2 j + 1 - m)``, with m `strips`: these are near to all nodes of the
    optimum outside the cell's own strips.
    """
    axes = space.axes
    if len(axes.sizes) != 2 or (axes.kinds != LINE).any():
        raise ValueError(f"ptas: is defined on 2-D meshes, not on {space.topology}")
    if strips < 3 or size < 1 or size % strips:
        raise ValueError(f"ptas: {size} nodes in {strips} strips, expected 3 strips at least and a multiple")
    if size > len(free):
        raise ValueError(f"ptas: {size} nodes are more than the {len(free)} free ones")
    tables = list(_tables(strips, size // strips))
    cuts = list(itertools.combinations(range(len(free) + 1), strips - 1))
    if len(cuts) ** 2 * len(tables) > _MOST:
        raise ValueError(f"ptas: {len(free)} free nodes are too many for {size} in {strips} strips")
    x, y = axes.places[:, free].tolist()
    by_x, by_y = np.lexsort((y, x)).tolist(), np.lexsort((x, y)).tolist()
    best: tuple[int, list[int]] | None = None
    for columns, rows in itertools.product(_strips(by_x, cuts), _strips(by_y, cuts)):
        cells = [
            [at for _, at in sorted((_along(x[at], y[at], i, j, strips), at) for at in column & row)]
            for i, column in enumerate(columns)
            for j, row in enumerate(rows)
        ]
        rooms = list(map(len, cells))
        for table in tables:
            if all(count <= room for count, room in zip(table, rooms, strict=True)):
                chosen = sorted(at for cell, count in zip(cells, table, strict=True) for at in cell[:count])
                cost = pairwise_sum(space.topology, free[chosen])
                if best is None or (cost, chosen) < best:
                    best = cost, chosen
    assert best is not None, "some cuts hold any choice of nodes"
    return Selection(free[best[1]], best[0])


def _along(x: int, y: int, i: int, j: int, strips: int) -> int:
    return x * (2 * i + 1 - strips) + y * (2 * j + 1 - strips)


def _strips(order: list[int], cuts: list[tuple[int, ...]]) -> list[list[set[int]]]:
    """Return, for all cuts, the places of `order` in each strip."""
    return [[set(order[low:high]) for low, high in itertools.pairwise((0, *cut, len(order)))] for cut in cuts]


def _tables(strips: int, each: int) -> Iterator[tuple[int, ...]]:
    """Yield the tables of numbers from 0 on whose rows and columns all sum to `each`, row by row."""
    rows = [row for row in itertools.product(range(each + 1), repeat=strips) if sum(row) == each]
    assert math.comb(each + strips - 1, strips - 1) == len(rows)
    for table in itertools.product(rows, repeat=strips - 1):
        last = tuple(each - sum(column) for column in zip(*table, strict=True))
        if min(last) >= 0:
            yield tuple(itertools.chain(*table, last))
