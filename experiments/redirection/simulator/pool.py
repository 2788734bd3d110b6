"""Processors with one common queue or a queue each, and what runs on them."""

from __future__ import annotations

import heapq
from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass

from netplace.experiments.redirection.simulator.policies import TaskPolicy
from netplace.experiments.redirection.simulator.task import Ran, Task

__all__ = ["Pool", "Running"]


@dataclass(slots=True, eq=False)
class Running:
    """A task on a processor.

    Attributes
    ----------
    row : int
        Which task.
    processor : int
        Where.
    start, end : float
        When this stretch began, and when the task is to complete.
    delayed : int
        Tasks counted that it delays.
    """

    row: int
    processor: int
    start: float
    end: float
    delayed: int = 0


class Pool:
    """Processors that share a policy; queues are kept in the order of the policy's key, then of the tasks.

    Parameters
    ----------
    tasks : sequence of Task
        All tasks.
    first, last : int
        Processors `first` to `last` - 1.
    policy : TaskPolicy
        The rule.
    dedicated : bool
        Whether it is for tasks that were redirected; nothing leaves it.
    threshold : int
        Delayed tasks at which a running one is redirected.
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
        self._running: dict[int, Running] = {}
        common: list[tuple[float, int]] = []
        self._queues = {i: common if policy.common else list[tuple[float, int]]() for i in self._processors}
        self._ends: list[tuple[float, int, int, Running]] = []
        self._started = 0

    def next_end(self) -> float:
        """Return when the next task completes; infinity if none runs."""
        while self._ends and self._running.get(self._ends[0][1]) is not self._ends[0][3]:
            heapq.heappop(self._ends)
        return self._ends[0][0] if self._ends else float("inf")

    def complete(self, now: float) -> list[tuple[int, Ran]]:
        """Take out the tasks that complete now; return their rows and what came of them."""
        completed = []
        while self.next_end() <= now:
            _, processor, _, running = heapq.heappop(self._ends)
            del self._running[processor]
            task = self._tasks[running.row]
            completed.append((running.row, Ran(task, running.start, running.end, processor, self._dedicated)))
        return completed

    def arrive(self, row: int, now: float) -> Running | None:
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
        running = self._running[processor] = Running(row, processor, now, now + seconds)
        self._started += 1
        heapq.heappush(self._ends, (running.end, processor, self._started, running))

    def _longest(self, now: float) -> Running | None:
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
