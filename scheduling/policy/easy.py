"""EASY backfilling: jobs may overtake the head of the queue unless that would delay it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from netplace.scheduling.partitioner.allocation import kind_of
from netplace.scheduling.policy.asked import Machine, Running, Waiting
from netplace.scheduling.policy.reservation import CountReservation, ExpectedEnds, Reservation, reserve

_Kind = tuple[int, str, int, int]  # what decides whether a job finds a place, as of `kind_of`
_GONE = np.iinfo(np.int64).max  # more nodes than any machine has: never a candidate


class _Line:
    """Waiting jobs by their rows; jobs may leave from anywhere."""

    def __init__(self) -> None:
        self._jobs: list[Waiting | None] = []
        self._nodes = np.empty(64, np.int64)
        self._estimates = np.empty(64)
        self._kinds = np.empty(64, np.int64)
        self._known: dict[_Kind, int] = {}  # number of each kind
        self.first = self._live = 0  # place of the head

    def __len__(self) -> int:
        return self._live

    def add(self, waiting: Waiting) -> None:
        last = next((job for job in reversed(self._jobs) if job is not None), None)
        if last is None or last.row < waiting.row:
            self._append(waiting)
        else:
            self._refill(sorted([*self.jobs(), waiting], key=lambda job: job.row))

    def head(self) -> Waiting | None:
        return self._jobs[self.first] if self._live else None

    def remove(self, place: int) -> None:
        """Take out the job at `place`, which stays a place until the next job is added."""
        self._jobs[place] = None
        self._nodes[place] = _GONE
        self._live -= 1
        while self.first < len(self._jobs) and self._jobs[self.first] is None:
            self.first += 1

    def end(self) -> int:
        return len(self._jobs)

    def at(self, place: int) -> Waiting:
        waiting = self._jobs[place]
        assert waiting is not None
        return waiting

    def jobs(self) -> list[Waiting]:
        return [job for job in self._jobs if job is not None]

    def fitting(self, begin: int, nodes: int, seconds: float, spare: int) -> NDArray[np.int64]:
        """Return the places from `begin` on of jobs that are small, and short or within the spare nodes."""
        sizes = self._nodes[begin : len(self._jobs)]
        fits = sizes <= spare
        fits |= self._estimates[begin : len(self._jobs)] <= seconds
        fits &= sizes <= nodes
        return np.flatnonzero(fits) + begin

    def unlike(self, places: NDArray[np.int64], place: int, now: float, time: float) -> NDArray[np.int64]:
        """Return those of `places` whose jobs are of another kind than that at `place`, or end by `time`."""
        alike = self._kinds[places] == self._kinds[place]
        return np.asarray(places[~alike | (now + self._estimates[places] <= time)])

    def compact(self) -> bool:
        """Close the gaps if they are many; places change then. Return whether they did."""
        if len(self._jobs) < 64 or self._live * 2 > len(self._jobs):
            return False
        self._refill(self.jobs())
        return True

    def _append(self, waiting: Waiting) -> None:
        place = len(self._jobs)
        if place == len(self._nodes):
            self._nodes = np.concatenate([self._nodes, np.empty_like(self._nodes)])
            self._estimates = np.concatenate([self._estimates, np.empty_like(self._estimates)])
            self._kinds = np.concatenate([self._kinds, np.empty_like(self._kinds)])
        self._jobs.append(waiting)
        job = waiting.job
        self._nodes[place], self._estimates[place] = job.nodes, waiting.estimate
        kind = job.nodes, job.program, job.tasks, job.queue
        self._kinds[place] = self._known.setdefault(kind, len(self._known))
        self._live += 1

    def _refill(self, jobs: list[Waiting]) -> None:
        self._jobs = []
        self.first = self._live = 0
        for waiting in jobs:
            self._append(waiting)


_MANY = 64  # jobs: those of a kind that cannot start are taken out together, instead of passed one by one


class EasyQueue:
    """First come, first served, with a reservation for the head from the estimates.

    Behind a head that does not fit, the others are tried in order. One starts if by its estimate it ends
    before the reservation, or if the head then still finds its place. One that may not is tried again when
    nodes have been released. A backfilled job that has exceeded its estimate, and was not given a new one, is
    killed as soon as the head needs its nodes.

    D. Lifka, JSSPP 1995; A. Mu'alem and D. Feitelson, IEEE TPDS 12(6), 2001.
    """

    def __init__(self) -> None:
        self._line = _Line()
        self._ends = ExpectedEnds()
        # The reservation, what it was made for, and the place up to which the line has been tried under it.
        self._reservation: Reservation | None = None
        self._reserved: tuple[int, int] | None = None
        self._tried = 0

    def __len__(self) -> int:
        return len(self._line)

    def add(self, waiting: Waiting) -> None:
        if self._line.compact():
            self._tried = 0  # places have changed
        self._line.add(waiting)

    def ended(self, running: Running) -> None:
        self._ends.remove(running)

    def late(self, running: Running, expected_end: float) -> None:
        self._ends.move(running, expected_end)
        self._reserved = None

    def head(self) -> Waiting | None:
        return self._line.head()

    def foreseen(self) -> list[tuple[float, int]]:
        head, reservation = self._line.head(), self._reservation
        if head is None or reservation is None or self._reserved is None or self._reserved[1] != head.row:
            return []
        if reservation.time == math.inf:
            return []
        return [(reservation.time, head.job.nodes)]

    def advance(self, machine: Machine) -> None:
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
        self._line.remove(self._line.first)
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
        line, partitioner, reservation = self._line, machine.partitioner, self._reservation
        assert reservation is not None
        left = reservation.time - machine.now if reservation.time < math.inf else -math.inf
        begin = max(self._tried, line.first + 1)
        failed = set[_Kind]()
        refused = set[_Kind]()  # they find the same place until another job has started
        fitting = line.fitting(begin, partitioner.free, left, reservation.spare)
        rest, at = fitting, 0
        while at < len(rest):
            place = int(rest[at])
            at += 1
            waiting = line.at(place)
            job = waiting.job
            kind = kind_of(job, partitioner)
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


class PatientEasyQueue(EasyQueue):
    """EASY backfilling whose reservation is for a number of nodes, not for a place.

    The reservation is the time at which enough nodes are free by the estimates, regardless of their place:
    now, if they are free but scattered. Jobs can pass if they end before that or leave enough nodes. As in
    `EasyQueue`, a job that has passed and exceeded its estimate is killed if that makes room for the head.

    A reading of J. A. Pascual, J. Navaridas, J. Miguel-Alonso, "Effects of topology-aware allocation policies
    on scheduling performance", JSSPP 2009, where an advanced job that outlives the reservation is killed and
    queued again; that the reservation is of a number of nodes is not said there, but inferred from results.
    """

    def _reservation_of(self, head: Waiting, machine: Machine) -> Reservation:
        return CountReservation(head, self._ends, machine)


class CountedEasyQueue(PatientEasyQueue):
    """A variant in which the head of the queue gets its place by force.

    If it finds no place at its time, jobs that have passed it and are in its way are killed and requeued:
    they are removed on trial, the last started first, until the head finds a place, and those on that place
    are killed. Jobs that started in their turn are not affected, and the head waits for them.
    """

    def __init__(self) -> None:
        super().__init__()
        self._in_vain: tuple[int, int] | None = None  # what clearing failed for

    def _clear(self, head: Waiting, machine: Machine) -> bool:
        """Kill jobs that have passed the head and are in its way, if that makes room for it."""
        if self._in_vain == (machine.releases, head.row):
            return False  # jobs started since then can only be more in the way
        victims = self._in_the_way(head, machine)
        for running in victims:
            machine.kill(running)
        if not victims:
            self._in_vain = machine.releases, head.row
        return bool(victims)

    def _in_the_way(self, head: Waiting, machine: Machine) -> list[Running]:
        """Return the jobs to be killed for the head, last started first; none if that does not help."""
        behind = (running for running in self._ends if running.backfilled and running.waiting.row > head.row)
        passed = sorted(behind, key=lambda running: -running.order)
        trial, place = machine.trial(), None
        for running in passed:
            trial.release(running.allocation)
            if head.job.nodes <= trial.free and (place := trial.find(head.job)) is not None:
                break
        machine.spent(trial)
        if place is None:
            return []
        return [running for running in passed if np.isin(running.allocation.nodes, place.nodes).any()]
