"""Searches that find free boxes with the same results as the product's own, each at its own cost.

They are partitioners of the same names, offered by entry points as any other package's would be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from netplace.native import experiments as native
from netplace.scheduling.partitioner import PartitionerKind
from netplace.scheduling.partitioner.contiguous import (
    SHAPE_OPTION,
    Account,
    NodeArray,
    Search,
    Shape,
    box_partitioner,
    mesh_2d,
)
from netplace.topologies import Grid

__all__ = [
    "ADAPTIVE_SCAN",
    "IFF",
    "NAIVE",
    "RBS",
    "SEARCHES",
    "ZBF",
    "ZFF",
    "ImprovedFirstFit",
    "NaiveFirstFit",
    "PublishedVisits",
]


class _BoxList(Account):
    """The held boxes, in the order of the last coordinate of their bases: coordinates of base, then sides."""

    def __init__(self, grid: Grid) -> None:
        super().__init__(grid)
        self._room = np.empty((16, 2 * grid.dims), np.int64)
        self.boxes = self._room[:0]

    def take(self, base: int, shape: Shape) -> None:
        count = len(self.boxes)
        if count == len(self._room):
            self._room = np.concatenate((self._room, np.empty_like(self._room)))
        box = np.array(self._place(base) + list(shape))
        at = int(np.searchsorted(self.boxes[:, len(shape) - 1], box[len(shape) - 1], side="right"))
        self._room[at + 1 : count + 1] = self._room[at:count].copy()
        self._room[at] = box
        self.boxes = self._room[: count + 1]

    def release(self, base: int, shape: Shape) -> None:
        count = len(self.boxes)
        at = int((self.boxes[:, : len(shape)] == self._place(base)).all(axis=1).argmax())
        self._room[at : count - 1] = self._room[at + 1 : count].copy()
        self.boxes = self._room[: count - 1]

    def _place(self, base: int) -> list[int]:
        place = []
        for size in self._sizes.tolist():
            base, x = divmod(base, size)
            place.append(x)
        return place


class _AdaptiveScan(_BoxList):
    """An exact search on meshes and tori that jumps behind the held box in its way; `visited` counts boxes.

    Bases are scanned in their order. If the box at one would meet a held box, the stride is as long as it
    takes to get behind that along X.

    J. Ding and L. N. Bhuyan, "An adaptive submesh allocation strategy for two-dimensional mesh connected
    systems", Proc. Int. Conf. on Parallel Processing (1993). That is for 2-D meshes; the same rule serves any
    number of dimensions, and rings.
    """

    def first(self, shape: Shape) -> int:
        base, visited = native.adaptive_scan(self.boxes, self._sizes, np.array(shape), self._wraps)
        self.visited += visited
        return base


class ImprovedFirstFit(Account):
    """An exact search on meshes and tori of any dimension, as published; `visited` counts nodes.

    Every free node stores the number of free nodes from it to the first held one in each dimension; those at
    the rim of a partition store it, and how far it extends along X. A base is checked in all dimensions; then
    nodes one step along the last dimension in all others, and so on, so that each step checks fewer
    dimensions and more nodes. The first failure gives a region of bases that the same partition forbids. It
    is marked with the distance to jump, and cleared at the end. If a run along X is too short, the search
    continues behind the partition that ends it. Taking or releasing a box writes its rim, and runs to it.

    J. A. Pascual, J. Miguel-Alonso and J. A. Lozano, "A fast implementation of the first fit contiguous
    partitioning strategy for cubic topologies", Concurrency and Computation: Practice and Experience 26
    (2014), and tech. report EHU-KAT-IK-06-12. Examined nodes count as visited, once per examination; marking
    regions, and finding where a jump ends, do not count. `updated` counts nodes as published: the rim of a
    box that is taken, all nodes of one that is released, and the nodes whose runs end there.
    """

    _as_published = False

    def __init__(self, grid: Grid) -> None:
        super().__init__(grid)
        self.updated = 0
        self._runs = native.Iff(grid.sizes, grid.wraps)

    def take(self, base: int, shape: Shape) -> None:
        self.updated += self._runs.change(base, shape, False)

    def release(self, base: int, shape: Shape) -> None:
        self.updated += self._runs.change(base, shape, True)

    def first(self, shape: Shape) -> int:
        base, looked_at, counted = self._runs.find(shape)
        self.visited += counted if self._as_published else looked_at
        return int(base)


class PublishedVisits(ImprovedFirstFit):
    """A variant in which `visited` counts as published.

    A partition on the way counts once per search, whatever is skipped for it. Each examined node of the
    accepted candidate also counts. Sections 4.1.1 and 7.1.2 of the paper.
    """

    _as_published = True


class _OverNodes(NodeArray):
    """A search by one compiled function over the flags of all nodes."""

    # Takes `held`, the sides of the machine and of the box, and whether the machine is a torus; returns the
    # first base of a free box, or -1, and what `visited` grows by.
    find: ClassVar[Callable[..., Any]]

    def first(self, shape: Shape) -> int:
        base, visited = self.find(self.held, self._sizes, np.array(shape), self._wraps)
        self.visited += visited
        return int(base)


class NaiveFirstFit(_OverNodes):
    """An exact search on meshes and tori that looks at every node of every box; `visited` counts nodes.

    A base is given up at the first held node.
    """

    find = staticmethod(native.naive_first_fit)


class _RightBorderSegments(_BoxList):
    """An exact search on 2-D meshes, in time quadratic in the number of held boxes; `visited` counts boxes.

    A free box can be shifted left until it touches a held one, or the border of the mesh. So the first base
    lies in the column right of a held box, beside it, or in the first column; of each such segment, what the
    coverage of other boxes leaves is looked for, the boxes being sorted by row.

    G.-M. Chiu and S.-K. Chen, "An efficient submesh allocation scheme for two-dimensional meshes with little
    overhead", IEEE Trans. Parallel and Distributed Systems 10 (1999). Their text was not at hand: this is
    made after its idea, and returns the lowest base where they may return any.
    """

    def __init__(self, grid: Grid) -> None:
        super().__init__(mesh_2d(grid, "partitioner rbs"))

    def first(self, shape: Shape) -> int:
        base, visited = native.right_border_segments(self.boxes, self._sizes, np.array(shape))
        self.visited += visited
        return base


class _ZhuFirstFit(_OverNodes):
    """An exact search that marks all bases from which a box meets a held one; `visited` counts nodes.

    The marks are those of the array of held nodes spread backwards by the sides of the box: one pass over all
    nodes a dimension, and one to find the first that is not marked. The time depends on the size of the
    machine alone.

    Y. Zhu, "Efficient processor allocation strategies for mesh-connected parallel computers", J. Parallel and
    Distributed Computing 16 (1992). That is for 2-D meshes, a pass along rows and one along columns; here,
    there is one for every dimension, and rings continue at their beginning.
    """

    find = staticmethod(native.zhu_first_fit)


class _ZhuBestFit(NodeArray):
    """A search for the free box in the smallest region of free nodes; `visited` counts nodes.

    It finds a box whenever there is one, and keeps the larger regions for larger jobs. A region is a
    connected part of the free nodes; of several boxes in the smallest, the first base is taken.

    Y. Zhu, "Efficient processor allocation strategies for mesh-connected parallel computers", J. Parallel and
    Distributed Computing 16 (1992), best fit. The text was not at hand: what a region is, and ties, are ours.
    """

    def first(self, shape: Shape) -> int:
        free = ~self.held.reshape(self._sizes[::-1])
        bases = free
        for axis, side in enumerate(shape[::-1]):
            whole = bases
            for step in range(1, side):
                whole = whole & self._shifted(bases, step, axis)
            bases = whole
        self.visited += self.held.size
        places = np.flatnonzero(bases)
        if not len(places):
            return -1
        region = self._regions(free)
        sizes = np.bincount(region)[region[places]]
        return int(places[np.argmin(sizes)])

    def _shifted(self, nodes: NDArray[np.bool_], step: int, axis: int) -> NDArray[np.bool_]:
        """Return, for each node, the flag of the node `step` further on; False behind the border."""
        moved = np.roll(nodes, -step, axis)
        if not self._wraps:
            np.moveaxis(moved, axis, 0)[-step:] = False
        return moved

    def _regions(self, free: NDArray[np.bool_]) -> NDArray[np.int32]:
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        node = np.arange(free.size).reshape(free.shape)
        ends = []
        for axis in range(free.ndim):
            joined = free & self._shifted(free, 1, axis)
            ends.append(np.stack([node[joined], np.roll(node, -1, axis)[joined]]))
        pairs = np.concatenate(ends, axis=1)
        graph = coo_array((np.ones(pairs.shape[1], bool), (pairs[0], pairs[1])), (free.size, free.size))
        return np.asarray(connected_components(graph, directed=False)[1])


SEARCHES: dict[str, Callable[[Grid], Search]] = {
    "adaptive-scan": _AdaptiveScan,
    "iff": ImprovedFirstFit,
    "naive": NaiveFirstFit,
    "rbs": _RightBorderSegments,
    "zbf": _ZhuBestFit,
    "zff": _ZhuFirstFit,
}


def _kind(name: str, description: str, example: str = "") -> PartitionerKind:
    make = box_partitioner(name, SEARCHES[name])
    return PartitionerKind(make, example or name, description, SHAPE_OPTION, ranked=True)


ADAPTIVE_SCAN = _kind("adaptive-scan", "boxes, first fit jumping behind occupied boxes (Ding, Bhuyan 1993)")
IFF = _kind("iff", "boxes, first fit jumping over forbidden bases (Pascual et al. 2014)", "iff:fs")
NAIVE = _kind("naive", "boxes, first fit node by node")
RBS = _kind("rbs", "boxes on 2-D meshes, first fit at right borders of occupied ones (Chiu, Chen 1999)")
ZBF = _kind("zbf", "boxes, best fit: in the smallest region of free nodes (Zhu 1992)")
ZFF = _kind("zff", "boxes, first fit by the coverage of occupied nodes (Zhu 1992)")
