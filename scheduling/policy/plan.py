"""The nodes of each job over time, by the estimates: plans with a reservation for every job."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from netplace.scheduling.partitioner.allocation import Allocation, Partitioner
from netplace.scheduling.policy.asked import Machine, Running, Waiting


def planned_end(begin: float, seconds: float) -> float:
    """Return when work planned at `begin` ends; work of no length holds its nodes at its instant."""
    return max(begin + seconds, math.nextafter(begin, math.inf))


class Profile:
    """A step function: the number of free nodes from each of its times on."""

    def __init__(self, nodes: int) -> None:
        self._times = [-math.inf]
        self._free = [nodes]

    def change(self, begin: float, end: float, nodes: int) -> None:
        if begin >= end:
            return
        first, last = self._step(begin), self._step(end)
        for place in range(first, last):
            self._free[place] += nodes

    def earliest(self, nodes: int, seconds: float, now: float) -> float:
        times, free = self._times, self._free
        start = now
        place = bisect_right(times, now) - 1
        while place < len(times) and (place == len(times) - 1 or times[place] < planned_end(start, seconds)):
            if free[place] < nodes:
                if place + 1 == len(times):
                    return math.inf
                start = times[place + 1]
            elif place == len(times) - 1:
                break
            place += 1
        return start

    def fits(self, nodes: int, seconds: float, now: float) -> bool:
        first = bisect_right(self._times, now) - 1
        last = max(bisect_left(self._times, planned_end(now, seconds)), first + 1)
        return min(self._free[first:last]) >= nodes

    def forget(self, now: float) -> None:
        passed = bisect_right(self._times, now) - 1
        if passed > 32:
            del self._times[:passed], self._free[:passed]

    def _step(self, time: float) -> int:
        """Return the place of the step at `time`, made if there is none; behind the last for infinity."""
        if time == math.inf:
            return len(self._times)
        place = bisect_left(self._times, time)
        if place == len(self._times) or self._times[place] != time:
            self._times.insert(place, time)
            self._free.insert(place, self._free[place - 1])
        return place


@dataclass(frozen=True, slots=True, eq=False)
class Booking:
    """The reservation of a job."""

    waiting: Waiting  # whose it is
    start: float  # when it starts; infinity: the estimates do not say it
    allocation: Allocation | None = None  # the nodes, where it matters which

    @property
    def end(self) -> float:
        return planned_end(self.start, self.waiting.estimate)


class Plan(Protocol):
    """The nodes of running jobs and of reservations over time."""

    def started(self, running: Running, now: float) -> None:
        """Hold the nodes of a job until its expected end."""

    def ended(self, running: Running, now: float) -> None:
        """Free the nodes of a job from now on."""

    def book(self, booking: Booking) -> None:
        """Hold the nodes of a reservation, unless its start is unknown."""

    def cancel(self, booking: Booking) -> None:
        """Undo `book`."""

    def earliest(self, waiting: Waiting, machine: Machine) -> Booking:
        """Return the earliest reservation from now on; it is not held yet."""

    def at_once(self, waiting: Waiting, machine: Machine) -> Allocation | None:
        """Return the nodes of a job that starts now, or None."""


class CountPlan:
    """A plan of numbers of nodes, for partitioners that need no more."""

    def __init__(self, nodes: int) -> None:
        self._profile = Profile(nodes)

    def started(self, running: Running, now: float) -> None:
        self._profile.change(now, _end(running), -len(running.allocation.nodes))

    def ended(self, running: Running, now: float) -> None:
        self._profile.change(now, _end(running), len(running.allocation.nodes))

    def book(self, booking: Booking) -> None:
        if booking.start < math.inf:
            self._profile.change(booking.start, booking.end, -booking.waiting.job.nodes)

    def cancel(self, booking: Booking) -> None:
        if booking.start < math.inf:
            self._profile.change(booking.start, booking.end, booking.waiting.job.nodes)

    def earliest(self, waiting: Waiting, machine: Machine) -> Booking:
        self._profile.forget(machine.now)
        start = self._profile.earliest(waiting.job.nodes, waiting.estimate, machine.now)
        return Booking(waiting, start)

    def at_once(self, waiting: Waiting, machine: Machine) -> Allocation | None:
        nodes = waiting.job.nodes
        if nodes > machine.partitioner.free or not self._profile.fits(nodes, waiting.estimate, machine.now):
            return None
        return machine.partitioner.find(waiting.job)


class PlacePlan:
    """A plan of places: every reservation names its nodes.

    A job is booked at the first instant at which the partitioner finds a place for it that no later
    reservation crosses. A place that the partitioner did not propose is not looked for, so a reservation can
    be later than it might be; it is never broken.
    """

    def __init__(self) -> None:
        self._running: dict[int, Running] = {}
        self._bookings: dict[int, Booking] = {}

    def started(self, running: Running, now: float) -> None:
        self._running[running.order] = running

    def ended(self, running: Running, now: float) -> None:
        self._running.pop(running.order, None)

    def book(self, booking: Booking) -> None:
        if booking.start < math.inf:
            self._bookings[booking.waiting.row] = booking

    def cancel(self, booking: Booking) -> None:
        self._bookings.pop(booking.waiting.row, None)

    def earliest(self, waiting: Waiting, machine: Machine) -> Booking:
        trial, job = machine.trial(), waiting.job
        booking = Booking(waiting, math.inf)
        for time, (leaving, coming) in self._events(machine.now):
            for allocation in leaving:
                trial.release(allocation)
            for allocation in coming:
                trial.take(allocation)
            allocation_now = trial.find(job) if job.nodes <= trial.free else None
            if allocation_now is not None and not self._crossed(
                allocation_now, time, planned_end(time, waiting.estimate)
            ):
                booking = Booking(waiting, time, allocation_now)
                break
        machine.spent(trial)
        return booking

    def at_once(self, waiting: Waiting, machine: Machine) -> Allocation | None:
        job, now = waiting.job, machine.now
        allocation = machine.partitioner.find(job) if job.nodes <= machine.partitioner.free else None
        if allocation is None or self._crossed(allocation, now, planned_end(now, waiting.estimate)):
            return None
        return allocation

    def _events(self, now: float) -> Iterable[tuple[float, tuple[list[Allocation], list[Allocation]]]]:
        """Return all times from `now` on at which nodes are let go or taken, with these nodes."""
        events: dict[float, tuple[list[Allocation], list[Allocation]]] = defaultdict(lambda: ([], []))
        events[now]  # nothing changes, but it is a time to start
        for running in self._running.values():
            events[_end(running)][0].append(running.allocation)
        for booking in self._bookings.values():
            assert booking.allocation is not None
            events[booking.start][1].append(booking.allocation)
            events[booking.end][0].append(booking.allocation)
        events.pop(math.inf, None)
        return sorted(events.items())

    def _crossed(self, allocation: Allocation, begin: float, end: float) -> bool:
        """Return whether a reservation that starts in between needs one of the nodes."""
        return any(
            begin < booking.start < end and np.isin(allocation.nodes, booking.allocation.nodes).any()
            for booking in self._bookings.values()
            if booking.allocation is not None
        )


class WindowPlan(PlacePlan):
    """A plan of places: the partitioner chooses among the nodes that are free during all of the estimate.

    So a reservation is the earliest at which the partitioner gives the job any nodes at all. F. Mendonca,
    "Multi-purpose efficient resource allocation for parallel systems", thesis, Université Grenoble Alpes,
    2017, algorithm 1.
    """

    def earliest(self, waiting: Waiting, machine: Machine) -> Booking:
        trial, held = machine.trial(), self._held()
        booking = Booking(waiting, math.inf)
        for time, (leaving, coming) in self._events(machine.now):
            for allocation in leaving:
                trial.release(allocation)
                held.difference_update(allocation.nodes.tolist())
            for allocation in coming:
                trial.take(allocation)
                held.update(allocation.nodes.tolist())
            if waiting.job.nodes <= trial.free:
                allocation_then = self._during(trial, held, waiting, time)
                if allocation_then is not None:
                    booking = Booking(waiting, time, allocation_then)
                    break
        machine.spent(trial)
        return booking

    def at_once(self, waiting: Waiting, machine: Machine) -> Allocation | None:
        if waiting.job.nodes > machine.partitioner.free:
            return None
        trial = machine.trial()
        allocation = self._during(trial, self._held(), waiting, machine.now)
        machine.spent(trial)
        return allocation

    def _held(self) -> set[int]:
        return {node for running in self._running.values() for node in running.allocation.nodes.tolist()}

    def _during(
        self, trial: Partitioner, held: set[int], waiting: Waiting, begin: float
    ) -> Allocation | None:
        """Return nodes for a job among those that are free from `begin` on until it ends."""
        end = planned_end(begin, waiting.estimate)
        ahead: dict[int, Allocation] = {}
        for booking in self._bookings.values():
            if begin < booking.start < end and booking.allocation is not None:
                ahead |= _one_by_one(booking.allocation)
        kept = [allocation for node, allocation in ahead.items() if node not in held]
        for allocation in kept:
            trial.take(allocation)
        chosen = trial.find(waiting.job) if waiting.job.nodes <= trial.free else None
        for allocation in kept:
            trial.release(allocation)
        return chosen


def _end(running: Running) -> float:
    """Return until when a running job holds its nodes by the plan."""
    return max(running.expected_end, planned_end(running.start, 0.0))


def _one_by_one(allocation: Allocation) -> dict[int, Allocation]:
    """Return an allocation of each single node, boxes where `allocation` is one."""
    shape = None if allocation.shape is None else (1,) * len(allocation.shape)
    return {node: Allocation(np.array([node]), shape) for node in allocation.nodes.tolist()}


def make_plan(machine: Machine, running: Iterable[Running], windows: bool = False) -> Plan:
    """Return a plan that holds nothing but the running jobs; with `windows` a `WindowPlan`."""
    running = list(running)
    if windows:
        plan: Plan = WindowPlan()
    elif not machine.partitioner.by_count:
        plan = PlacePlan()
    else:
        plan = CountPlan(machine.partitioner.free + sum(len(job.allocation.nodes) for job in running))
    for job in running:
        plan.started(job, machine.now)
    return plan
