"""GABL, greedy available busy list: a job gets a free box, or the largest free boxes that fit inside it.

Source: S. Bani-Mohammad, M. Ould-Khaoua, I. Ababneh, L. M. Mackenzie, "Non-contiguous processor allocation
strategy for 2D mesh connected multicomputers based on sub-meshes available for allocation", Proc. 12th Int.
Conf. on Parallel and Distributed Systems (2006), as it is commonly described; the details were not checked
against the paper. Grids of any number of dimensions, rings, and the ties are ours: of free boxes of the same
number of nodes the first in lexicographic order of sides is taken, the longest first, at its first base.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from netplace.native import scheduling as native
from netplace.placement.rule import grid_of
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation, Nodes
from netplace.scheduling.partitioner.contiguous.search import Erosion, Shape
from netplace.scheduling.partitioner.plain import PlainPartitioner
from netplace.scheduling.partitioner.shapes import factorisations
from netplace.topologies import Grid, Topology


class Gabl(PlainPartitioner):
    """Gives a job its box in any rotation, or else boxes of it, each within the sides of the one before.

    The box of a job is the most cubic one of as many nodes, or of the next number that has one; the pieces
    have as many nodes as the job needs.
    """

    _changing = ("is_free", "_search")

    def __init__(self, grid: Grid) -> None:
        super().__init__(grid)
        self._sizes = grid.sizes
        self._search = Erosion(grid)
        self._boxes: dict[int, Shape] = {}

    def choose(self, job: Job) -> Allocation:
        sides, left = self._box(job.nodes), job.nodes
        if math.prod(sides) == left:
            for turned in sorted(set(itertools.permutations(sides)), reverse=True):
                if self._fits(turned) and (base := self._search.first(turned)) >= 0:
                    return Allocation(self._nodes(base, turned), turned)
        free, pieces = self._search.copy(), []
        while left:
            base, sides = next(
                (base, piece)
                for piece in _pieces(sides, left)
                if self._fits(piece) and (base := free.first(piece)) >= 0
            )
            free.take(base, sides)
            pieces.append(self._nodes(base, sides))
            left -= math.prod(sides)
        return Allocation(np.concatenate(pieces))

    def _box(self, nodes: int) -> Shape:
        if nodes not in self._boxes:
            boxes = next(
                filter(None, (factorisations(count, self._sizes) for count in itertools.count(nodes)))
            )
            self._boxes[nodes] = min(boxes, key=lambda box: (sum(box), [-side for side in box]))
        return self._boxes[nodes]

    def _fits(self, shape: Shape) -> bool:
        return all(side <= size for side, size in zip(shape, self._sizes, strict=True))

    def _nodes(self, base: int, shape: Shape) -> Nodes:
        return native.box_nodes(np.array(self._sizes, np.int64), base, np.array(shape))

    def _mark(self, nodes: Nodes, free: bool) -> None:
        super()._mark(nodes, free)
        change = self._search.release if free else self._search.take
        for node in nodes.tolist():
            change(node, (1,) * len(self._sizes))


def _pieces(sides: Shape, most: int) -> list[Shape]:
    within = itertools.product(*(range(1, side + 1) for side in sides))
    pieces = [piece for piece in within if math.prod(piece) <= most]
    return sorted(pieces, key=lambda piece: (-math.prod(piece), [-side for side in piece]))


def gabl(topology: Topology, option: str = "", seed: int = 0) -> Gabl:
    grid = grid_of(topology, "partitioner gabl")
    if grid.twist:
        raise ValueError(f"partitioner gabl: is defined on meshes and tori, not on {grid}")
    return Gabl(grid)
