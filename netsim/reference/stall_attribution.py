"""Stall attribution (docs/background/model.md, "Waiting"), cycle by cycle."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from netplace.netsim.reference.messages import Owner
from netplace.netsim.reference.router import Fifo, Link, Output


class _Waiter:
    """A head that may wait in this cycle, the output that it waits for, and the job at the head beyond it."""

    def __init__(self, fifo: Fifo) -> None:
        self.fifo = fifo
        self.packet = fifo.packets[0]
        self.job = self.packet.load.job
        if fifo.output is not None:
            self.output = fifo.output
        else:
            assert fifo.head is not None
            self.output = fifo.head.candidates[0]
        beyond = self.output.fifo
        if self.output.link is None:  # consumption, one packet at a time
            assert self.output.holder is not None
            self.held_by = self.output.holder.packets[0].load.job
        elif beyond is not None and beyond.packets:
            ahead = beyond.packets[0]
            self.held_by = ahead.load.job if ahead.counted else None
        else:
            self.held_by = self.job

    @property
    def waits(self) -> bool:
        """Whether its header has not moved."""
        return self.fifo.sent == 0 and bool(self.fifo.packets) and self.fifo.packets[0] is self.packet


class StallAttribution:
    """Counts every cycle in which a head waits for the job to which it is charged."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._shape = shape[0], shape[1] + 1, 2
        self._crossing: dict[Link, Owner | None] = {}
        self._waiters: list[_Waiter] = []
        self._watching: int | None = None
        self._next = 0  # cycle to be charged
        self.reset()

    def reset(self) -> None:
        self._charged: Counter[tuple[int, int]] = Counter()
        self._links: NDArray[np.int64] = np.zeros(self._shape, np.int64)
        self._watched: Counter[tuple[int, int, int]] = Counter()

    def watch(self, number: int) -> None:
        """Count from now on the waiting of one job by link and by charged job."""
        self._watching = number
        self._watched.clear()

    def watched(self) -> tuple[NDArray[np.int64], list[int]]:
        """Return the waiting of the watched job, by router, port and column, and the job of each column."""
        jobs = sorted({job for _, _, job in self._watched})
        cycles = np.zeros((*self._shape[:2], len(jobs)), np.int64)
        for (router, port, job), count in self._watched.items():
            cycles[router, port, jobs.index(job)] = count
        return cycles, jobs

    def look(self, fifos: list[Fifo]) -> None:
        """Record the heads that may wait in this cycle, after grants and before any phit moves."""
        self._crossing.clear()
        self._waiters = [_Waiter(fifo) for fifo in fifos]

    def crosses(self, link: Link, job: Owner | None) -> None:
        """Record the job whose packet moves a phit over a link in this cycle."""
        self._crossing[link] = job

    def charge_up_to(self, now: int, fifos: list[Fifo]) -> None:
        """Charge the cycles before `now` that were skipped because nothing moved."""
        if now > self._next:
            self.look([fifo for fifo in fifos if fifo.head is not None or fifo.output is not None])
            self.charge(now - 1)

    def charge(self, now: int) -> None:
        """Charge the cycles up to `now` of the heads that did not move to the jobs that they waited for."""
        cycles = now + 1 - self._next
        self._next = now + 1
        for waiter in self._waiters:
            if waiter.waits:
                output = waiter.output
                culprit = waiter.held_by
                if output.link in self._crossing:
                    culprit = self._crossing[output.link]
                self._count(output, waiter.job, culprit, cycles)

    def _count(self, output: Output, job: Owner | None, culprit: Owner | None, cycles: int) -> None:
        self._charged[_number(job), _number(culprit)] += cycles
        self._links[output.router.number, output.port, int(culprit is not job)] += cycles
        if job is not None and job.number == self._watching:
            self._watched[output.router.number, output.port, _number(culprit)] += cycles

    def counts(self, jobs: int) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        """Return cycles by jobs, and by links; open-loop traffic comes last."""
        cycles = np.zeros((jobs + 1, jobs + 1), np.int64)
        for place, count in self._charged.items():
            cycles[place] = count
        return cycles, self._links.copy(), int(cycles.sum())


def _number(job: Owner | None) -> int:
    return -1 if job is None else job.number
