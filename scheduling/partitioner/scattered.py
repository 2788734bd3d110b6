"""Scattered nodes: the first free ones, or random free ones, for any network.

Nothing is left idle for the sake of neighborhood, so a job waits only while fewer nodes are free than it
needs. Source: W. Liu, V. Lo, K. Windisch, B. Nitzberg, "Non-contiguous processor allocation algorithms for
distributed memory multicomputers", Supercomputing 1994, for random allocation.
"""

from __future__ import annotations

import copy

import numpy as np

from netplace.native import scheduling as native
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation, Keeper, Nodes
from netplace.scheduling.partitioner.free_map import OnFreeMap
from netplace.topologies import Topology


class FirstFree(OnFreeMap):
    by_count = True

    def _choice(self, job: Job) -> Allocation | None:
        nodes = self._map.first(job.nodes)
        self.visited = self._map.visited  # words of eight nodes
        return Allocation(nodes)


class RandomFree(Keeper):
    """Gives a job free nodes drawn at random, all choices equally likely; a failed search draws nothing."""

    by_count = True
    _changing = ("_pool",)

    def __init__(self, nodes: int, rng: np.random.Generator):
        self._pool = native.Pool(nodes)
        self._rng = rng
        self.free = nodes

    def _choice(self, job: Job) -> Allocation | None:
        self.visited += job.nodes
        draws = self._rng.integers(np.arange(job.nodes), self.free)
        return Allocation(self._pool.draw(draws))

    def _mark(self, nodes: Nodes, free: bool) -> None:
        wrong = self._pool.move(nodes, 1 if free else -1)
        if wrong >= 0:
            raise ValueError(
                f"node {nodes[wrong]} is {'free' if free else 'occupied'} already, or does not exist"
            )
        self.free = self._pool.free

    def copy(self) -> RandomFree:
        twin = super().copy()
        twin._rng = copy.deepcopy(self._rng)
        return twin


def first_free(topology: Topology, option: str, seed: int) -> FirstFree:
    return FirstFree(topology.nodes)


def random_free(topology: Topology, option: str, seed: int) -> RandomFree:
    return RandomFree(topology.nodes, np.random.default_rng(seed))
