"""Times of jobs alone as an execution: what a table holds."""

from __future__ import annotations

from collections.abc import Callable

from netplace.cosim.placed import Placed, Placing
from netplace.scheduling import Allocation, Job

__all__ = ["TableExecution", "from_log"]


def from_log(margin: float) -> Callable[[Job], float]:
    """Return the function that tells what users of a log estimate: the run time there, and a margin."""
    return lambda job: margin * job.run_time


class TableExecution:
    """Jobs that take as long as alone on a new network; a `netplace.scheduling.Execution`.

    Parameters
    ----------
    placing : Placing
        How jobs are put on their nodes.
    cycles : callable
        Returns the cycles of a job on its nodes.
    longest : callable
        Returns the run time in seconds that a user estimates.
    begun : callable
        Told of each job on its nodes, the cycle in which it begins and its cycles.
    """

    def __init__(
        self,
        placing: Placing,
        cycles: Callable[[Placed], float],
        longest: Callable[[Job], float],
        begun: Callable[[Placed, int, float], None],
    ) -> None:
        self.longest = longest
        self._placing, self._cycles, self._tell = placing, cycles, begun

    def begin(self, attempt: int, job: Job, allocation: Allocation, now: float) -> float:
        """Return how long the job runs on its nodes, in seconds."""
        placed = self._placing.put(job, allocation)
        second = self._placing.config.cycle_ns * 1e-9
        cycles = self._cycles(placed)
        self._tell(placed, round(now / second), cycles)
        return cycles * second

    def stop(self, attempt: int, now: float) -> None:
        """Do nothing: what has been stopped is not asked for again."""

    def next_end(self, until: float) -> None:
        """Return None: all ends are known from the start."""
