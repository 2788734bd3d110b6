"""The partitioner that places jobs by processor sets."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation, Keeper, Nodes
from netplace.scheduling.partitioner.pss.constraints import Facts, Rule
from netplace.scheduling.partitioner.pss.language import Configuration, SizeClass
from netplace.scheduling.partitioner.pss.select import exact, select
from netplace.scheduling.partitioner.pss.sets import ProcessorSets
from netplace.topologies import Grid, Topology

Select = Callable[[ProcessorSets, NDArray[np.bool_], int], Nodes | None]


class Model:
    """Sets by size of the job, the way to choose, and constraints."""

    def __init__(self, source: ProcessorSets | Configuration, queue: str = "", exactly: bool = False):
        self._source, self._queue = source, queue
        self._select: Select = exact if exactly else select
        self._known: dict[object, ProcessorSets] = {}
        if isinstance(source, Configuration):
            self._open = source.hosts_of(queue or source.queues[0])
        else:
            self._open = np.ones(source.nodes, bool)
        self.minimum = lru_cache(maxsize=None)(self._least)

    @property
    def constrained(self) -> bool:
        return isinstance(self._source, Configuration) and bool(self._source.rules)

    @property
    def by_count(self) -> bool:
        return not self.constrained and bool(self._open.all())

    def processors(self, nodes: int) -> int:
        return nodes * (self._source.slots if isinstance(self._source, Configuration) else 1)

    def sets(self, processors: int) -> ProcessorSets:
        if isinstance(self._source, ProcessorSets):
            return self._source
        size_class = self._source.class_of(processors)
        kind = size_class and size_class.line
        if kind not in self._known:
            self._known[kind] = self._source.sets(processors, self._queue)
        return self._known[kind]

    def choose(self, free: NDArray[np.bool_], nodes: int) -> Nodes | None:
        return self._select(self.sets(self.processors(nodes)), free & self._open, nodes)

    def accepts(self, nodes: Nodes) -> bool:
        if not isinstance(self._source, Configuration):
            return True
        processors = self.processors(len(nodes))
        rule = self._source.rule_of(processors)
        if rule is None:
            return True
        return rule.test(Facts(self.sets(processors).cost(nodes), processors, self.minimum))

    def _least(self, processors: int) -> tuple[int, ...] | None:
        """Return MINCOST: the cost of a job on the queue's empty hosts, with the costs for its size."""
        sets = self.sets(processors)
        each = self.processors(1)
        nodes = self._select(sets, self._open, math.ceil(processors / each))
        return None if nodes is None else sets.cost(nodes)


class PlacedBySets(Keeper):
    """Places all jobs by the first model, or with `by_queue` each by that with the number of its queue."""

    def __init__(self, topology: Topology, models: Mapping[str, Model], by_queue: bool = False):
        super().__init__(topology.nodes)
        self._topology, self._models, self.by_queue = topology, models, by_queue
        self.by_count = all(model.by_count for model in models.values())

    def _choice(self, job: Job) -> Allocation | None:
        self.visited += self.free  # nodes that a search starts from
        model = self._model_of(job.queue if self.by_queue else 1)
        nodes = model.choose(self.is_free, job.nodes)
        if nodes is None or not model.accepts(nodes):
            return None
        return Allocation(nodes, _sides(self._topology, nodes))

    def _model_of(self, number: int) -> Model:
        names = list(self._models)
        if not 1 <= number <= len(names):
            raise ValueError(
                f"queue number {number} of the job: expected 1 to {len(names)}, for {', '.join(names)}"
            )
        return self._models[names[number - 1]]

    def cost(self, nodes: Nodes, queue: int = 1) -> tuple[int, ...]:
        model = self._model_of(queue)
        return model.sets(model.processors(len(nodes))).cost(nodes)


def _sides(topology: Topology, nodes: Nodes) -> tuple[int, ...] | None:
    """Return the sides of the box that the nodes fill, if they do."""
    if not isinstance(topology, Grid) or topology.twist:
        return None
    box = tuple((np.ptp(topology.coordinates(nodes), axis=0) + 1).tolist())
    return box if math.prod(box) == len(nodes) else None


_TRIED = 64  # sizes of jobs that are placed on the empty machine


def findings(configuration: Configuration) -> tuple[list[str], list[str]]:
    """Return warnings, and constraints that a job cannot meet even on the empty machine."""
    slots, nodes = configuration.slots, len(configuration.hosts)
    contradictions = []
    for queue in configuration.queues:
        model = Model(configuration, queue)
        for size in _sizes(configuration, slots, nodes) if model.constrained else ():
            chosen = model.choose(np.ones(nodes, bool), size)
            rule = configuration.rule_of(size * slots)
            if chosen is not None and rule is not None and not model.accepts(chosen):
                cost = model.sets(size * slots).cost(chosen)
                contradictions.append(
                    f"{configuration.name}:{rule.line}: no job of {_words(size * slots)} in queue "
                    f"{queue} can meet this: its cost on the empty machine is {list(cost)}"
                )
    return list(_oddities(configuration, slots * nodes)), contradictions


def _oddities(configuration: Configuration, maximum: int) -> Iterator[str]:
    """Yield valid settings that are probably mistakes."""
    classes = [(size_class.low, size_class.high) for size_class in configuration.classes]
    for low, high in _uncovered(classes, 1, maximum):
        yield f"{configuration.name}: no cost class contains jobs of {_words(low, high)}: they cost nothing"
    kinds: dict[str, Sequence[SizeClass | Rule]] = {
        "costs": configuration.classes,
        "constraint": configuration.rules,
    }
    for label, ranges in kinds.items():
        for place, size_class in enumerate(ranges):
            before = [(other.low, other.high) for other in ranges[:place]]
            if not _uncovered(before, size_class.low, min(size_class.high, maximum)):
                reason = "earlier classes take its jobs, or the machine is smaller"
                yield f"{configuration.name}:{size_class.line}: {label} applies to no job: {reason}"
    grouped = {host for members in configuration.groups.values() for host, _ in members}
    lone = [host for place, host in enumerate(configuration.hosts) if place not in grouped]
    if lone:
        yield f"{configuration.name}:{lone[0].line}: host {lone[0].name} is in no group, so it costs nothing"


def _words(low: int, high: int | None = None) -> str:
    """Return a number of processors, or from how many to how many."""
    if high is None or low == high:
        return f"{low:,} processor{'s' * (low > 1)}"
    return f"{low:,} to {high:,} processors"


def _uncovered(ranges: Iterable[tuple[int, int]], minimum: int, maximum: int) -> list[tuple[int, int]]:
    """Return the parts of ``minimum..maximum`` that none of the ranges holds."""
    gaps, at = [], minimum
    for low, high in sorted(ranges):
        if low > at:
            gaps.append((at, min(low - 1, maximum)))
        at = max(at, high + 1)
    return [gap for gap in [*gaps, (at, maximum)] if gap[0] <= gap[1]]


def _sizes(configuration: Configuration, slots: int, nodes: int) -> list[int]:
    ranges = [(size_class.low, size_class.high) for size_class in configuration.classes]
    ranges += [(rule.low, rule.high) for rule in configuration.rules]
    ends = {end for pair in ranges for end in pair}
    tried = {-(-end // slots) for end in ends} | {end // slots for end in ends}
    tried |= set(np.unique(np.linspace(1, nodes, min(nodes, _TRIED)).astype(int)).tolist())
    return sorted(size for size in tried if 1 <= size <= nodes)
