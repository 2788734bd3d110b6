"""The partitioner that places jobs by processor sets."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation, Nodes
from netplace.scheduling.partitioner.on_free_map import OnFreeMap
from netplace.scheduling.partitioner.pss.configuration import Configuration
from netplace.scheduling.partitioner.pss.constraints import Facts
from netplace.scheduling.partitioner.pss.exact import exact
from netplace.scheduling.partitioner.pss.select import select
from netplace.scheduling.partitioner.pss.sets import ProcessorSets
from netplace.topologies import Grid, Topology

__all__ = ["Model", "PlacedBySets"]

Select = Callable[[ProcessorSets, NDArray[np.bool_], int], Nodes | None]


class Model:
    """Sets by size of the job, the way to choose, and constraints.

    Parameters
    ----------
    source : ProcessorSets or Configuration
        The same sets for all jobs, or those of a file.
    queue : str
        Queue of the file whose costs count; empty: the first.
    exactly : bool
        Whether choices are of least cost, see `exact`, instead of small cost.
    """

    def __init__(self, source: ProcessorSets | Configuration, queue: str = "", exactly: bool = False):
        self._source, self._queue = source, queue
        self._select: Select = exact if exactly else select
        self._known: dict[object, ProcessorSets] = {}
        self.least = lru_cache(maxsize=None)(self._least)

    @property
    def constrained(self) -> bool:
        """Whether a selection may be refused."""
        return isinstance(self._source, Configuration) and bool(self._source.rules)

    def processors(self, nodes: int) -> int:
        """Return how many processors so many nodes have."""
        return nodes * (self._source.slots if isinstance(self._source, Configuration) else 1)

    def sets(self, processors: int) -> ProcessorSets:
        """Return the sets for jobs of a size."""
        if isinstance(self._source, ProcessorSets):
            return self._source
        size_class = self._source.class_of(processors)
        kind = size_class and size_class.line
        if kind not in self._known:
            self._known[kind] = self._source.sets(processors, self._queue)
        return self._known[kind]

    def choose(self, free: NDArray[np.bool_], nodes: int) -> Nodes | None:
        """Return the nodes for a job, constraints apart; None if there are too few."""
        return self._select(self.sets(self.processors(nodes)), free, nodes)

    def accepts(self, nodes: Nodes) -> bool:
        """Return whether the constraints let a job start on these nodes."""
        if not isinstance(self._source, Configuration):
            return True
        processors = self.processors(len(nodes))
        rule = self._source.rule_of(processors)
        if rule is None:
            return True
        return rule.test(Facts(self.sets(processors).cost(nodes), processors, self.least))

    def _least(self, processors: int) -> tuple[int, ...] | None:
        """Return MINCOST: the cost of a job on the empty machine, with the costs for jobs of its size."""
        sets = self.sets(processors)
        each = self.processors(1)
        nodes = self._select(sets, np.ones(sets.nodes, bool), math.ceil(processors / each))
        return None if nodes is None else sets.cost(nodes)


class PlacedBySets(OnFreeMap):
    """Gives a job the free nodes of small cost by processor sets.

    Parameters
    ----------
    topology : Topology
        The machine.
    model : Model
        Sets, and the way to choose.
    """

    def __init__(self, topology: Topology, model: Model):
        super().__init__(topology.nodes)
        self._topology, self._model = topology, model
        self.by_count = not model.constrained

    def find(self, job: Job) -> Allocation | None:
        """Return free nodes in increasing order, or None if there are too few or a constraint says no."""
        self.searches += 1
        if job.nodes > self.free:
            return None
        self.visited += self.free  # nodes that a search starts from
        free = np.zeros(self._topology.nodes, bool)
        free[self._map.first(self.free)] = True
        nodes = self._model.choose(free, job.nodes)
        if nodes is None or not self._model.accepts(nodes):
            return None
        return Allocation(nodes, _sides(self._topology, nodes))

    def cost(self, nodes: Nodes) -> tuple[int, ...]:
        """Return the cost vector of a job on `nodes`."""
        return self._model.sets(self._model.processors(len(nodes))).cost(nodes)


def _sides(topology: Topology, nodes: Nodes) -> tuple[int, ...] | None:
    """Return the sides of the box that the nodes fill, if they do."""
    if not isinstance(topology, Grid) or topology.twist:
        return None
    box = tuple((np.ptp(topology.coordinates(nodes), axis=0) + 1).tolist())
    return box if math.prod(box) == len(nodes) else None
