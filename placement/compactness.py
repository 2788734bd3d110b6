"""Compactness of a set of nodes: exact figures that do not depend on the application.

Sources: M. A. Bender et al., "Communication-aware processor allocation for supercomputers", WADS 2005,
section 3, for the sum over pairs; V. J. Leung et al., "Processor allocation on Cplant: achieving general
processor locality using one-dimensional allocation strategies", CLUSTER 2002, for bounding boxes and cubes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.placement.expected_loads import distinct
from netplace.topologies import Grid, Topology, switch_grid

_BLOCK = 2**22  # distances worked out at a time: bounds memory


@dataclass(frozen=True)
class Compactness:
    """Figures for a set of k nodes on a network; those of boxes are None if the network is not a grid."""

    pairwise_sum: int  # sum of the distances over all pairs of nodes
    mean_hops: float  # mean of these distances; 0 for a single node
    components: int  # connected parts of the nodes, or of their switches if these form a grid
    box: tuple[int, ...] | None = None  # sides of the bounding box; on a ring, it excludes the largest gap
    box_ratio: float | None = None  # nodes in the bounding box, divided by k
    # Nodes in the cube whose side is the longest side of the box, divided by those of the smallest cube with
    # room for k nodes.
    cube_ratio: float | None = None

    @property
    def box_sum(self) -> int | None:
        """Sum of the sides of the bounding box: the *sum of dimensions* of Leung et al. 2002, section 3."""
        return None if self.box is None else sum(self.box)


def compactness(topology: Topology, nodes: ArrayLike) -> Compactness:
    """Return the figures for `nodes`, shape (k,), which must all be different."""
    chosen = distinct(topology, nodes)
    count = len(chosen)
    total = pairwise_sum(topology, chosen)
    mean = total / (count * (count - 1) // 2) if count > 1 else 0.0
    if not isinstance(topology, Grid):
        below = switch_grid(topology)
        parts = components(below[0], np.unique(below[1][chosen])) if below else components(topology, chosen)
        return Compactness(total, mean, parts)
    parts = components(topology, chosen)
    box = bounding_box(topology, chosen)
    cube, side = max(box), 1
    while side**topology.dims < count:
        side += 1
    return Compactness(
        total, mean, parts, box, math.prod(box) / count, cube**topology.dims / side**topology.dims
    )


def pairwise_sum(topology: Topology, nodes: ArrayLike) -> int:
    """Return the exact sum of distances over all unordered pairs of `nodes`, in hops.

    On a mesh, it is the sum over dimensions of ``sum of (2 i - k + 1) x_i``, where x_i are the k sorted
    coordinates in the dimension (Bender et al. 2005, section 3).
    """
    chosen = topology.check_nodes(nodes)
    if isinstance(topology, Grid) and not topology.twist:
        places = topology.coordinates(chosen)
        sums = (
            _on_ring(places[:, d], size) if topology.wraps else _on_line(places[:, d])
            for d, size in enumerate(topology.sizes)
        )
        return sum(sums)
    rows = max(1, _BLOCK // max(1, len(chosen)))
    blocks = (chosen[first : first + rows, None] for first in range(0, len(chosen), rows))
    return sum(int(topology.distance(block, chosen).sum()) for block in blocks) // 2


def _on_line(places: NDArray[np.int64]) -> int:
    ordered = np.sort(places)
    return int((2 * np.arange(len(ordered)) - len(ordered) + 1) @ ordered)


def _on_ring(places: NDArray[np.int64], size: int) -> int:
    """Return the sum over pairs of the shorter way round; places that coincide are counted together."""
    values, counts = np.unique(places, return_counts=True)
    total, rows = 0, max(1, _BLOCK // max(1, len(values)))
    for first in range(0, len(values), rows):
        gap = np.abs(values[first : first + rows, None] - values)
        total += int(counts[first : first + rows] @ (np.minimum(gap, size - gap) @ counts))
    return total // 2


def bounding_box(grid: Grid, nodes: ArrayLike) -> tuple[int, ...]:
    """Return the sides of the smallest box around `nodes`; on a ring, it excludes the largest gap."""
    places = grid.coordinates(nodes)
    sides = []
    for d, size in enumerate(grid.sizes):
        values = np.unique(places[:, d])
        side = int(values[-1] - values[0]) + 1
        if grid.wraps:
            gaps = np.diff(values, append=values[0] + size)  # of neighbours; one free place less lies between
            side = size - int(gaps.max()) + 1
        sides.append(side)
    return tuple(sides)


def components(topology: Topology, nodes: ArrayLike) -> int:
    """Return the number of connected parts of `nodes`; a common link or switch connects two nodes.

    A switch that is not itself a node, such as a leaf switch of a tree, connects its nodes.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    chosen = topology.check_nodes(nodes)
    ends = topology.neighbor[chosen]
    row, _ = np.nonzero(ends >= 0)
    router, end = chosen[row], ends[ends >= 0].astype(np.int64)
    inside = np.zeros(topology.routers, bool)
    inside[chosen] = True
    inside[topology.nodes :] = True
    joined = inside[end]
    graph = coo_array((np.ones(joined.sum(), bool), (router[joined], end[joined])), (topology.routers,) * 2)
    _, label = connected_components(graph, directed=False)
    return len(np.unique(label[chosen]))
