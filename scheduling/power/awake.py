"""A partitioner that offers nodes that are on before others."""

from __future__ import annotations

import numpy as np

from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation, Nodes, Partitioner
from netplace.scheduling.power.nodes import NodePower


class AwakeFirst:
    """Asks a partitioner for a place among the nodes that are on, then for one anywhere.

    Where any free nodes do (`Partitioner.by_count`), a job that needs more than are on gets all of these, and
    the first of the others.
    """

    def __init__(self, inner: Partitioner, power: NodePower) -> None:
        self._all, self._on, self._power = inner, inner.copy(), power
        self._is_free = np.ones(inner.free, bool)
        self._hidden = np.zeros(inner.free, bool)  # off and free: held in the map of nodes that are on
        self._version = -1
        try:
            trial = inner.copy()
            trial.take(Allocation(np.array([inner.free - 1])))
            trial.release(Allocation(np.array([inner.free - 1])))
        except (ValueError, KeyError, IndexError, AttributeError):
            raise ValueError(
                "power: this partition allocates boxes, so it cannot prefer nodes that are on; expected "
                "another partition, or awake = false in the file of the power model"
            ) from None

    @property
    def free(self) -> int:
        return self._all.free

    @property
    def by_count(self) -> bool:
        return self._all.by_count

    @property
    def searches(self) -> int:
        return self._all.searches + self._on.searches

    @property
    def visited(self) -> int:
        return self._all.visited + self._on.visited

    def find(self, job: Job) -> Allocation | None:
        self._follow()
        allocation = self._on.find(job) if job.nodes <= self._on.free else None
        if allocation is not None:
            return allocation
        if self.by_count and job.nodes <= self.free:
            on = np.flatnonzero(self._is_free & ~self._hidden)
            off = np.flatnonzero(self._hidden)[: job.nodes - len(on)]
            return Allocation(np.sort(np.concatenate([on, off])))
        return self._all.find(job)

    def take(self, allocation: Allocation) -> None:
        self._follow()
        nodes = allocation.nodes
        hidden = self._hidden[nodes]
        self._all.take(allocation)
        if not hidden.all():
            self._on.take(Allocation(nodes[~hidden]) if hidden.any() else allocation)
        self._hidden[nodes] = False
        self._is_free[nodes] = False

    def release(self, allocation: Allocation) -> None:
        self._all.release(allocation)
        self._on.release(allocation)
        self._is_free[allocation.nodes] = True
        self._version = -1

    def copy(self) -> AwakeFirst:
        self._follow()
        twin = object.__new__(AwakeFirst)
        twin._all, twin._on, twin._power = self._all.copy(), self._on.copy(), self._power
        twin._is_free, twin._hidden = self._is_free.copy(), self._hidden.copy()
        twin._version = self._version
        return twin

    def _follow(self) -> None:
        """Record the nodes that were switched."""
        if self._version == self._power.version:
            return
        hidden = self._is_free & ~self._power.awake
        self._mark(np.flatnonzero(hidden & ~self._hidden), False)
        self._mark(np.flatnonzero(self._hidden & ~hidden), True)
        self._hidden, self._version = hidden, self._power.version

    def _mark(self, nodes: Nodes, free: bool) -> None:
        if len(nodes):
            (self._on.release if free else self._on.take)(Allocation(nodes))
