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
from netplace.inputs import check_choice, check_float

__all__ = [
    "MASTERS",
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

MASTERS = {
    "assigned": "the master sends each worker the tasks that a search assigned to it, in their order",
    "on demand": "the master sends the next task to the worker that waits longest",
}


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


def master_slave(
    tasks: TaskTimes,
    cpus: int,
    gpus: int,
    mode: str = "on demand",
    assignment: Assignment | None = None,
    message: float = 0.0,
) -> Assignment:
    """Return the schedule of tasks that a master sends to workers one by one, `message` seconds each.

    A worker asks for a task when it has none, and works when the message with the task has come. Requests are
    answered in the order of their times; of equal ones GPUs are first, then the lowest number.
    """
    check_choice(mode, MASTERS, "master")
    check_float(message, "message", 0, 1e12)
    if (mode == "assigned") != (assignment is not None):
        raise ValueError(f"master {mode}: an assignment is for the mode assigned, which needs one")
    names = [f"G{worker}" for worker in range(gpus)] + [f"C{worker}" for worker in range(cpus)]
    if not names:
        raise ValueError("master: there are no workers, expected at least one")
    line = list(range(len(tasks)))
    queues = dict.fromkeys(names, line)
    if assignment is not None:
        queues = {name: [at for at in line if assignment.workers[at] == name] for name in names}
    sent = dict.fromkeys(names, 0)
    done, workers, idle, makespan = 0, [""] * len(tasks), 0.0, 0.0
    requests = [(0.0, place) for place in range(len(names))]
    while requests:
        asked, place = heapq.heappop(requests)
        name = names[place]
        at = done if mode == "on demand" else sent[name]
        if at == len(queues[name]):
            continue
        task = queues[name][at]
        done, sent[name] = done + 1, sent[name] + 1
        idle = max(idle, asked) + message
        end = idle + float((tasks.gpu if name[0] == "G" else tasks.cpu)[task])
        workers[task], makespan = name, max(makespan, end)
        heapq.heappush(requests, (end, place))
    return Assignment(tuple(workers), makespan)
