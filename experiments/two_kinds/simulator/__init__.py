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

from netplace.experiments.two_kinds.simulator.comparison import MASTERS, master_slave, smith_waterman
from netplace.experiments.two_kinds.simulator.search import (
    STEPS,
    Assignment,
    SearchResult,
    check_search,
    greedy_step,
    knapsack_step,
    optimum,
    search,
)
from netplace.experiments.two_kinds.simulator.task_times import TaskTimes, query_times, read_task_times

__all__ = [
    "MASTERS",
    "STEPS",
    "Assignment",
    "SearchResult",
    "TaskTimes",
    "check_search",
    "greedy_step",
    "knapsack_step",
    "master_slave",
    "optimum",
    "query_times",
    "read_task_times",
    "search",
    "smith_waterman",
]
