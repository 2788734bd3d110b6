"""The knapsack of the 3/2-approximation, by dynamic programming."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from netplace.checks import check_size
from netplace.experiments.two_kinds.simulator.task_times import TaskTimes

__all__ = ["check_tables", "least_cpu_time"]

Flags = NDArray[np.bool_]
_BYTES_PER_CELL = 40  # of the table that is being made, and of those that it is made from
_MOST_CELLS = 2e10  # of all tables together; a bit each is kept


def least_cpu_time(
    tasks: TaskTimes, cpus: int, gpus: int, guess: float, must_gpu: Flags, must_cpu: Flags
) -> Flags | None:
    """Return which tasks go to GPUs such that the sum on CPUs is least, or None if there is no such choice.

    Bounds: the sum on GPUs is at most ``gpus * guess``; at most `cpus` tasks of over half the guess on
    CPUs, at most `gpus` of them on GPUs. Times on GPUs are rounded down to whole units of ``guess / (2
    n)``: a choice within the bound always counts as such, and one that counts as such is over it by at most
    half a guess, which longest first makes up for. A table has ``2 n gpus`` units times the numbers of long
    tasks, so all take O(n² cpus gpus²).
    """
    count, gpus = len(tasks), min(gpus, len(tasks))  # more of them are never used
    shape = check_tables(count, cpus, gpus)
    units = shape[2] - 1
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


def check_tables(count: int, cpus: int, gpus: int) -> tuple[int, int, int]:
    """Return the shape of a table."""
    shape = min(cpus, count) + 1, min(gpus, count) + 1, 2 * count * min(gpus, count) + 1
    cells = count * math.prod(shape)
    if cells > _MOST_CELLS:
        raise ValueError(
            f"knapsack: {count:,} tasks on {cpus} CPUs and {gpus} GPUs are too many for its tables, "
            "expected fewer, or the greedy step"
        )
    check_size(-(-cells // 8) + _BYTES_PER_CELL * math.prod(shape), 1, "bytes of tables", "knapsack")
    return shape


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
