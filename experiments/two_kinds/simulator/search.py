"""The shortest schedule that a dual approximation finds, by halving the interval of guesses."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp

from netplace.experiments.two_kinds.simulator.task_times import TaskTimes
from netplace.inputs import check_choice, check_int, check_size


@dataclass(frozen=True)
class Assignment:
    """A schedule without gaps; workers are ``C0``, .. (CPUs) and ``G0``, .. (GPUs)."""

    workers: tuple[str, ...]
    makespan: float


def _list_schedule(
    tasks: TaskTimes, cpus: int, gpus: int, on_cpus: NDArray[np.int64], on_gpus: NDArray[np.int64]
) -> Assignment:
    """Return a schedule in which tasks, in order, go to the least loaded (lowest) worker of their kind."""
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


Flags = NDArray[np.bool_]
_BYTES_PER_CELL = 40  # of the table that is being made, and of those that it is made from


def _least_cpu_time(
    tasks: TaskTimes, cpus: int, gpus: int, guess: float, must_gpu: Flags, must_cpu: Flags
) -> Flags | None:
    """Return which tasks go to GPUs such that the sum on CPUs is least, or None if there is no such choice.

    Bounds: the sum on GPUs is at most ``gpus * guess``; at most `cpus` tasks of over half the guess on CPUs,
    at most `gpus` of them on GPUs. Times on GPUs are rounded down to whole units of ``guess / (2 n)``: a
    choice within the bound always counts as such, and one that counts as such is over it by at most half a
    guess, which longest first makes up for. A table has ``2 n gpus`` units times the numbers of long tasks,
    so all take O(n² cpus gpus²).
    """
    count, gpus = len(tasks), min(gpus, len(tasks))  # more of them are never used
    units = 2 * count * gpus
    shape = min(cpus, count) + 1, gpus + 1, units + 1
    check_size(math.prod(shape), _BYTES_PER_CELL, "cells of a table", "knapsack")
    weights = np.floor(tasks.gpu * (2 * count / guess))
    table = np.full(shape, np.inf)
    table[0, 0, 0] = 0.0
    kept = []
    for row in range(count):
        on_cpu = _moved(table, int(tasks.cpu[row] > guess / 2), 0, 0) + tasks.cpu[row]
        weight = int(min(weights[row], units + 1))
        on_gpu = _moved(table, 0, int(tasks.gpu[row] > guess / 2), weight)
        if must_gpu[row]:
            on_cpu[:] = np.inf
        if must_cpu[row]:
            on_gpu[:] = np.inf
        takes = on_gpu < on_cpu
        kept.append(np.packbits(takes))
        table = np.where(takes, on_gpu, on_cpu)
    if not np.isfinite(table.min()):
        return None
    return _traced(tasks, guess, weights, kept, table)


def _moved(table: NDArray[np.float64], cpus: int, gpus: int, units: int) -> NDArray[np.float64]:
    """Return the table moved up by so many long tasks and units; what leaves it is lost."""
    moved = np.full_like(table, np.inf)
    a, b, c = table.shape
    if units < c:
        moved[cpus:, gpus:, units:] = table[: a - cpus, : b - gpus, : c - units]
    return moved


def _traced(
    tasks: TaskTimes,
    guess: float,
    weights: NDArray[np.float64],
    kept: list[NDArray[np.uint8]],
    table: NDArray[np.float64],
) -> Flags:
    """Return the choice that led to the least entry."""
    cell = list(np.unravel_index(int(np.argmin(table)), table.shape))
    chosen = np.zeros(len(tasks), np.bool_)
    for row in range(len(tasks) - 1, -1, -1):
        place = int(np.ravel_multi_index(tuple(cell), table.shape))
        chosen[row] = bool(kept[row][place // 8] >> (7 - place % 8) & 1)
        if chosen[row]:
            cell[1] -= int(tasks.gpu[row] > guess / 2)
            cell[2] -= int(weights[row])
        else:
            cell[0] -= int(tasks.cpu[row] > guess / 2)
    return chosen


# Steps of dual approximation: a schedule not much longer than a guess, or NO.
#
# NO (here None) proves that there is no schedule as short as the guess.


def greedy_step(tasks: TaskTimes, cpus: int, gpus: int, guess: float) -> Assignment | None:
    """Return a schedule of at most twice the guess, or None: then none is as short as the guess.

    Tasks that are too long for one kind go to the other; then those that gain most from a GPU go there while
    the sum on GPUs is less than ``gpus * guess``. F. Mendonca, thesis, 2017, section 2.3, proposition 1.
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
    return _list_schedule(tasks, cpus, gpus, order[~chosen[order]], order[chosen[order]])


def knapsack_step(tasks: TaskTimes, cpus: int, gpus: int, guess: float) -> Assignment | None:
    """Return a schedule of at most 3/2 of the guess, or None: then none is as short as the guess.

    The sum on CPUs is least under these bounds: a sum on GPUs of at most ``gpus * guess``, at most one task
    of over half the guess for each worker. Then the longest come first on both sides. After S. Kedad-Sidhoum
    et al., ICPP 2014, and R. Bleuse et al., Concurrency and Computation 27, 2015.
    """
    forced = _forced(tasks, guess)
    if forced is None:
        return None
    chosen = _least_cpu_time(tasks, cpus, gpus, guess, *forced)
    if chosen is None or tasks.cpu[~chosen].sum() > cpus * guess:
        return None
    on_cpus, on_gpus = np.flatnonzero(~chosen), np.flatnonzero(chosen)
    longest_first = (
        rows[np.argsort(-times[rows], kind="stable")]
        for rows, times in ((on_cpus, tasks.cpu), (on_gpus, tasks.gpu))
    )
    return _list_schedule(tasks, cpus, gpus, *longest_first)


def _forced(tasks: TaskTimes, guess: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
    """Return which tasks must go to GPUs, and which to CPUs; None if one fits on neither."""
    must_gpu, must_cpu = tasks.cpu > guess, tasks.gpu > guess
    return None if (must_gpu & must_cpu).any() else (must_gpu, must_cpu)


def optimum(tasks: TaskTimes, cpus: int, gpus: int, seconds: float = 60.0) -> float:
    """Return the least makespan, to the solver's tolerance, by SciPy's HiGHS."""
    workers = check_int(cpus, "CPUs") + check_int(gpus, "GPUs")
    count = len(tasks)
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


Step = Callable[[TaskTimes, int, int, float], Assignment | None]
# name: (step, how much longer than the guess it may be, one line for people)
STEPS: dict[str, tuple[Step, float, str]] = {
    "greedy": (greedy_step, 2.0, "what gains most from a GPU goes there: at most 2 times the optimum"),
    "knapsack": (knapsack_step, 1.5, "least sum on CPUs by dynamic programming: at most 3/2 of the optimum"),
}


@dataclass(frozen=True)
class SearchResult:
    """The shortest schedule met, seconds below which none can be, and the guesses tried."""

    assignment: Assignment
    lower_bound: float
    steps: int


def search(
    tasks: TaskTimes, cpus: int, gpus: int, step: str = "greedy", tolerance: float = 1e-6
) -> SearchResult:
    """Return the shortest schedule that steps of dual approximation find.

    Guesses lie between the longest of the shorter times of each task and the sum of them. The second is tried
    first, then the first, then the middle: NO raises the lower end, a schedule lowers the upper, until they
    differ by `tolerance` as a share of the upper one.
    """
    try_ = STEPS[check_choice(step, STEPS, "step")][0]
    check_int(cpus, "CPUs")
    check_int(gpus, "GPUs")
    if not 0 < tolerance < 1:
        raise ValueError(f"tolerance: {tolerance:g}, expected a number between 0 and 1")
    shorter = np.minimum(tasks.cpu, tasks.gpu)
    low, high = float(shorter.max()), float(shorter.sum())
    best = try_(tasks, cpus, gpus, high)
    assert best is not None, "the sum of the shorter times is always enough"
    steps = 2
    minimum = try_(tasks, cpus, gpus, low)
    if minimum is not None:
        best = min(best, minimum, key=_makespan)
        return SearchResult(best, low, steps)
    while high - low > tolerance * high:
        guess = (low + high) / 2
        if not low < guess < high:
            break
        made = try_(tasks, cpus, gpus, guess)
        steps += 1
        if made is None:
            low = guess
        else:
            high, best = guess, min(best, made, key=_makespan)
    return SearchResult(best, low, steps)


def _makespan(assignment: Assignment) -> float:
    return assignment.makespan
