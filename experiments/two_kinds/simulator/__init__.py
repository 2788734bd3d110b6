"""Independent tasks on CPUs and GPUs, as short as possible: dual approximation.

Kedad-Sidhoum, Mendonca, Monna, Mounié and Trystram, ICPP 2014; F. Mendonca, "Multi-purpose efficient resource
allocation for parallel systems", thesis, Université Grenoble Alpes, 2017, chapter 2.

Examples
--------
>>> from netplace.experiments.two_kinds.simulator import TaskTimes, search
>>> tasks = TaskTimes.of(cpu=[18, 14, 33, 15], gpu=[5, 11, 6, 3])
>>> for step in ("greedy", "knapsack"):
...     result = search(tasks, cpus=1, gpus=1, step=step)
...     print(step, result.assignment.makespan, result.assignment.workers, round(result.lower_bound, 3))
greedy 25.0 ('G0', 'G0', 'G0', 'G0') 14.0
knapsack 14.0 ('G0', 'C0', 'G0', 'G0') 14.0
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence

from netplace.experiments.two_kinds.simulator.search import (
    STEPS,
    Assignment,
    SearchResult,
    greedy_step,
    knapsack_step,
    optimum,
    search,
)
from netplace.experiments.two_kinds.simulator.task_times import TaskTimes, query_times
from netplace.inputs import check_float

__all__ = [
    "STEPS",
    "Assignment",
    "SearchResult",
    "TaskTimes",
    "greedy_step",
    "knapsack_step",
    "master_slave",
    "optimum",
    "query_times",
    "search",
    "smith_waterman",
]


def smith_waterman(
    first: Sequence[object],
    second: Sequence[object],
    match: float = 5.0,
    mismatch: float = -4.0,
    gap_open: float = 10.0,
    gap_extend: float = 2.0,
) -> float:
    """Return the largest score of an alignment of a part of one sequence with a part of another.

    A gap of n residues costs ``gap_open + (n - 1) * gap_extend``. Gotoh's recurrences take one update for
    each of ``len(first) * len(second)`` cells. The score of empty parts is 0, which is the least.
    """
    for name, value in (("match", match), ("mismatch", mismatch)):
        check_float(value, name, -1e9, 1e9)
    check_float(gap_open, "gap_open", 0, 1e9)
    check_float(gap_extend, "gap_extend", 0, gap_open)
    best = 0.0
    # Of the row before: the best score that ends in a cell, and the best that ends there in a gap.
    above, gapped = [0.0] * (len(second) + 1), [-math.inf] * (len(second) + 1)
    for residue in first:
        row, across = [0.0], -math.inf
        for column, other in enumerate(second, 1):
            across = max(row[-1] - gap_open, across - gap_extend)
            gapped[column] = max(above[column] - gap_open, gapped[column] - gap_extend)
            paired = above[column - 1] + (match if residue == other else mismatch)
            row.append(max(0.0, paired, across, gapped[column]))
        above, best = row, max(best, *row)
    return best


def master_slave(tasks: TaskTimes, cpus: int, gpus: int) -> Assignment:
    """Return the schedule of tasks that a master sends, in order, to the worker that has waited longest.

    Of workers that have waited equally long GPUs are first, then the lowest number.
    """
    names = [f"G{worker}" for worker in range(gpus)] + [f"C{worker}" for worker in range(cpus)]
    ends = [(0.0, place) for place in range(len(names))]  # a heap: the first to ask
    workers = []
    for gpu, cpu in zip(tasks.gpu.tolist(), tasks.cpu.tolist(), strict=True):
        asked, place = ends[0]
        heapq.heapreplace(ends, (asked + (gpu if place < gpus else cpu), place))
        workers.append(names[place])
    return Assignment(tuple(workers), max(ends)[0])
