"""Steps of dual approximation: a schedule not much longer than a guess, or NO.

NO (here None) proves that there is no schedule as short as the guess.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.experiments.two_kinds.simulator.assignment import Assignment, list_schedule
from netplace.experiments.two_kinds.simulator.packing import least_cpu_time
from netplace.experiments.two_kinds.simulator.task_times import TaskTimes

__all__ = ["greedy_step", "knapsack_step"]


def greedy_step(tasks: TaskTimes, cpus: int, gpus: int, guess: float) -> Assignment | None:
    """Return a schedule of at most twice the guess, or None: then none is as short as the guess.

    Tasks that are too long for one kind go to the other; then those that gain most from a GPU go there while
    the sum on GPUs is less than ``gpus * guess``. F. Mendonca, thesis, 2017, section 2.3, proposition 1.

    Parameters
    ----------
    tasks : TaskTimes
        The tasks.
    cpus, gpus : int
        Workers, at least 1 of each.
    guess : float
        Seconds.
    """
    forced = _forced(tasks, guess)
    if forced is None:
        return None
    must_gpu, must_cpu = forced
    load = float(tasks.gpu[must_gpu].sum())
    if load > gpus * guess:
        return None
    order = tasks.by_gain
    free = order[~(must_gpu | must_cpu)[order]]
    before = np.cumsum(np.append(load, tasks.gpu[free]))[:-1]  # on GPUs, when it is a task's turn
    chosen = must_gpu.copy()
    chosen[free[before < gpus * guess]] = True
    if tasks.cpu[~chosen].sum() > cpus * guess:
        return None
    return list_schedule(tasks, cpus, gpus, order[~chosen[order]], order[chosen[order]])


def knapsack_step(tasks: TaskTimes, cpus: int, gpus: int, guess: float) -> Assignment | None:
    """Return a schedule of at most 3/2 of the guess, or None: then none is as short as the guess.

    The sum on CPUs is least under these bounds: a sum on GPUs of at most ``gpus * guess``, at most one task
    of over half the guess for each worker. Then the longest come first on both sides. After S.
    Kedad-Sidhoum et al., ICPP 2014, and R. Bleuse et al., Concurrency and Computation 27, 2015.

    Parameters
    ----------
    tasks, cpus, gpus, guess
        As in `greedy_step`.
    """
    forced = _forced(tasks, guess)
    if forced is None:
        return None
    chosen = least_cpu_time(tasks, cpus, gpus, guess, *forced)
    if chosen is None or tasks.cpu[~chosen].sum() > cpus * guess:
        return None
    on_cpus, on_gpus = np.flatnonzero(~chosen), np.flatnonzero(chosen)
    longest_first = (
        rows[np.argsort(-times[rows], kind="stable")]
        for rows, times in ((on_cpus, tasks.cpu), (on_gpus, tasks.gpu))
    )
    return list_schedule(tasks, cpus, gpus, *longest_first)


def _forced(tasks: TaskTimes, guess: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
    """Return which tasks must go to GPUs, and which to CPUs; None if one fits on neither."""
    must_gpu, must_cpu = tasks.cpu > guess, tasks.gpu > guess
    return None if (must_gpu & must_cpu).any() else (must_gpu, must_cpu)
