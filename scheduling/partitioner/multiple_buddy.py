"""MBS, multiple buddy system: a job gets blocks of sides 2^i, as many of each as its size has in that base.

Source: V. Lo, K. Windisch, W. Liu, B. Nitzberg, "Noncontiguous processor allocation algorithms for
mesh-connected multicomputers", IEEE Trans. Parallel and Distributed Systems 8(7), 1997, as it is commonly
described; the details were not checked against the paper. Blocks of any number of dimensions, and grids of
any sides (what of a block lies outside is held forever), are ours.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.placement.rule import grid_of
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation, Keeper, Nodes, refuse_marked
from netplace.topologies import Grid, Topology

_MOST_BITS = 26


class MultipleBuddy(Keeper):
    """Gives a job free blocks: of each side as many as it needs, of larger ones or in smaller ones.

    Blocks are merged with their buddies as soon as all are free, so the free nodes determine the free blocks.
    """

    by_count = True
    _changing = ("_free",)

    def __init__(self, grid: Grid):
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
        self._code = code
        self._node = np.full(1 << (self._dims * (self._levels - 1)), -1, np.int64)
        self._node[code] = np.arange(grid.nodes)
        self._free = self._node >= 0
        self.free = grid.nodes
        # `visited` counts blocks.

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
        whole = self._free
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

    def _mark(self, nodes: Nodes, free: bool) -> None:
        refuse_marked(nodes[self._free[self._code[nodes]] == free], free)
        self._free[self._code[nodes]] = free
        self.free += len(nodes) if free else -len(nodes)


def multiple_buddy(topology: Topology, option: str = "", seed: int = 0) -> MultipleBuddy:
    return MultipleBuddy(grid_of(topology, "partitioner mbs"))
