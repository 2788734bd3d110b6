"""Run times of the log, longer for jobs whose nodes lie farther apart than they must, on any network."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from netplace.checks import check_float
from netplace.placement.compactness import pairwise_sum
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation
from netplace.topologies import Topology

__all__ = ["SpreadTimes"]


@dataclass(frozen=True)
class SpreadTimes:
    """The log's run times, times ``1 + factor * (d / d0 - 1)``.

    Here d is the mean distance of two of the job's nodes, in hops, and d0 that of as many nodes around one
    node of the empty machine, the nearest first. So `factor` is what it costs a job to be twice as spread as
    it must be, as a share of its time. No job becomes faster than the log has it.

    Attributes
    ----------
    machine : Topology
        The machine.
    factor : float
        From 0 to 1e9.
    """

    machine: Topology
    factor: float
    _least: dict[int, float] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        check_float(self.factor, "run times: cost of spread", 0, 1e9)

    def seconds(self, job: Job, allocation: Allocation) -> float:
        """Return the run time in seconds on the nodes of `allocation`."""
        if job.nodes == 1:
            return job.run_time
        mean = self._mean(allocation.nodes[: job.nodes])
        return job.run_time * (1 + self.factor * max(0.0, mean / self._compact(job.nodes) - 1))

    def longest(self, job: Job) -> float:
        """Return the run time in seconds of a job all of whose nodes are as far apart as nodes can be."""
        if job.nodes == 1:
            return job.run_time
        most = self.machine.diameter / self._compact(job.nodes)
        return job.run_time * (1 + self.factor * max(0.0, most - 1))

    def _mean(self, nodes: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> float:
        return pairwise_sum(self.machine, nodes) * 2 / (len(nodes) * (len(nodes) - 1))

    def _compact(self, size: int) -> float:
        """Return the mean distance of so many nodes that lie as near as a ball around a node has them."""
        if size not in self._least:
            usable = self.machine.computing
            centre = int(usable[len(usable) // 2])
            nearest = usable[np.argsort(self.machine.distance(centre, usable), kind="stable")]
            self._least[size] = max(self._mean(nearest[:size]), 1e-9)
        return self._least[size]
