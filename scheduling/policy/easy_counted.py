"""EASY backfilling whose reservation counts nodes, also where places matter: two readings."""

from __future__ import annotations

import numpy as np

from netplace.scheduling.policy.asked import Machine, Running, Waiting
from netplace.scheduling.policy.easy import EasyQueue
from netplace.scheduling.policy.reservation import CountReservation, Reservation

__all__ = ["CountedEasyQueue", "PatientEasyQueue"]


class PatientEasyQueue(EasyQueue):
    """EASY backfilling; the head is promised a number of nodes, and then waits for a place.

    The reservation is the time at which by the estimates enough nodes are free, wherever they are: now, if
    they are free but scattered. Jobs pass if they end before that or leave enough nodes. As in `EasyQueue`
    a job that has passed and outrun its estimate is killed if that makes room for the head.

    A reading of J. A. Pascual, J. Navaridas, J. Miguel-Alonso, "Effects of topology-aware allocation policies
    on scheduling performance", JSSPP 2009, where an advanced job that outlives the reservation is killed and
    queued again; that the reservation is of a number of nodes is not said there, but inferred from results.
    """

    def _reservation_of(self, head: Waiting, machine: Machine) -> Reservation:
        return CountReservation(head, self._ends, machine)


class CountedEasyQueue(PatientEasyQueue):
    """The same, but the head gets its place by force.

    If it finds no place when the time has come, the jobs that have passed it and stand in its way are killed
    and put back: they are omitted from the last started on until the head finds a place, and those on that
    place go. Jobs that started in their turn are left alone, and the head waits for them.
    """

    def __init__(self) -> None:
        super().__init__()
        self._in_vain: tuple[int, int] | None = None  # what clearing failed for

    def _clear(self, head: Waiting, machine: Machine) -> bool:
        """Kill jobs that have passed and stand in the way of the head, if that makes room for it."""
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
