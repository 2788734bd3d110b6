"""Progress of a search through its budget, as a share of time or of proposals."""

from __future__ import annotations

import math

from netplace.placement.mapping.qap.budget import Budget

__all__ = ["SLICE", "Effort"]

SLICE = 4096  # proposals between two looks at the clock: about a millisecond


class Effort:
    """The part of a budget that is spent.

    Parameters
    ----------
    budget : Budget
        Its iterations are proposals for every task.
    tasks : int
        How many tasks there are.

    Attributes
    ----------
    proposals : int
        How many have been made.
    """

    def __init__(self, budget: Budget, tasks: int):
        self._budget, self._tasks = budget, tasks
        self.proposals = budget.spent * tasks
        self._most = (budget.spent + budget.iterations_left) * tasks

    @property
    def share(self) -> float:
        """From 0 to 1, and beyond where a step took longer than was left."""
        by_time = 0.0
        if self._budget.timed:
            used = self._budget.seconds
            by_time = used / max(used + self._budget.seconds_left, 1e-9)
        by_number = self.proposals / self._most if self._most < math.inf else 0.0
        return max(by_time, by_number)

    def spend(self, proposals: int) -> None:
        """Count proposals as done."""
        before = self.proposals // self._tasks
        self.proposals += proposals
        self._budget.spend(self.proposals // self._tasks - before)
