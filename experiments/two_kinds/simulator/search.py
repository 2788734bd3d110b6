"""The shortest schedule that a dual approximation finds, by halving the interval of guesses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from netplace.checks import check_choice, check_int, check_size
from netplace.experiments.two_kinds.simulator.assignment import Assignment
from netplace.experiments.two_kinds.simulator.packing import check_tables
from netplace.experiments.two_kinds.simulator.steps import greedy_step, knapsack_step
from netplace.experiments.two_kinds.simulator.task_times import TaskTimes

__all__ = ["STEPS", "SearchResult", "check_search", "search"]

Step = Callable[[TaskTimes, int, int, float], Assignment | None]

# name: (step, how much longer than the guess it may be, one line for people)
STEPS: dict[str, tuple[Step, float, str]] = {
    "greedy": (greedy_step, 2.0, "what gains most from a GPU goes there: at most 2 times the optimum"),
    "knapsack": (knapsack_step, 1.5, "least sum on CPUs by dynamic programming: at most 3/2 of the optimum"),
}


@dataclass(frozen=True)
class SearchResult:
    """What came of a search.

    Attributes
    ----------
    assignment : Assignment
        The shortest schedule met, the earliest of equals.
    lower_bound : float
        Seconds below which no schedule can be: the largest guess that got NO, or the least guess.
    steps : int
        Guesses tried.
    """

    assignment: Assignment
    lower_bound: float
    steps: int


def search(
    tasks: TaskTimes, cpus: int, gpus: int, step: str = "greedy", tolerance: float = 1e-6
) -> SearchResult:
    """Return the shortest schedule that steps of dual approximation find.

    Guesses lie between the longest of the shorter times of each task and the sum of them. The second is tried
    first, then the first, then the middle: NO raises the lower end, a schedule lowers the upper.

    Parameters
    ----------
    tasks : TaskTimes
        The tasks.
    cpus, gpus : int
        Workers, at least 1 of each.
    step : str
        Key of `STEPS`.
    tolerance : float
        The search ends when the ends are no further apart than this share of the upper one.
    """
    try_ = STEPS[check_choice(step, STEPS, "step")][0]
    check_search(len(tasks), cpus, gpus, step)
    if not 0 < tolerance < 1:
        raise ValueError(f"tolerance: {tolerance:g}, expected a number between 0 and 1")
    shorter = np.minimum(tasks.cpu, tasks.gpu)
    low, high = float(shorter.max()), float(shorter.sum())
    best = try_(tasks, cpus, gpus, high)
    assert best is not None, "the sum of the shorter times is always enough"
    steps = 2
    least = try_(tasks, cpus, gpus, low)
    if least is not None:
        best = min(best, least, key=_makespan)
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


def check_search(count: int, cpus: int, gpus: int, step: str) -> None:
    """Check before `count` tasks are made that a search among them can be held in memory."""
    check_size(check_int(cpus, "CPUs") + check_int(gpus, "GPUs"), 8, "workers", "CPUs and GPUs")
    if step == "knapsack":
        check_tables(count, cpus, gpus)


def _makespan(assignment: Assignment) -> float:
    return assignment.makespan
