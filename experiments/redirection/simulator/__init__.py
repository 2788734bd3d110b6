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

import heapq
import math
from bisect import bisect_right, insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from netplace.experiments.redirection.simulator.tasks import (
    METHODS,
    TASK_FIGURES,
    TASK_POLICIES,
    Ran,
    Task,
    TaskFigures,
    TaskPolicy,
    task_figures,
    tasks_of,
    windows,
)
from netplace.inputs import check_choice

__all__ = [
    "METHODS",
    "TASK_FIGURES",
    "TASK_POLICIES",
    "Task",
    "TaskFigures",
    "run_tasks",
    "task_figures",
    "tasks_of",
    "windows",
]


@dataclass(slots=True, eq=False)
class _Running:
    row: int  # which task
    processor: int  # where
    # When this stretch began, and when the task is to complete.
    start: float
    end: float
    delayed: int = 0  # tasks counted that it delays


class _Pool:
    """Processors `first` to `last` - 1 that share a policy; nothing leaves a dedicated pool.

    Queues are kept in the order of the policy's key, then of the tasks.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        first: int,
        last: int,
        policy: TaskPolicy,
        dedicated: bool = False,
        threshold: int = 0,
    ) -> None:
        self._tasks, self._policy, self._dedicated = tasks, policy, dedicated
        self._threshold = threshold if policy.redirects == "delay" and not dedicated else 0
        self._processors = range(first, min(last, first + len(tasks)))  # of equals the first: more stay idle
        self._running: dict[int, _Running] = {}
        common: list[tuple[float, int]] = []
        self._queues = {i: common if policy.common else list[tuple[float, int]]() for i in self._processors}
        self._ends: list[tuple[float, int, int, _Running]] = []
        self._started = 0

    def next_end(self) -> float:
        """Return when the next task completes; infinity if none runs."""
        while self._ends and self._running.get(self._ends[0][1]) is not self._ends[0][3]:
            heapq.heappop(self._ends)
        return self._ends[0][0] if self._ends else float("inf")

    def complete(self, now: float) -> list[tuple[int, Ran]]:
        completed = []
        while self.next_end() <= now:
            _, processor, _, running = heapq.heappop(self._ends)
            del self._running[processor]
            task = self._tasks[running.row]
            completed.append((running.row, Ran(task, running.start, running.end, processor, self._dedicated)))
        return completed

    def arrive(self, row: int, now: float) -> _Running | None:
        """Take in a task; return a running one that it drove out, to be redirected."""
        policy, seconds = self._policy, self._tasks[row].seconds
        if policy.common:
            processor, running = self._processors[0], self._longest(now)
            idle = len(self._processors) - len(self._running)
            if policy.preemptive and len(self._queues[processor]) < idle:
                running = None
        else:
            processor = min(self._processors, key=lambda i: (self._added_flow(i, seconds, now), i))
            running = self._running.get(processor)
        left = running.end - now if running else 0.0
        if running and policy.preemptive and seconds <= left:
            del self._running[running.processor]
            insort(self._queues[processor], (left, running.row))
            self._start(row, running.processor, seconds, now)
            return None
        driven = None
        if running and self._threshold and seconds < left:
            running.delayed += 1
            if running.delayed == self._threshold:
                driven = self._running.pop(running.processor)
        key = self._tasks[row].release if policy.first_released else seconds
        insort(self._queues[processor], (key, row))
        return driven

    def start_idle(self, now: float) -> None:
        """Let idle processors, in order of number, take the first task of their queues."""
        if len(self._running) == len(self._processors):
            return
        for processor in self._processors:
            queue = self._queues[processor]
            if queue and processor not in self._running:
                key, row = queue.pop(0)
                seconds = self._tasks[row].seconds if self._policy.first_released else key
                self._start(row, processor, seconds, now)

    def _start(self, row: int, processor: int, seconds: float, now: float) -> None:
        running = self._running[processor] = _Running(row, processor, now, now + seconds)
        self._started += 1
        heapq.heappush(self._ends, (running.end, processor, self._started, running))

    def _longest(self, now: float) -> _Running | None:
        """Return the running task with the most remaining, on the first of such processors."""
        return max(
            self._running.values(), key=lambda running: (running.end, -running.processor), default=None
        )

    def _added_flow(self, processor: int, seconds: float, now: float) -> float:
        """Return by how much a task would raise the sum of flows in the queue of a processor."""
        queue, running = self._queues[processor], self._running.get(processor)
        left = running.end - now if running else 0.0
        shorter = bisect_right(queue, (seconds, len(self._tasks)))
        longer = len(queue) - shorter
        if running and seconds < left and self._policy.preemptive:
            return seconds + seconds * (longer + 1)
        before = sum([key for key, _ in queue[:shorter]])
        if running and seconds < left and running.delayed == self._threshold - 1:
            return before + seconds + seconds * longer - left * len(queue)
        return left + before + seconds + seconds * longer


def run_tasks(
    tasks: Sequence[Task],
    processors: int,
    policy: str,
    *,
    dedicated: int | None = None,
    threshold: int | None = None,
    b: float | None = None,
    c: float | None = None,
    draws: Iterable[float] | None = None,
    seed: int = 0,
) -> list[Ran]:
    """Return the runs of tasks, in order of release, on processors that run one at a time each.

    At an instant tasks complete; then those that arrive are dealt with one by one; then idle processors, in
    order of number, take the first of their queues. A task without a common queue goes, for good, to the
    processor where it raises the sum of flows least. Policies that redirect take the last `dedicated`
    processors; -RD the `threshold` of shorter tasks that arrive while one runs; -RR redirects a task of at
    least `b` times the longest so far with probability `c`, by `draws` or those of `seed`. F. Mendonca,
    thesis, Université Grenoble Alpes, 2017, chapter 3.
    """
    rule = TASK_POLICIES[check_choice(policy, TASK_POLICIES, "policy")]
    given = {"dedicated": dedicated, "threshold": threshold, "b": b, "c": c}
    for name, value in given.items():
        if (value is None) == (name in rule.parameters):
            raise ValueError(
                f"policy {policy}: {name} is {value}, expected "
                + (" and ".join(rule.parameters) if rule.parameters else "no parameters")
            )
    common = processors - (dedicated or 0)
    if common < 1:
        raise ValueError(
            f"policy {policy}: {dedicated} of {processors} processors are dedicated, none is left"
        )
    if any(first.release > second.release for first, second in pairwise(tasks)):
        raise ValueError("tasks: expected in order of release")
    pool = _Pool(tasks, 0, common, rule, threshold=threshold or 0)
    apart = _Pool(tasks, common, processors, rule, dedicated=True)
    chance = _Chance(b, c, _drawn(draws, seed)) if b is not None and c is not None else None
    return _run(tasks, pool, apart, chance)


def _run(tasks: Sequence[Task], pool: _Pool, apart: _Pool, chance: _Chance | None) -> list[Ran]:
    ran: dict[int, Ran] = {}
    arrived = 0
    while len(ran) < len(tasks):
        release = tasks[arrived].release if arrived < len(tasks) else math.inf
        now = min(release, pool.next_end(), apart.next_end())
        for side in (pool, apart):
            ran.update(side.complete(now))
        while arrived < len(tasks) and tasks[arrived].release <= now:
            if chance and chance.redirects(tasks[arrived].seconds):
                apart.arrive(arrived, now)
            elif (driven := pool.arrive(arrived, now)) is not None:
                apart.arrive(driven.row, now)
            arrived += 1
        for side in (pool, apart):
            side.start_idle(now)
    return [ran[row] for row in range(len(tasks))]


class _Chance:
    def __init__(self, b: float, c: float, draws: Iterator[float]) -> None:
        self._b, self._c, self._draws, self._longest = b, c, draws, 0.0

    def redirects(self, seconds: float) -> bool:
        """Draw for a task that is long beside the longest so far."""
        self._longest = max(self._longest, seconds)
        if seconds < self._b * self._longest:
            return False
        draw = next(self._draws, None)
        if draw is None:
            raise ValueError("draws: there are fewer than long tasks")
        return draw <= self._c


def _drawn(draws: Iterable[float] | None, seed: int) -> Iterator[float]:
    if draws is not None:
        yield from draws
        return
    rng = np.random.default_rng(seed)
    while True:
        yield float(rng.random())
