"""Run times of the log, longer for jobs whose nodes meet higher up in a tree than they must."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from netplace.checks import one_of, real
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation
from netplace.topologies import Tree

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
    tree : Tree
        The machine.
    growth : str
        Key of `GROWTHS`: how the penalty grows with the level.
    factor : float
        Penalty of one level, from 0 to 1e9; of a geometric one at least 1.

    Raises
    ------
    ValueError
        If the machine is no tree, the growth is unknown, or the factor is out of range.
    """

    tree: Tree
    growth: str
    factor: float

    def __post_init__(self) -> None:
        if not isinstance(self.tree, Tree):
            raise ValueError(f"run times: a penalty by level needs a tree, {self.tree} is none")
        least = 1 if one_of(self.growth, GROWTHS, "growth of the penalty") == "geometric" else 0
        real(self.factor, "run times: penalty", least, 1e9)

    def seconds(self, job: Job, allocation: Allocation) -> float:
        """Return the run time in seconds on the nodes of `allocation`."""
        first, last = int(allocation.nodes.min()), int(allocation.nodes.max())
        level = 0
        while first != last:
            first, last, level = first // self.tree.down, last // self.tree.down, level + 1
        return self._penalised(job, level)

    def longest(self, job: Job) -> float:
        """Return the run time in seconds of a job spread over the whole tree."""
        return self._penalised(job, self.tree.stages if job.nodes > 1 else 0)

    def _penalised(self, job: Job, level: int) -> float:
        least, room = 0, 1
        while room < job.nodes:
            room, least = room * self.tree.down, least + 1
        return job.run_time * GROWTHS[self.growth](self.factor, max(level - least, 0))
