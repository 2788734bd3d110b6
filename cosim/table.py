"""Times of jobs alone as an execution, as in a table."""

from __future__ import annotations

from collections.abc import Callable

from netplace.cosim.placed import Placed, Placing
from netplace.scheduling import Allocation, Job


def from_log(estimate_factor: float) -> Callable[[Job], float]:
    """Return the function that gives the estimates of the users of a log: the run time and a margin."""
    return lambda job: estimate_factor * job.run_time


class TableExecution:
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
        placed = self._placing.put(job, allocation)
        second = self._placing.config.cycle_ns * 1e-9
        cycles = self._cycles(placed)
        self._tell(placed, round(now / second), cycles)
        return cycles * second

    def stop(self, attempt: int, now: float) -> None:
        """Do nothing, because a stopped job is not queried again."""

    def next_end(self, until: float) -> None:
        """Return None: all ends are known from the start."""
