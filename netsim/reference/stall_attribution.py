"""Stall attribution (docs/background/model.md, "Waiting"), cycle by cycle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from netplace.netsim.reference.fabric import Fabric, Observer
from netplace.netsim.reference.graphs import RoutedPacket
from netplace.netsim.reference.packets import Packet
from netplace.netsim.reference.router import Fifo, Link, Output


class StallAttribution(Observer):
    """Counts every cycle in which a head waits for the job to which it is charged (-1: open-loop traffic)."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._shape = shape[0], shape[1] + 1, 2
        self._crossing: dict[Link, int] = {}  # job whose packet moves a phit over each link in this cycle
        # Heads that may wait, their packets, the outputs for which they wait, and the jobs ahead of them.
        self._waiters: list[tuple[Fifo, Packet, Output, int]] = []
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

    def begins(self, fabric: Fabric, now: int) -> None:
        """Charge the cycles before `now` that were skipped because nothing moved."""
        if now > self._next:
            self._look(fifo for fifo in _heads(fabric) if fifo.head is not None or fifo.output is not None)
            self.ends(now - 1)

    def granted(self, fabric: Fabric) -> None:
        """Record the heads that may wait in this cycle."""
        self._look(_heads(fabric))

    def crosses(self, link: Link, packet: Packet) -> None:
        self._crossing[link] = packet.load.job

    def ends(self, now: int) -> None:
        """Charge the cycles up to `now` of the heads that did not move to the jobs that they waited for."""
        cycles = now + 1 - self._next
        self._next = now + 1
        for fifo, packet, output, held_by in self._waiters:
            if fifo.sent == 0 and fifo.packets and fifo.packets[0] is packet:  # its header has not moved
                culprit = held_by if output.link is None else self._crossing.get(output.link, held_by)
                self._count(output, packet.load.job, culprit, cycles)

    def counts(self, jobs: int) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        """Return cycles by jobs, and by links; open-loop traffic comes last."""
        cycles = np.zeros((jobs + 1, jobs + 1), np.int64)
        for place, count in self._charged.items():
            cycles[place] = count
        return cycles, self._links.copy(), int(cycles.sum())

    def _look(self, fifos: Iterable[Fifo]) -> None:
        self._crossing.clear()
        self._waiters = [(fifo, fifo.packets[0], *_obstacle(fifo)) for fifo in fifos]

    def _count(self, output: Output, job: int, culprit: int, cycles: int) -> None:
        self._charged[job, culprit] += cycles
        self._links[output.router.number, output.port, int(culprit != job)] += cycles
        if job == self._watching:
            self._watched[output.router.number, output.port, culprit] += cycles


def _heads(fabric: Fabric) -> list[Fifo]:
    """Return the FIFOs whose head waits for a grant, or is granted an output and has not begun to cross."""
    holders = [output.holder for link in fabric.busy for output in link.outputs]
    return [*fabric.waiting, *(fifo for fifo in holders if fifo is not None and fifo.sent == 0)]


def _obstacle(fifo: Fifo) -> tuple[Output, int]:
    """Return the output for which the head of a FIFO waits, and the job at the head beyond it."""
    output = fifo.output
    if output is None:
        assert fifo.head is not None
        output = fifo.head.candidates[0]
    if output.link is None:  # consumption, one packet at a time
        assert output.holder is not None
        return output, output.holder.packets[0].load.job
    if output.fifo is None or not output.fifo.packets:
        return output, fifo.packets[0].load.job
    ahead = output.fifo.packets[0]
    owned = not isinstance(ahead, RoutedPacket) or ahead.counted
    return output, ahead.load.job if owned else -1
