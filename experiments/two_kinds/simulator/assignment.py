"""Which worker gets which tasks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from netplace.experiments.two_kinds.simulator.task_times import TaskTimes

__all__ = ["Assignment", "list_schedule"]


@dataclass(frozen=True)
class Assignment:
    """A schedule; every worker runs its tasks one after the other without a gap.

    Attributes
    ----------
    workers : tuple of str
        Worker of each task: ``C0``, ``C1``, .. are CPUs, ``G0``, .. GPUs.
    makespan : float
        When the last task ends, in seconds.
    """

    workers: tuple[str, ...]
    makespan: float


def list_schedule(
    tasks: TaskTimes, cpus: int, gpus: int, on_cpus: Iterable[int], on_gpus: Iterable[int]
) -> Assignment:
    """Return a schedule in which tasks, in the orders given, go to the least loaded worker of their kind.

    Of equally loaded workers the one of the lowest number takes a task.
    """
    workers = [""] * len(tasks)
    makespan = 0.0
    for kind, count, rows, times in (("C", cpus, on_cpus, tasks.cpu), ("G", gpus, on_gpus, tasks.gpu)):
        loads = np.zeros(count)
        for row in rows:
            worker = int(np.argmin(loads))
            loads[worker] += times[row]
            workers[row] = f"{kind}{worker}"
        makespan = max(makespan, float(loads.max(initial=0.0)))
    return Assignment(tuple(workers), makespan)
