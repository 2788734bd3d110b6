"""Times of jobs alone as an execution: what a table holds."""

from __future__ import annotations

from collections.abc import Callable

from netplace.cosim.alone import FreshTimes
from netplace.cosim.placed import Placed, Placing
from netplace.scheduling import Allocation, Job

__all__ = ["TableExecution"]


class TableExecution:
    """Jobs that take as long as alone on a new network; a `netplace.scheduling.Execution`.

    Parameters
    ----------
    placing : Placing
        How jobs are put on their nodes.
    fresh : FreshTimes
        Their run times.
    begun : callable
        Told of each job on its nodes, and the cycle in which it begins.
    """

    def __init__(self, placing: Placing, fresh: FreshTimes, begun: Callable[[Placed, int], None]) -> None:
        self.longest = fresh.longest
        self._placing, self._fresh, self._tell = placing, fresh, begun

    def begin(self, attempt: int, job: Job, allocation: Allocation, now: float) -> float:
        """Return how long the job runs on its nodes, in seconds."""
        placed = self._placing.put(job, allocation)
        second = self._placing.config.cycle_ns * 1e-9
        self._tell(placed, round(now / second))
        return self._fresh.cycles(placed) * second

    def stop(self, attempt: int, now: float) -> None:
        """Do nothing: what has been stopped is not asked for again."""

    def next_end(self, until: float) -> None:
        """Return None: all ends are known from the start."""
