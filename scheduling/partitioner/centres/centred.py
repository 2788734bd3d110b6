"""The partitioner of all algorithms that look at distances among the free nodes."""

from __future__ import annotations

import copy

import numpy as np

from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation, Nodes
from netplace.scheduling.partitioner.centres.choice import Choice, Choose
from netplace.scheduling.partitioner.centres.space import Space
from netplace.scheduling.partitioner.free_map import FreeMap

__all__ = ["Centred"]


class Centred:
    """Gives a job the free nodes that an algorithm chooses by their distances.

    Parameters
    ----------
    space : Space
        The machine.
    choose : callable
        The algorithm, see `Choose`.
    by_count : bool
        Whether it takes every job that needs no more nodes than are free.
    """

    def __init__(self, space: Space, choose: Choose, by_count: bool = True):
        self._space, self._choose = space, choose
        self._map = FreeMap(space.topology.nodes)
        self.by_count = by_count
        self.free = space.topology.nodes
        self.searches = 0
        self.visited = 0  # free nodes that a search starts from

    def find(self, job: Job) -> Allocation | None:
        """Return free nodes in increasing order, or None if there are too few.

        Raises
        ------
        ValueError
            If the job is none that the algorithm takes.
        """
        self.searches += 1
        if job.nodes > self.free:
            return None
        self.visited += self.free
        return Allocation(self.choose(job.nodes).nodes)

    def choose(self, size: int) -> Choice:
        """Return what the algorithm chooses for a job of `size` nodes, no more than are free."""
        return self._choose(self._space, self._map.first(self.free), size)

    def take(self, allocation: Allocation) -> None:
        """Mark nodes that `find` returned as held."""
        self._mark(allocation.nodes, False)

    def release(self, allocation: Allocation) -> None:
        """Mark nodes that were taken as free."""
        self._mark(allocation.nodes, True)

    def _mark(self, nodes: Nodes, free: bool) -> None:
        self._map.mark(np.asarray(nodes), free)
        self.free = self._map.free

    def copy(self) -> Centred:
        """Return an independent copy."""
        twin = copy.copy(self)
        twin._map = self._map.copy()
        return twin
