"""Sets of sequential tasks out of a log of parallel jobs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from netplace.checks import check_int, check_size
from netplace.experiments.redirection.simulator.task import Task
from netplace.scheduling.workload import Workload

__all__ = ["TaskSet", "tasks_of", "windows"]

_DAY = 86400.0
_BYTES = 200  # of a task, and of a set


@dataclass(frozen=True)
class TaskSet:
    """Tasks and the processors that they are for.

    Attributes
    ----------
    tasks : tuple of Task
        In order of release.
    processors : int
        How many processors.
    """

    tasks: tuple[Task, ...]
    processors: int


def tasks_of(jobs: Workload, machine: int, processors: int | None = None) -> TaskSet:
    """Return one task for each job, by the thesis's method C.

    A job of q processors for e seconds becomes a task of ``q * e / Q``, Q being the mean of all q, and the
    machine has ``machine / Q`` processors, rounded. The load of a processor does not depend on Q: with
    `processors` given, Q is such that there are so many. F. Mendonca, thesis, 2017, section 3.4.

    Parameters
    ----------
    jobs : Workload
        Those of a window of a log; jobs that never ran are omitted.
    machine : int
        Processors of the log's machine.
    processors : int, optional
        Processors of the task set.
    """
    check_int(machine, "processors of the log")
    ran = jobs.run_time > 0
    if not ran.any():
        raise ValueError("tasks: no job of the log has a run time")
    sizes, times, submit = jobs.nodes[ran], jobs.run_time[ran], jobs.submit[ran]
    mean = float(sizes.mean())
    count = max(round(machine / mean), 1) if processors is None else check_int(processors, "processors")
    share = mean if processors is None else machine / count
    seconds = sizes * times / share
    made = zip(submit.tolist(), seconds.tolist(), strict=True)
    return TaskSet(tuple(Task(number, *parts) for number, parts in enumerate(made, 1)), count)


def windows(
    log: Workload, days: float, instances: int, machine: int, processors: int | None = None, seed: int = 0
) -> list[TaskSet]:
    """Return task sets of windows that begin at random times in a log; see `tasks_of`."""
    check_int(instances, "instances")
    if not 0 < days < float("inf"):
        raise ValueError(f"windows: {days:g} days, expected a number over 0")
    last = float(log.submit[-1]) - days * _DAY
    if last < log.submit[0]:
        span = (float(log.submit[-1]) - float(log.submit[0])) / _DAY
        raise ValueError(f"windows: {days:g} days, but the log has only {span:.1f}")
    share = min(1.0, days * _DAY / max(float(log.submit[-1] - log.submit[0]), 1.0))
    check_size(instances, _BYTES + int(_BYTES * len(log.submit) * share), "windows", "instances")
    sets = []
    for begin in np.random.default_rng(seed).uniform(float(log.submit[0]), last, instances):
        low = int(np.searchsorted(log.submit, begin, "left"))
        high = int(np.searchsorted(log.submit, begin + days * _DAY, "right"))
        sets.append(tasks_of(log[low:high], machine, processors))
    return sets
