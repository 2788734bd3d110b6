"""Nodes that are lost permanently while jobs run, and the jobs for which no place is left."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from netplace.scheduling.execution import Execution, NodeFailures
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner import Allocation, Partitioner
from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.policy import Queue, Running, Waiting


class Losses:
    """Keeps lost nodes away from jobs; does nothing unless the execution can lose nodes."""

    def __init__(
        self,
        execution: Execution,
        partitioner: Partitioner,
        empty: Partitioner,
        present: int,
        node_shape: tuple[int, ...] | None,
        queue: Callable[[], Queue],
    ) -> None:
        self._source = execution if isinstance(execution, NodeFailures) and execution.loses else None
        self._partitioner, self._empty, self._queue = partitioner, empty, queue
        self._present, self._node_shape = present, node_shape
        self._missing = np.empty(0, np.int64)  # lost, and still held by a job
        self._running: dict[int, Running] = {}
        self._waiting: dict[int, Waiting] = {}

    def look(self, now: float) -> bool:
        """Take the nodes that have been lost up to `now`; return whether there are any."""
        if self._source is None:
            return False
        lost = self._source.lost(now)
        lost = lost[lost < self._present]
        if lost.size:
            _take(self._empty, lost, self._node_shape)
            self._missing = np.union1d(self._missing, lost)
            self._take()
        return bool(lost.size)

    def waits(self, waiting: Waiting) -> None:
        if self._source is not None:
            self._waiting[waiting.row] = waiting

    def starts(self, running: Running) -> None:
        if self._source is not None:
            del self._waiting[running.waiting.row]
            self._running[running.order] = running

    def ends(self, running: Running) -> None:
        """Record that a job's nodes are free; those that are lost are taken again."""
        if self._source is not None:
            del self._running[running.order]
            self._take()

    def turned_away(self, reason: Callable[[Job], str]) -> tuple[list[Waiting], Queue | None]:
        """Return the waiting jobs that fit nowhere any more, and a queue of the others, or None."""
        if self._source is None or self._running:
            return [], None
        away = [(waiting, why) for waiting in self._waiting.values() if (why := reason(waiting.job))]
        if not away:
            return [], None
        for waiting, why in away:
            self._source.refused(waiting.job, why)
            del self._waiting[waiting.row]
        queue = self._queue()
        for _, waiting in sorted(self._waiting.items()):
            queue.add(waiting)
        return [waiting for waiting, _ in away], queue

    def _take(self) -> None:
        held: list[Nodes] = [running.allocation.nodes for running in self._running.values()]
        free = np.setdiff1d(self._missing, np.concatenate([np.empty(0, np.int64), *held]))
        if free.size:
            _take(self._partitioner, free, self._node_shape)
            self._missing = np.setdiff1d(self._missing, free)


def check_losses(
    execution: Execution, partitioner: Partitioner, nodes: Nodes, node_shape: tuple[int, ...] | None
) -> None:
    """Raise ValueError if nodes may be lost, and the partitioner cannot leave out one of `nodes`."""
    if not (isinstance(execution, NodeFailures) and execution.loses):
        return
    try:
        _take(partitioner.copy(), nodes[:1], node_shape)
    except ValueError as error:
        raise ValueError(
            f"faults: the partitioner cannot exclude nodes that are cut off: {error}; use another partitioner"
        ) from None


def _take(partitioner: Partitioner, nodes: Nodes, node_shape: tuple[int, ...] | None) -> None:
    """Hold nodes, one by one, as some partitioners know boxes only."""
    for node in nodes.tolist():
        partitioner.take(Allocation(np.array([node], np.int64), node_shape))
