"""The approximation scheme for the sum over pairs on meshes: cuts and tables of the unknown optimum.

Source: M. A. Bender et al., "Communication-aware processor allocation for supercomputers", WADS 2005,
sections 3 and 4.2. It is theory, of about n^(d(m-1)) cuts times the tables: for a dozen free nodes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from netplace.placement.compactness import pairwise_sum
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.centres.space import LINE, Selection, Space

_MOST = 2_000_000  # choices of nodes


def ptas(space: Space, free: Nodes, size: int, strips: int = 3) -> Selection:
    """Return the best choice over all cuts into strips and all tables of nodes per cell.

    Each strip of a dimension holds ``size / strips`` nodes of the unknown optimum. Cell (i, j, ..) gives the
    nodes that are least in the direction ``(2 i + 1 - m, 2 j + 1 - m, ..)``, with m `strips`: these are near
    to all nodes of the optimum outside the cell's own strips.
    """
    axes = space.axes
    dims = len(axes.sizes)
    if (axes.kinds != LINE).any():
        raise ValueError(f"ptas: is defined on meshes, not on {space.topology}")
    if strips < 3 or size < 1 or size % strips:
        raise ValueError(f"ptas: {size} nodes in {strips} strips, expected 3 strips at least and a multiple")
    if size > len(free):
        raise ValueError(f"ptas: {size} nodes are more than the {len(free)} free ones")
    each = size // strips
    cells = list(itertools.product(range(strips), repeat=dims))
    cuts = list(_cuts(len(free), strips, each))
    most = _MOST // len(cuts) ** dims
    tables = list(itertools.islice(_tables(cells, [each] * (strips * dims), strips), most + 1))
    if len(tables) > most:
        raise ValueError(f"ptas: {len(free)} free nodes are too many for {size} in {strips} strips")
    places = axes.places[:, free]
    # Nodes with the same coordinate in a dimension are ranked by the others.
    orders = [np.lexsort((*np.delete(places, d, 0)[::-1], places[d])).tolist() for d in range(dims)]
    along = places.T @ (2 * np.array(cells).T + 1 - strips)  # of each node in the direction of each cell
    nearest = [np.lexsort((free, along[:, cell])).tolist() for cell in range(len(cells))]
    best: tuple[int, list[int]] | None = None
    for cut in itertools.product(*(_strips(order, cuts) for order in orders)):
        inside = [set.intersection(*(cut[d][i] for d, i in enumerate(cell))) for cell in cells]
        for table in tables:
            if all(table[cell] <= len(inside[cell]) for cell in table):
                chosen = sorted(
                    at
                    for cell, count in table.items()
                    for at in itertools.islice(filter(inside[cell].__contains__, nearest[cell]), count)
                )
                cost = pairwise_sum(space.topology, free[chosen])
                if best is None or (cost, chosen) < best:
                    best = cost, chosen
    assert best is not None, "some cuts hold any choice of nodes"
    return Selection(free[best[1]], best[0])


def _cuts(nodes: int, strips: int, each: int) -> Iterator[tuple[int, ...]]:
    """Yield the ends of strips of `nodes` in a row, all but the last, that leave each strip `each` nodes."""
    for cut in itertools.combinations(range(nodes + 1), strips - 1):
        if min(high - low for low, high in itertools.pairwise((0, *cut, nodes))) >= each:
            yield cut


def _strips(order: list[int], cuts: list[tuple[int, ...]]) -> list[list[set[int]]]:
    """Return, for all cuts, the places of `order` in each strip."""
    return [[set(order[low:high]) for low, high in itertools.pairwise((0, *cut, len(order)))] for cut in cuts]


def _tables(
    cells: list[tuple[int, ...]], left: list[int], strips: int, first: int = 0
) -> Iterator[dict[int, int]]:
    """Yield the counts of nodes by cell, from cell `first` on, with `left` nodes in strip i of dimension d.

    That is at place ``d * strips + i``. Cells without nodes are left out.
    """
    if not any(left):
        yield {}
        return
    if first == len(cells):
        return
    mine = [d * strips + i for d, i in enumerate(cells[first])]
    for count in range(min(left[strip] for strip in mine) + 1):
        rest = [room - count * (strip in mine) for strip, room in enumerate(left)]
        for table in _tables(cells, rest, strips, first + 1):
            yield {first: count, **table} if count else table
