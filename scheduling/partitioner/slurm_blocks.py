"""Nodes as Slurm's plug-in ``topology/block`` chooses them: few blocks, for each segment of a job.

Sources: ``--segment`` in sbatch(1), topology.conf(5), and ``eval_nodes_block.c`` of Slurm 26.11. Nodes have
equal weight, and a job has them for itself. The size of a base block is that of the smallest one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.plain import PlainPartitioner
from netplace.topologies import Topology

Int = NDArray[np.int64]


class SlurmBlocks(PlainPartitioner):
    """Gives each segment of a job nodes of one block of the smallest size that holds the segment.

    Of these, it takes the one with the fewest free nodes that has enough of them in as few blocks of the next
    smaller size as possible. A segment of more nodes than the job is ignored; a job that is not a multiple of
    its segment never runs.
    """

    by_count = False

    def __init__(self, topology: Topology, levels: list[Int], segment: int) -> None:
        super().__init__(topology)
        self._levels, self._segment = levels, segment
        self._size = int(np.unique(levels[0], return_counts=True)[1].min())
        self._first = np.unique(levels[0], return_index=True)[1]  # node of each base block
        # Base blocks of a block of each level.
        self._blocks = [int(np.bincount(level[self._first]).max()) for level in levels]

    def choose(self, job: Job) -> Nodes | None:
        size = self._segment if 0 < self._segment <= job.nodes else job.nodes
        free, chosen = np.flatnonzero(self.is_free), np.zeros(0, np.int64)
        while len(chosen) < job.nodes:
            nodes = None if job.nodes % size else self._in_a_block(free, size)
            if nodes is None:
                return None
            free, chosen = np.setdiff1d(free, nodes), np.concatenate((chosen, nodes))
        return np.sort(chosen)

    def _in_a_block(self, free: Int, size: int) -> Int | None:
        """Return `size` of the free nodes in one block, or None if no block has enough."""
        need = -(-size // self._size)
        level = next((n for n, blocks in enumerate(self._blocks) if blocks >= need), len(self._blocks) - 1)
        below = max((n for n, blocks in enumerate(self._blocks[:level]) if blocks < need), default=level)
        most = -(-size // (self._size * self._blocks[below]))  # blocks of the smaller size
        of, part = self._levels[level], self._levels[below]
        best: tuple[int, Int] | None = None
        for block in np.unique(of[free])[::-1].tolist():
            inside = free[of[free] == block]
            counts = np.sort(np.bincount(part[inside]))[::-1]
            if counts[:most].sum() >= size and (best is None or len(inside) < best[0]):
                best = len(inside), inside
        if best is None:
            return None
        few = self._blocks[level] != most * self._blocks[below]
        return _few_blocks(best[1], size, self._levels[0], part if few else of)


def _few_blocks(free: Int, size: int, base: Int, part: Int) -> Int:
    """Return `size` of the free nodes, from few parts and in these from few base blocks."""
    held, shared = np.bincount(base[free]), np.bincount(part[free])
    left = {int(block): int(of) for block, of in zip(base[free], part[free], strict=True)}
    chosen, used = np.zeros(0, np.int64), set()
    while len(chosen) < size:
        need = size - len(chosen)
        block = max(
            left,
            key=lambda b: (left[b] in used, _fit(int(shared[left[b]]), need), _fit(int(held[b]), need), b),
        )
        used.add(left.pop(block))
        chosen = np.concatenate((chosen, free[base[free] == block][:need]))
    return chosen


def _fit(count: int, need: int) -> tuple[bool, int]:
    """Return how well so many free nodes fit: enough but few, or else many."""
    return (True, -count) if count >= need else (False, count)
