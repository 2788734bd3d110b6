"""Situation and decision: what allocators would choose in states that one of them has brought about.

M. A. Bender et al., "Communication-aware processor allocation for supercomputers", WADS 2005, section 5: the
situation algorithm's nodes are held; each decision algorithm is asked first, with the same free nodes.
"""

from __future__ import annotations

import copy

import numpy as np

from netplace.placement.compactness import pairwise_sum
from netplace.scheduling import Allocation, Job, Partitioner, make_partitioner, schedule
from netplace.scheduling.workload import Workload
from netplace.topologies import Topology

__all__ = ["Watched", "decided"]


class Watched:
    """A partitioner beside which others are asked what they would have chosen; a `Partitioner`.

    Parameters
    ----------
    machine : Topology
        The machine.
    situation : str
        Text form of the partitioner whose nodes are held.
    decisions : sequence of str
        Those of the others.

    Attributes
    ----------
    sums : dict of str to int
        Sum over jobs of the pairwise distances, by decision.
    """

    def __init__(self, machine: Topology, situation: str, decisions: tuple[str, ...]) -> None:
        self._machine = machine
        self._inner = make_partitioner(situation, machine)
        self._others = {name: make_partitioner(name, machine) for name in decisions}
        self.sums = dict.fromkeys(decisions, 0)

    @property
    def free(self) -> int:
        """Free nodes."""
        return self._inner.free

    @property
    def by_count(self) -> bool:
        """Whether counting suffices."""
        return self._inner.by_count

    @property
    def searches(self) -> int:
        """How often `find` was called."""
        return self._inner.searches

    @property
    def visited(self) -> int:
        """How many nodes it looked at."""
        return self._inner.visited

    def find(self, job: Job) -> Allocation | None:
        """Return what the situation algorithm chooses."""
        return self._inner.find(job)

    def take(self, allocation: Allocation) -> None:
        """Ask the others, then mark the nodes as held."""
        size = len(allocation.nodes)
        for name, other in self._others.items():
            chosen = other.find(Job(0, 0.0, size, 1.0))
            assert chosen is not None, "allocators by count always find nodes"
            self.sums[name] += pairwise_sum(self._machine, chosen.nodes)
        for partitioner in (self._inner, *self._others.values()):
            partitioner.take(allocation)

    def release(self, allocation: Allocation) -> None:
        """Mark nodes as free."""
        for partitioner in (self._inner, *self._others.values()):
            partitioner.release(allocation)

    def copy(self) -> Partitioner:
        """Return an independent copy, which adds to the same sums."""
        twin = copy.copy(self)
        twin._inner = self._inner.copy()
        twin._others = {name: other.copy() for name, other in self._others.items()}
        return twin


def decided(
    machine: Topology, jobs: Workload, situation: str, decisions: tuple[str, ...]
) -> dict[str, float]:
    """Return the mean pairwise sum a job of each decision on one stream of jobs, first come first served."""
    watched = Watched(machine, situation, decisions)
    made = schedule(machine, jobs, "fcfs", watched)
    return {name: total / len(made) for name, total in watched.sums.items()} | {
        "jobs": len(made),
        "mean size": float(np.mean(made.nodes)),
    }
