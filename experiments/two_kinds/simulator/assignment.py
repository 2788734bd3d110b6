"""Which worker gets which tasks."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
    tasks: TaskTimes, cpus: int, gpus: int, on_cpus: NDArray[np.int64], on_gpus: NDArray[np.int64]
) -> Assignment:
    """Return a schedule in which tasks, in the orders given, go to the least loaded worker of their kind.

    Of equally loaded workers the one of the lowest number takes a task.
    """
    workers = [""] * len(tasks)
    makespan = 0.0
    for kind, count, rows, times in (("C", cpus, on_cpus, tasks.cpu), ("G", gpus, on_gpus, tasks.gpu)):
        loads = [(0.0, worker) for worker in range(min(count, len(rows)))]  # a heap: the least stands first
        names = [f"{kind}{worker}" for _, worker in loads]
        for row, time in zip(rows.tolist(), times[rows].tolist(), strict=True):
            load, worker = loads[0]
            heapq.heapreplace(loads, (load + time, worker))
            workers[row] = names[worker]
        makespan = max(makespan, max(loads, default=(0.0, 0))[0])
    return Assignment(tuple(workers), makespan)
