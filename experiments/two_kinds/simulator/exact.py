"""The shortest schedule of few tasks, by mixed integer programming."""

from __future__ import annotations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from netplace.checks import check_int, check_size
from netplace.experiments.two_kinds.simulator.task_times import TaskTimes

__all__ = ["optimum"]


def optimum(tasks: TaskTimes, cpus: int, gpus: int, seconds: float = 60.0) -> float:
    """Return the least makespan, to the solver's tolerance, by SciPy's HiGHS.

    Parameters
    ----------
    tasks : TaskTimes
        The tasks: some dozens.
    cpus, gpus : int
        Workers, at least 1 of each.
    seconds : float
        Time limit of the solver.
    """
    workers = check_int(cpus, "CPUs") + check_int(gpus, "GPUs")
    count = len(tasks)
    check_size((workers + count) * (workers * count + 1), 16, "table entries", "optimum")
    times = np.concatenate([np.tile(tasks.cpu, (cpus, 1)), np.tile(tasks.gpu, (gpus, 1))])
    scale = float(np.minimum(tasks.cpu, tasks.gpu).sum())
    once = np.zeros((count, workers * count + 1))
    loads = np.zeros((workers, workers * count + 1))
    loads[:, -1] = -1
    for worker in range(workers):
        columns = slice(worker * count, (worker + 1) * count)
        once[:, columns] = np.eye(count)
        loads[worker, columns] = times[worker] / scale
    goal = np.zeros(workers * count + 1)
    goal[-1] = 1
    solved = milp(
        goal,
        integrality=np.append(np.ones(workers * count), 0),
        bounds=Bounds(0, np.append(np.ones(workers * count), np.inf)),
        constraints=[LinearConstraint(once, 1, 1), LinearConstraint(loads, -np.inf, 0)],
        options={"time_limit": seconds, "mip_rel_gap": 0},
    )
    if solved.status != 0:
        raise ValueError(f"optimum of {count} tasks on {workers} workers: not found in {seconds:g} s")
    # The makespan of the rounded choice: the solver's own may be off by its tolerance.
    placed = np.rint(solved.x[:-1]).reshape(workers, count)
    return float((placed * times).sum(axis=1).max())
