"""Run times of the log, shorter for contiguous jobs or longer for scattered ones, wherever they come from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from netplace.checks import check_float
from netplace.scheduling.contiguity import Contiguity
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation
from netplace.topologies import Topology

__all__ = ["ScaledTimes"]


@dataclass(frozen=True)
class ScaledTimes:
    """The log's run times, scaled by whether a job's nodes lie side by side (`Contiguity`).

    anyone who chose them: on the same nodes a job takes the same factor under all partitioners. Sequential
    jobs, of one node, do not communicate and are never scaled. Two equal factors scale all others.

    Attributes
    ----------
    machine : Topology
        The machine.
    contiguous, scattered : float
        Factors of the run time of contiguous jobs and of all others, from 1e-9 to 1e9.
    """

    machine: Topology
    contiguous: float = 1.0
    scattered: float = 1.0

    def __post_init__(self) -> None:
        for factor in (self.contiguous, self.scattered):
            check_float(factor, "run times: factor", 1e-9, 1e9)

    @cached_property
    def _contiguity(self) -> Contiguity:
        return Contiguity(self.machine)

    def seconds(self, job: Job, allocation: Allocation) -> float:
        """Return the scaled run time in seconds."""
        if job.nodes == 1:
            return job.run_time
        return job.run_time * (self.contiguous if self._contiguity.of(allocation.nodes) else self.scattered)

    def longest(self, job: Job) -> float:
        """Return the longer of the two run times in seconds."""
        return job.run_time if job.nodes == 1 else job.run_time * max(self.contiguous, self.scattered)
