"""By which rule tasks run: policies, by name."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TASK_POLICIES", "TaskPolicy"]


@dataclass(frozen=True)
class TaskPolicy:
    """A rule by which tasks run.

    Attributes
    ----------
    common : bool
        Whether all processors share one queue; if not, each has its own, into which a task goes on arrival.
    description : str
        Description in one line.
    first_released : bool
        Whether the task released first comes first, not the shortest.
    preemptive : bool
        Whether a shorter task takes the place of the running one.
    redirects : str
        ``"delay"``: a running task that delays too many is restarted on a dedicated processor;
        ``"random"``: long tasks go there by chance on arrival; empty: never.
    """

    common: bool
    description: str
    first_released: bool = False
    preemptive: bool = False
    redirects: str = ""

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters it takes."""
        return {"": (), "delay": ("dedicated", "threshold"), "random": ("dedicated", "b", "c")}[
            self.redirects
        ]


TASK_POLICIES: dict[str, TaskPolicy] = {
    "FCFS": TaskPolicy(True, "earliest released first", first_released=True),
    "GSPT": TaskPolicy(True, "shortest first, one queue"),
    "SPT": TaskPolicy(False, "shortest first, a queue for each processor"),
    "GSRPT": TaskPolicy(True, "least remaining first, preemptive, one queue: a reference", preemptive=True),
    "SRPT": TaskPolicy(
        False, "least remaining first, preemptive, a queue for each: a reference", preemptive=True
    ),
    "GSPT-RD": TaskPolicy(True, "GSPT; a task that delays too many starts anew elsewhere", redirects="delay"),
    "SPT-RD": TaskPolicy(False, "SPT; a task that delays too many starts anew elsewhere", redirects="delay"),
    "GSPT-RR": TaskPolicy(True, "GSPT; long tasks go elsewhere by chance", redirects="random"),
    "SPT-RR": TaskPolicy(False, "SPT; long tasks go elsewhere by chance", redirects="random"),
}
