"""Sequential tasks on processors: queues, and redirection of long tasks.

F. Mendonca, "Multi-purpose efficient resource allocation for parallel systems", thesis, Université Grenoble
Alpes, 2017, chapter 3; Lucarelli, Mendonca and Trystram, CCGRID 2017.

Examples
--------
>>> from netplace.experiments.redirection.simulator import Task, run_tasks, task_figures
>>> tasks = [Task(1, 0, 20), *(Task(n, n - 1, 1) for n in range(2, 22))]
>>> for policy in ("SPT", "SRPT"):
...     print(policy, task_figures(run_tasks(tasks, 1, policy)).sum_flow)
SPT 420.0
SRPT 60.0
"""

from __future__ import annotations

from netplace.experiments.redirection.simulator.run import run_tasks
from netplace.experiments.redirection.simulator.tasks import (
    METHODS,
    TASK_FIGURES,
    TASK_POLICIES,
    Ran,
    Task,
    TaskFigures,
    TaskPolicy,
    TaskSet,
    task_figures,
    tasks_of,
    windows,
)

__all__ = [
    "METHODS",
    "TASK_FIGURES",
    "TASK_POLICIES",
    "Ran",
    "Task",
    "TaskFigures",
    "TaskPolicy",
    "TaskSet",
    "run_tasks",
    "task_figures",
    "tasks_of",
    "windows",
]
