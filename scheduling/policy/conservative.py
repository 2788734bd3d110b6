"""Conservative backfilling: every job has a reservation, and none is delayed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from netplace.scheduling.partitioner.allocation import Allocation
from netplace.scheduling.policy.asked import Machine, Running, Waiting
from netplace.scheduling.policy.plan import Booking, Plan, make_plan


class ConservativeQueue:
    """A job is booked when it arrives, at the earliest time that disturbs no earlier reservation.

    When a job ends, the queue is examined in order of submission, and a job leaves its reservation only if it
    can start now. With `compress` all are booked again in that order when a job ends early, none later than
    before; without `moves_up` a job never leaves its reservation. `plan` makes the plan of the running jobs.
    Behind a job whose start does not follow from the estimates, none starts. When a job exceeds its estimate,
    all reservations are made again. In the plan a job lasts until the next float at least, so that one of
    length 0 needs its nodes as well.

    A. Mu'alem and D. Feitelson, IEEE TPDS 12(6), 2001.
    """

    def __init__(
        self,
        compress: bool = False,
        moves_up: bool = True,
        plan: Callable[[Machine, Iterable[Running]], Plan] = make_plan,
    ) -> None:
        self._compresses, self._moves_up, self._make_plan = compress, moves_up, plan
        self._plan: Plan | None = None
        self._running: dict[int, Running] = {}
        self._bookings: dict[int, Booking] = {}
        self._new: list[Waiting] = []
        self._freed: list[Running] = []
        self._late = False

    def __len__(self) -> int:
        return len(self._bookings) + len(self._new)

    def add(self, waiting: Waiting) -> None:
        self._new.append(waiting)

    def ended(self, running: Running) -> None:
        del self._running[running.order]
        self._freed.append(running)

    def late(self, running: Running, expected_end: float) -> None:
        running.expected_end = expected_end
        self._late = True

    def head(self) -> Waiting | None:
        first = next(iter(self._bookings.values()), None)
        return first.waiting if first else (self._new[0] if self._new else None)

    def foreseen(self) -> list[tuple[float, int]]:
        known = (booking for booking in self._bookings.values() if booking.start < math.inf)
        return [(booking.start, booking.waiting.job.nodes) for booking in known]

    def advance(self, machine: Machine) -> None:
        """Start the jobs whose time has come, move others up if that is possible, and book new ones."""
        if self._plan is None:
            self._plan = self._make_plan(machine, ())
        freed, early = bool(self._freed), any(running.expected_end > machine.now for running in self._freed)
        for running in self._freed:
            self._plan.ended(running, machine.now)
        self._freed.clear()
        if self._late:
            self._book_again(machine)
        self._start_due(machine)
        if early and self._compresses:
            self._compress(machine)
        elif freed and self._moves_up:
            self._move_up(machine)
        for waiting in self._new:
            self._take_in(waiting, machine)
        self._new.clear()
        while self._late:  # a job that has just started waits for its nodes to be switched on
            self._book_again(machine)
            self._start_due(machine)
        start = min((booking.start for booking in self._bookings.values()), default=math.inf)
        if start < math.inf:  # the sum of now and what is left may be rounded up
            on_time = machine.now + (start - machine.now) <= start
            machine.wake(start if on_time else math.nextafter(start, -math.inf))

    def _start_due(self, machine: Machine) -> None:
        due = [booking for booking in self._bookings.values() if booking.start <= machine.now]
        for booking in sorted(due, key=lambda booking: (booking.start, booking.waiting.row)):
            allocation = booking.allocation or machine.partitioner.find(booking.waiting.job)
            assert allocation is not None, "a plan that counts nodes has counted wrong"
            self._start(booking, allocation, machine)

    def _move_up(self, machine: Machine) -> None:
        assert self._plan is not None
        for booking in list(self._bookings.values()):
            if booking.start == math.inf:
                if self._take_in(booking.waiting, machine) == math.inf:
                    break
            elif booking.waiting.job.nodes <= machine.partitioner.free:
                self._plan.cancel(booking)
                allocation = self._plan.at_once(booking.waiting, machine)
                self._plan.book(booking)
                if allocation is not None:
                    self._start(booking, allocation, machine)

    def _compress(self, machine: Machine) -> None:
        assert self._plan is not None
        for booking in list(self._bookings.values()):
            if booking.waiting.row not in self._bookings:
                continue  # it has just started
            if booking.start == math.inf:
                if self._take_in(booking.waiting, machine) == math.inf:
                    break
                continue
            self._plan.cancel(booking)
            again = self._plan.earliest(booking.waiting, machine)
            # A partitioner may not propose the place that was booked.
            kept = again if again.start < booking.start else booking
            self._bookings[booking.waiting.row] = kept
            self._plan.book(kept)
            if kept.start <= machine.now:
                self._start_due(machine)

    def _take_in(self, waiting: Waiting, machine: Machine) -> float:
        """Book a job, start it if it can start now, and return its reservation."""
        booking = self._book(waiting, machine)
        if booking.start <= machine.now:
            self._start_due(machine)
        return booking.start

    def _book(self, waiting: Waiting, machine: Machine) -> Booking:
        assert self._plan is not None
        if any(other.start == math.inf and row < waiting.row for row, other in self._bookings.items()):
            # Nobody knows when that job starts, so any other could delay it.
            booking = Booking(waiting, math.inf)
        else:
            booking = self._plan.earliest(waiting, machine)
        if math.isnan(waiting.promised) and booking.start < math.inf:
            waiting.promised = booking.start
        self._bookings[waiting.row] = booking
        self._plan.book(booking)
        return booking

    def _start(self, booking: Booking, allocation: Allocation, machine: Machine) -> None:
        assert self._plan is not None
        overtakes = next(iter(self._bookings)) != booking.waiting.row
        del self._bookings[booking.waiting.row]
        self._plan.cancel(booking)
        running = machine.start(booking.waiting, allocation, backfilled=overtakes)
        self._running[running.order] = running
        self._plan.started(running, machine.now)
        self._late |= running.begin > machine.now

    def _book_again(self, machine: Machine) -> None:
        self._plan = self._make_plan(machine, self._running.values())
        self._late = False
        for booking in sorted(
            self._bookings.values(), key=lambda booking: (booking.start, booking.waiting.row)
        ):
            self._book(booking.waiting, machine)
