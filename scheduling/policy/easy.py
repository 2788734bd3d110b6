"""EASY backfilling: jobs may overtake the head of the queue unless that would delay it."""

from __future__ import annotations

import math

import numpy as np

from netplace.scheduling.policy.asked import Machine, Running, Waiting
from netplace.scheduling.policy.expected import ExpectedEnds
from netplace.scheduling.policy.line import Kind, Line
from netplace.scheduling.policy.reservation import Reservation, reserve

__all__ = ["EasyQueue"]

_MANY = 64  # jobs: those of a kind that cannot start are taken out together, instead of passed one by one


class EasyQueue:
    """First come, first served, with a reservation for the head from the estimates.

    Behind a head that does not fit the others are tried in order. One starts if by its estimate it ends
    before the reservation, or if the head finds its place at that time all the same. One that may not is
    tried again when nodes have come free. A backfilled job that has outrun its estimate, and was not given a
    new one, is killed as soon as the head needs its nodes.

    D. Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995; A. Mu'alem and D. Feitelson, "Utilization,
    predictability, workloads, and user runtime estimates in scheduling the IBM SP2 with backfilling", IEEE
    TPDS 12(6), 2001.
    """

    def __init__(self) -> None:
        self._line = Line()
        self._ends = ExpectedEnds()
        # The reservation, what it was made for, and the place up to which the line has been tried under it.
        self._reservation: Reservation | None = None
        self._reserved: tuple[int, int] | None = None
        self._tried = 0

    def __len__(self) -> int:
        return len(self._line)

    def add(self, waiting: Waiting) -> None:
        """Take in a job, at its place by submission."""
        if self._line.compact():
            self._tried = 0  # places have changed
        self._line.add(waiting)

    def ended(self, running: Running) -> None:
        """Record an end."""
        self._ends.remove(running)

    def late(self, running: Running, expected_end: float) -> None:
        """Expect a job longer; the reservation must be made again."""
        self._ends.move(running, expected_end)
        self._reserved = None

    def head(self) -> Waiting | None:
        """Return the first of the queue."""
        return self._line.head()

    def foreseen(self) -> list[tuple[float, int]]:
        """Return the reservation of the head, with the nodes that it needs."""
        head, reservation = self._line.head(), self._reservation
        if head is None or reservation is None or self._reserved is None or self._reserved[1] != head.row:
            return []
        if reservation.time == math.inf:
            return []
        return [(reservation.time, head.job.nodes)]

    def advance(self, machine: Machine) -> None:
        """Start heads as long as they fit, then others that do not delay the head."""
        while (head := self._line.head()) is not None:
            if self._reserved != (machine.releases, head.row):
                if self._start_head(head, machine):
                    continue
                self._reserve(head, machine)
            assert self._reservation is not None
            if self._reservation.time <= machine.now and self._clear(head, machine):
                continue
            break
        if len(self._line) > 1 and machine.partitioner.free:
            self._backfill(machine)

    def _start_head(self, head: Waiting, machine: Machine) -> bool:
        partitioner = machine.partitioner
        allocation = partitioner.find(head.job) if head.job.nodes <= partitioner.free else None
        if allocation is None:
            return False
        self._line.remove_head()
        self._ends.add(machine.start(head, allocation))
        return True

    def _reserve(self, head: Waiting, machine: Machine) -> None:
        if self._reservation is not None:
            self._reservation.close(machine)
        self._reservation = self._reservation_of(head, machine)
        self._reserved = machine.releases, head.row
        self._tried = 0
        if head.promised != head.promised and self._reservation.time < math.inf:
            head.promised = self._reservation.time

    def _reservation_of(self, head: Waiting, machine: Machine) -> Reservation:
        return reserve(head, self._ends, machine)

    def _backfill(self, machine: Machine) -> None:
        """Try the jobs behind the head in order."""
        line, partitioner, reservation = self._line, machine.partitioner, self._reservation
        assert reservation is not None
        left = reservation.time - machine.now if reservation.time < math.inf else -math.inf
        begin = max(self._tried, line.behind_head())
        failed = set[Kind]()
        refused = set[Kind]()  # they find the same place until another job has started
        fitting = line.fitting(begin, partitioner.free, left, reservation.spare)
        rest, at = fitting, 0
        while at < len(rest):
            place = int(rest[at])
            at += 1
            waiting = line.at(place)
            job = waiting.job
            kind = job.nodes, job.application, job.intensity
            if job.nodes > partitioner.free or kind in failed:
                continue
            end = machine.now + waiting.estimate
            if end > reservation.time and (kind in refused or job.nodes > reservation.spare):
                continue
            allocation = partitioner.find(job)
            if allocation is None:
                failed.add(kind)
                in_time = -math.inf
            elif reservation.admits(allocation, end):
                line.remove(place)
                self._ends.add(machine.start(waiting, allocation, backfilled=True))
                refused.clear()
                if not partitioner.free:
                    break
                rest, at = fitting[np.searchsorted(fitting, place) + 1 :], 0
                continue
            else:
                refused.add(kind)
                in_time = reservation.time
            if len(rest) - at > _MANY:
                rest, at = line.unlike(rest[at:], place, machine.now, in_time), 0
        self._tried = line.end()

    def _clear(self, head: Waiting, machine: Machine) -> bool:
        """Kill backfilled jobs past their estimates, last started first, if that makes room for the head."""
        # What began in this very instant, and takes no time, has not had its end yet.
        overdue = [
            running
            for running in self._ends
            if running.expected_end <= machine.now and running.start < machine.now
        ]
        if not overdue:
            return False
        overdue.sort(key=lambda running: -running.order)
        trial = machine.trial()
        for count, running in enumerate(overdue, 1):
            trial.release(running.allocation)
            if head.job.nodes <= trial.free and trial.find(head.job) is not None:
                for victim in overdue[:count]:
                    machine.kill(victim)
                break
        machine.spent(trial)
        return self._reserved != (machine.releases, head.row)
