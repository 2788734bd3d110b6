"""Allocators whose nodes need not be neighbors: scattered nodes, pages, and blocks of several sizes.

`FirstFree` takes the first free nodes of any network, `RandomFree` random ones, so a job waits only while
fewer nodes are free than it needs. `Paging` cuts a grid into pages of side 2^s and a tree into subtrees, and
takes the first free ones. `MultipleBuddy` takes blocks of sides 2^i, as many of each as the size of the job
has in that base. `Gabl` (greedy available busy list) takes a free box, or the largest free boxes that fit
inside it.

Sources: W. Liu, V. Lo, K. Windisch, B. Nitzberg, "Non-contiguous processor allocation algorithms for
distributed memory multicomputers", Supercomputing 1994, for random allocation; V. Lo et al., "Noncontiguous
processor allocation algorithms for mesh-connected multicomputers", IEEE Trans. Parallel and Distributed
Systems 8(7), 1997, for pages and blocks; S. Bani-Mohammad, M. Ould-Khaoua, I. Ababneh, L. M. Mackenzie,
"Non-contiguous processor allocation strategy for 2D mesh connected multicomputers based on sub-meshes
available for allocation", Proc. 12th Int. Conf. on Parallel and Distributed Systems (2006), for GABL. The
last three are as commonly described; the details were not checked against the papers. Ours are: smaller pages
at the border of a grid; blocks of any number of dimensions, grids of any sides (what of a block lies outside
is held forever); and in GABL grids of any number of dimensions, rings, and the ties: of free boxes of the
same number of nodes the first in lexicographic order of sides is taken, the longest first, at its first base.
"""

from __future__ import annotations

import copy
import itertools
import math

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import check_choice, check_int
from netplace.native import scheduling as native
from netplace.placement.rule import grid_of
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation, Keeper, Nodes
from netplace.scheduling.partitioner.contiguous.search import Erosion, Shape
from netplace.scheduling.partitioner.curves.orders import hilbert, row, snake
from netplace.scheduling.partitioner.plain import PlainPartitioner
from netplace.scheduling.partitioner.shapes import factorisations
from netplace.topologies import Grid, Topology, hierarchy, mesh


class FirstFree(Keeper):
    by_count = True

    def _choice(self, job: Job) -> Allocation | None:
        self.visited += len(self.is_free)
        return Allocation(np.flatnonzero(self.is_free)[: job.nodes])


class RandomFree(Keeper):
    """Gives a job free nodes drawn at random, all choices equally likely; a failed search draws nothing."""

    by_count = True
    _changing = ("_pool",)

    def __init__(self, nodes: int, rng: np.random.Generator):
        super().__init__(nodes)
        self._pool = native.Pool(nodes)
        self._rng = rng

    def _choice(self, job: Job) -> Allocation | None:
        self.visited += job.nodes
        draws = self._rng.integers(np.arange(job.nodes), self.free)
        return Allocation(self._pool.draw(draws))

    def _mark(self, nodes: Nodes, free: bool) -> None:
        super()._mark(nodes, free)
        self._pool.move(nodes, free)

    def copy(self) -> RandomFree:
        twin = super().copy()
        twin._rng = copy.deepcopy(self._rng)
        return twin


PAGE_ORDERS = {"row": row, "snake": snake, "hilbert": hilbert}


class Paging(Keeper):
    """Gives a job the first free pages that hold it; the rest of the last page stays unused.

    `page`: page of each node; lower ones are taken first. `places`: order of the nodes in a page, by default
    that of their numbers. `free` counts the nodes in pages that are free as a whole, `visited` pages.
    """

    _changing = ("_used",)

    def __init__(self, page: Nodes, places: Nodes | None = None):
        super().__init__(len(page))
        self._page = page
        by_page = np.lexsort((np.arange(len(page)) if places is None else places, page))
        self._nodes = np.split(by_page, np.cumsum(np.bincount(page))[:-1])
        self._sizes = np.bincount(page)
        self._used = np.zeros(len(self._sizes), np.int64)  # held nodes of each page
        self.by_count = bool(self._sizes.max() == 1)  # a larger page may hold more nodes than a job needs

    def _choice(self, job: Job) -> Allocation | None:
        pages = np.flatnonzero(self._used == 0)
        self.visited += len(pages)
        count = int(np.searchsorted(np.cumsum(self._sizes[pages]), job.nodes)) + 1
        return Allocation(np.concatenate([self._nodes[page] for page in pages[:count]]))

    def _mark(self, nodes: Nodes, free: bool) -> None:
        super()._mark(nodes, free)
        np.add.at(self._used, self._page[nodes], -1 if free else 1)
        self.free = int(self._sizes[self._used == 0].sum())


def paging(topology: Topology, option: str = "", seed: int = 0) -> Paging:
    """Return Paging(s), with an order of pages on grids; on a tree pages are subtrees of level s."""
    label = f"partitioner paging:{option}" if option else "partitioner paging"
    size, _, order = option.partition(",")
    tree = hierarchy(topology)
    if tree is not None:
        if order:
            raise ValueError(f"{label}: pages of trees have a fixed order, but {order!r} was given")
        starts = tree.starts[check_int(size or 0, f"{label}: level", 0, tree.levels)]
        page = np.empty(topology.nodes, np.int64)
        page[tree.order] = np.searchsorted(starts, np.arange(topology.nodes), side="right") - 1
        return Paging(page, np.argsort(tree.order))
    check_choice(order or "row", PAGE_ORDERS, f"{label}, order of pages")
    grid = grid_of(topology, label)
    maximum = (max(grid.sizes) - 1).bit_length()  # of a page that is the whole machine
    side = check_int(size or 0, f"{label}: size", 0, maximum)
    pages = mesh(tuple(-(-of // 2**side) for of in grid.sizes))
    rank = np.argsort(PAGE_ORDERS[order or "row"](pages))
    return Paging(rank[pages.node(grid.coordinates(np.arange(grid.nodes)) >> side)])


_MOST_BITS = 26


class MultipleBuddy(Keeper):
    """Gives a job free blocks: of each side as many as it needs, of larger ones or in smaller ones.

    Blocks are merged with their buddies as soon as all are free, so the free nodes determine the free blocks.
    `visited` counts blocks.
    """

    by_count = True

    def __init__(self, grid: Grid):
        super().__init__(grid.nodes)
        self._dims = grid.dims
        self._levels = (max(grid.sizes) - 1).bit_length() + 1
        if self._dims * (self._levels - 1) > _MOST_BITS:
            raise ValueError(f"partitioner mbs: the cube of side 2^m around {grid} is too large for memory")
        # Nodes in the order of blocks within blocks: the bits of all coordinates interleaved.
        places = grid.coordinates(np.arange(grid.nodes))
        code = np.zeros(grid.nodes, np.int64)
        for bit in reversed(range(self._levels)):
            for d in reversed(range(grid.dims)):
                code = code << 1 | places[:, d] >> bit & 1
        self._node = np.full(1 << (self._dims * (self._levels - 1)), -1, np.int64)
        self._node[code] = np.arange(grid.nodes)

    def _choice(self, job: Job) -> Allocation | None:
        base = 1 << self._dims
        blocks = self._free_blocks()
        self.visited += sum(map(len, blocks))
        rest, wanted = job.nodes, [0] * self._levels
        for level in reversed(range(self._levels)):
            wanted[level], rest = divmod(rest, base**level)
        chosen: list[NDArray[np.int64]] = []
        for level in reversed(range(self._levels)):
            while wanted[level]:
                if not blocks[level] and not self._split(blocks, level):
                    wanted[level - 1] += wanted[level] * base  # in smaller ones
                    break
                first = blocks[level].pop(0) << (self._dims * level)
                chosen.append(self._node[first : first + base**level])
                wanted[level] -= 1
        return Allocation(np.concatenate(chosen))

    def _free_blocks(self) -> list[list[int]]:
        """Return the free blocks of each level that are part of no larger one, in their order."""
        blocks = []
        whole = (self._node >= 0) & self.is_free[self._node]
        for _ in range(self._levels):
            parts = whole.reshape(-1, 1 << self._dims) if len(whole) > 1 else np.zeros((1, 1), bool)
            above = np.asarray(parts.all(axis=1))
            part = np.repeat(above, 1 << self._dims)[: len(whole)]
            blocks.append(np.flatnonzero(whole & ~part).tolist())
            whole = above
        return blocks

    def _split(self, blocks: list[list[int]], level: int) -> bool:
        """Split the first of the least blocks above a level down to it; return whether there was one."""
        above = next((up for up in range(level + 1, self._levels) if blocks[up]), None)
        if above is None:
            return False
        block = blocks[above].pop(0)
        for part in range(above - 1, level - 1, -1):
            first = block << self._dims
            blocks[part] = sorted(blocks[part] + list(range(first + 1, first + (1 << self._dims))))
            block = first
        blocks[level].insert(0, block)
        return True


class Gabl(PlainPartitioner):
    """Gives a job its box in any rotation, or else boxes of it, each within the sides of the one before.

    The box of a job is the most cubic one of as many nodes, or of the next number that has one; the pieces
    have as many nodes as the job needs.
    """

    _changing = ("_search",)

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


def _pieces(sides: Shape, maximum: int) -> list[Shape]:
    within = itertools.product(*(range(1, side + 1) for side in sides))
    pieces = [piece for piece in within if math.prod(piece) <= maximum]
    return sorted(pieces, key=lambda piece: (-math.prod(piece), [-side for side in piece]))


def gabl(topology: Topology, option: str = "", seed: int = 0) -> Gabl:
    grid = grid_of(topology, "partitioner gabl")
    if grid.twist:
        raise ValueError(f"partitioner gabl: is defined on meshes and tori, not on {grid}")
    return Gabl(grid)
