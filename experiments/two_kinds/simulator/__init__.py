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

from netplace.experiments.two_kinds.simulator.search import (
    STEPS,
    Assignment,
    greedy_step,
    knapsack_step,
    optimum,
    search,
)
from netplace.experiments.two_kinds.simulator.task_times import TaskTimes, query_times

__all__ = [
    "STEPS",
    "Assignment",
    "TaskTimes",
    "greedy_step",
    "knapsack_step",
    "master_slave",
    "optimum",
    "query_times",
    "search",
]


def master_slave(tasks: TaskTimes, cpus: int, gpus: int) -> Assignment:
    """Return the schedule of tasks that a master sends, in order, to the worker that has waited longest.

    Of workers that have waited equally long GPUs are first, then the lowest number.
    """
    names = [f"G{worker}" for worker in range(gpus)] + [f"C{worker}" for worker in range(cpus)]
    ends = [(0.0, place) for place in range(len(names))]  # a heap: the first to ask
    workers = []
    for gpu, cpu in zip(tasks.gpu.tolist(), tasks.cpu.tolist(), strict=True):
        moment, place = ends[0]
        heapq.heapreplace(ends, (moment + (gpu if place < gpus else cpu), place))
        workers.append(names[place])
    return Assignment(tuple(workers), max(ends)[0])
