"""Errors of a run that are not faults of the engine.

::

    SimulationError
    ├── DeadlockError         nothing can move any more
    ├── LostJobError          a job did not finish, so that it has no run time
    └── CycleLimitError       the run is longer than allowed
"""

from __future__ import annotations

from netplace.netsim.engine import Blocked


class SimulationError(Exception):
    """A run cannot reach its end; the message states the reason."""


class DeadlockError(SimulationError):
    """Nothing can move any more.

    Attributes
    ----------
    cycle : int
        First cycle in which nothing moved: the cycle after the last one in which a phit left a FIFO, a packet
        was created, a task completed an operation or computed, or a job began.
    blocked : netsim.engine.Blocked
        Which task or FIFO waits for which other.
    """

    def __init__(self, message: str, cycle: int, blocked: Blocked) -> None:
        super().__init__(message)
        self.cycle = cycle
        self.blocked = blocked

    def __reduce__(self) -> tuple[type[DeadlockError], tuple[str, int, Blocked]]:
        return DeadlockError, (str(self), self.cycle, self.blocked)  # as a worker process sends it


class LostJobError(SimulationError):
    """A run time was requested of a run in which a job was stopped, deadlocked, or still runs."""


class CycleLimitError(SimulationError):
    """The run exceeded the allowed number of cycles."""
