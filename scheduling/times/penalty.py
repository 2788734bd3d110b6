"""Run times of the log, longer for jobs whose nodes meet higher up in a tree than they must."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from netplace.checks import check_choice, check_float
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation
from netplace.topologies import Hierarchy, Topology, hierarchy

__all__ = ["GROWTHS", "PenaltyTimes"]

# name: factor and levels above the least to the factor of the run time. What F. Mendonca (thesis, 2017) calls
# quadratic is geometric here.
GROWTHS: dict[str, Callable[[float, int], float]] = {
    "linear": lambda factor, above: 1 + factor * above,
    "quadratic": lambda factor, above: 1 + factor * above**2,
    "geometric": lambda factor, above: factor**above,
}


@dataclass(frozen=True)
class PenaltyTimes:
    """The log's run times, longer by how far the level is above the least.

    ``linear``: times ``1 + factor * above``, ``quadratic``: times ``1 + factor * above ** 2``,
    ``geometric``: times ``factor ** above``.

    The level of a job is that of the lowest common ancestor of its nodes; the least level that of the
    smallest subtree with room for it. A job whose penalty takes it past its estimate fails where
    `netplace.scheduling.schedule` kills at the estimate.

    Attributes
    ----------
    tree : Topology
        The machine: a tree of any shape, as `netplace.topologies.hierarchy` knows it.
    growth : str
        Key of `GROWTHS`: how the penalty grows with the level.
    factor : float
        Penalty of one level, from 0 to 1e9; of a geometric one at least 1.
    """

    tree: Topology
    growth: str
    factor: float

    def __post_init__(self) -> None:
        if hierarchy(self.tree) is None:
            raise ValueError(f"run times: a penalty by level needs a tree, {self.tree} is none")
        least = 1 if check_choice(self.growth, GROWTHS, "growth of the penalty") == "geometric" else 0
        check_float(self.factor, "run times: penalty", least, 1e9)

    @cached_property
    def _hierarchy(self) -> Hierarchy:
        known = hierarchy(self.tree)
        assert known is not None, "checked when it was made"
        return known

    @cached_property
    def _place(self) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        """Where each node stands in the tree's order."""
        return np.argsort(self._hierarchy.order)

    @cached_property
    def _rooms(self) -> list[int]:
        """Nodes of the largest subtree, level by level."""
        return [int(np.diff(starts).max()) for starts in self._hierarchy.starts]

    def seconds(self, job: Job, allocation: Allocation) -> float:
        """Return the run time in seconds on the nodes of `allocation`."""
        places = self._place[allocation.nodes]
        ends = int(places.min()), int(places.max())
        for level, starts in enumerate(self._hierarchy.starts):
            first, last = np.searchsorted(starts, ends, side="right")
            if first == last:
                return self._penalised(job, level)
        raise AssertionError("the last level is the whole tree")

    def longest(self, job: Job) -> float:
        """Return the run time in seconds of a job spread over the whole tree."""
        return self._penalised(job, self._hierarchy.levels if job.nodes > 1 else 0)

    def _penalised(self, job: Job, level: int) -> float:
        least = next((at for at, room in enumerate(self._rooms) if room >= job.nodes), level)
        return job.run_time * GROWTHS[self.growth](self.factor, max(level - least, 0))
