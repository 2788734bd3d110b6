"""The result of a partitioner, and the interface that the scheduler uses."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from netplace.records import array_of, freeze_arrays, integers_as
from netplace.scheduling.job import Job

Nodes = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Allocation:
    """Nodes for a job.

    Attributes
    ----------
    nodes : ndarray of int64, shape (size,)
        Nodes of the job, in the order of its tasks. There are more than it needs if the partitioner rounds up
        (internal fragmentation).
    shape : tuple of int or None
        Sides of the box in the order of the network's dimensions; None if the nodes are not a box.
    mapping : str
        Mapping that the partitioner chose together with the shape, or empty.
    """

    nodes: Nodes
    shape: tuple[int, ...] | None = None
    mapping: str = ""

    def __post_init__(self) -> None:
        label = "allocation: nodes"
        object.__setattr__(self, "nodes", integers_as(np.int64, array_of(self.nodes, label), label))
        freeze_arrays(self)


class Partitioner(Protocol):
    """Chooses the nodes of jobs, and keeps track of the free nodes.

    To add a partitioner, write a class with these members and add a line to
    `netplace.scheduling.partitioner.PARTITIONERS`.

    Attributes
    ----------
    free : int
        Number of free nodes.
    by_count : bool
        Whether every job that needs no more than `free` nodes can be placed, so that a policy only has to
        count nodes.
    searches, visited : int
        Numbers of calls of `find`, and of nodes (or words of the occupancy map) that it examined.
    """

    @property
    def free(self) -> int:
        """Number of free nodes."""

    @property
    def by_count(self) -> bool:
        """Whether a policy only has to count nodes."""

    @property
    def searches(self) -> int:
        """Number of calls of `find`."""

    @property
    def visited(self) -> int:
        """Number of nodes or words that `find` examined."""

    def find(self, job: Job) -> Allocation | None:
        """Return nodes for `job`, or None if it cannot be placed now. This does not hold any nodes."""

    def take(self, allocation: Allocation) -> None:
        """Mark nodes that `find` returned as held."""

    def release(self, allocation: Allocation) -> None:
        """Mark nodes that were taken as free."""

    def copy(self) -> Partitioner:
        """Return an independent copy, on which a policy can simulate decisions."""


def kind_of(job: Job, partitioner: Partitioner) -> tuple[int, str, int, int]:
    """Return what decides whether a job finds a place: nodes, program, tasks, its queue if that counts."""
    queue = job.queue if getattr(partitioner, "by_queue", False) else -1
    return job.nodes, job.program, job.tasks, queue


@runtime_checkable
class Foreseeing(Protocol):
    """What a partitioner may have beside, so that reservations need not call `find` over and over."""

    def release_until(self, job: Job, groups: Sequence[Sequence[Allocation]]) -> int | None:
        """Release groups in order; return after how many `job` fits, or None if it never does."""


class Keeper:
    """A partitioner but for the choice: keeps the free nodes, and refuses jobs of more nodes than are free.

    `is_free`: whether each node is free, shape (nodes,); never changed in place, so that copies share it.
    """

    searches = visited = 0
    _changing: tuple[str, ...] = ()  # attributes that change in place with the nodes held: a copy has its own

    def __init__(self, nodes: int) -> None:
        self.is_free = np.ones(nodes, bool)
        self.free = nodes

    def copy(self) -> Self:
        """Return an independent copy."""
        twin = copy.copy(self)
        for name in self._changing:
            held = getattr(self, name)
            setattr(twin, name, held.copy() if hasattr(held, "copy") else copy.copy(held))
        return twin

    def find(self, job: Job) -> Allocation | None:
        self.searches += 1
        return None if job.nodes > self.free else self._choice(job)

    def take(self, allocation: Allocation) -> None:
        """Mark nodes that `find` returned as held."""
        self._mark(allocation.nodes, False)

    def release(self, allocation: Allocation) -> None:
        """Mark nodes that were taken as free."""
        self._mark(allocation.nodes, True)

    def _choice(self, job: Job) -> Allocation | None:
        raise NotImplementedError

    def _mark(self, nodes: Nodes, free: bool) -> None:
        marked = self.is_free.copy()
        marked[nodes] = free
        if abs(np.count_nonzero(marked) - np.count_nonzero(self.is_free)) < len(nodes):
            raise already(nodes, self.is_free, free)
        self.is_free = marked
        self.free += len(nodes) if free else -len(nodes)


def already(nodes: Nodes, is_free: NDArray[np.bool_], free: bool) -> ValueError:
    """Return the error about nodes of which some are free, or held, before they are marked so, or twice."""
    earlier = is_free.copy()
    for node in nodes.tolist():
        if earlier[node] == free:
            break
        earlier[node] = free
    return ValueError(f"node {node} is {'free' if free else 'occupied'} already")


@dataclass(frozen=True)
class PartitionerKind:
    """One partitioner under a name."""

    make: Callable[..., Partitioner]
    example: str
    description: str
    option: str = ""
    is_random: bool = False
    ranked: bool = False
    strikes_out: bool = False
