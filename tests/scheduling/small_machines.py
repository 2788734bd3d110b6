"""Partitioners, jobs and a slow scheduler for the tests of policies; written apart from the package."""

import numpy as np
from hypothesis import strategies as st

from netplace.scheduling import Allocation, Job

NODES = 8


class Row:
    """Nodes in a row. A job gets the first interval that is free, or just the first free nodes."""

    def __init__(self, nodes: int = NODES, contiguous: bool = False):
        self.held = np.zeros(nodes, bool)
        self.by_count = not contiguous
        self.searches = self.visited = 0

    @property
    def free(self) -> int:
        return int((~self.held).sum())

    def find(self, job: Job) -> Allocation | None:
        self.searches += 1
        if self.by_count:
            nodes = np.flatnonzero(~self.held)[: job.nodes]
            return Allocation(nodes) if len(nodes) == job.nodes else None
        for base in range(len(self.held) - job.nodes + 1):
            self.visited += 1
            if not self.held[base : base + job.nodes].any():
                return Allocation(np.arange(base, base + job.nodes), (job.nodes,))
        return None

    def take(self, allocation: Allocation) -> None:
        assert not self.held[allocation.nodes].any(), "nodes held twice"
        self.held[allocation.nodes] = True

    def release(self, allocation: Allocation) -> None:
        assert self.held[allocation.nodes].all(), "nodes released that were free"
        self.held[allocation.nodes] = False

    def copy(self) -> "Row":
        twin = Row(len(self.held), not self.by_count)
        twin.held = self.held.copy()
        return twin


@st.composite
def workloads(draw, late: bool = False, most: int = 14, nodes: int = NODES) -> list[Job]:
    """Return few jobs with whole times, so that many things happen at once.

    Estimates are exact or too long; with `late` they may be too short too.
    """
    jobs, submit = [], 0
    for number in range(draw(st.integers(1, most))):
        submit += draw(st.integers(0, 6))
        run_time = draw(st.integers(0, 12))
        least = 1 if late else max(run_time, 1)
        estimate = draw(st.integers(least, least + 10))
        jobs.append(Job(number, submit, draw(st.integers(1, nodes)), run_time, estimate))
    return jobs


def brute_easy(jobs: list[Job], nodes: int, contiguous: bool) -> tuple[dict[int, float], dict[int, float]]:
    """Return the starts of jobs under EASY, and the first reservation of each that was a blocked head.

    Second by second, with sets of nodes, everything worked out anew each time. Estimates must hold.
    """

    def place(job: Job, held: set[int]) -> set[int] | None:
        free = [node for node in range(nodes) if node not in held]
        if not contiguous:
            return set(free[: job.nodes]) if len(free) >= job.nodes else None
        for base in range(nodes - job.nodes + 1):
            wanted = set(range(base, base + job.nodes))
            if not wanted & held:
                return wanted
        return None

    def held_at(time: float, running: dict[Job, tuple[float, set[int]]]) -> set[int]:
        return {
            node
            for job, (start, where) in running.items()
            if start + (job.estimate or 0) > time
            for node in where
        }

    starts: dict[int, float] = {}
    promises: dict[int, float] = {}
    running: dict[Job, tuple[float, set[int]]] = {}
    refused: set[Job] = set()  # not tried again before nodes come free
    waiting = [job for job in jobs if job.nodes <= nodes]
    now = 0
    while waiting:
        again = True
        while again:  # jobs that take no time end before the next pass of the same instant
            again = False
            left = {job: at for job, at in running.items() if at[0] + job.run_time > now}
            if len(left) < len(running):
                refused.clear()
            running = left
            held = {node for _, where in running.values() for node in where}
            here = [job for job in waiting if job.submit <= now]
            while here and (where := place(here[0], held)) is not None:
                head = here.pop(0)
                running[head], starts[head.number] = (now, where), now
                held |= where
                waiting.remove(head)
                again = again or head.run_time == 0
            if not here:
                continue
            head = here[0]
            ends = sorted(start + (job.estimate or 0) for job, (start, _) in running.items())
            shadow = next(time for time in ends if place(head, held_at(time, running)) is not None)
            promises.setdefault(head.number, shadow)
            for job in here[1:]:
                if job in refused:
                    continue
                refused.add(job)
                where = place(job, held)
                if where is None:
                    continue
                tried = {**running, job: (now, where)}
                if place(head, held_at(shadow, tried)) is not None:
                    running, starts[job.number] = tried, now
                    held |= where
                    waiting.remove(job)
                    again = again or job.run_time == 0
        now += 1
    return starts, promises
