"""A policy whose nodes are switched: after each pass a rule says which are stopped and booted."""

from __future__ import annotations

import math
from typing import Protocol, runtime_checkable

from netplace.scheduling.partitioner.allocation import Allocation, Partitioner
from netplace.scheduling.policy.asked import Machine, Queue, Running, Waiting
from netplace.scheduling.power.nodes import NodePower

__all__ = ["Foreseeing", "Switcher", "SwitchingQueue"]


@runtime_checkable
class Foreseeing(Protocol):
    """A policy that says when it means to start jobs."""

    def foreseen(self) -> list[tuple[float, int]]:
        """Return starts that are planned, each with the nodes that it needs."""


class Switcher(Protocol):
    """A rule by which nodes are switched while another policy starts jobs."""

    def switch(self, power: NodePower, now: float, queue: Queue, running: list[Running]) -> float:
        """Switch nodes, and return when to be asked again; infinity: only after the next event."""


class SwitchingQueue:
    """A queue under a policy, and a rule for the nodes that it leaves idle.

    Parameters
    ----------
    inner : Queue
        The policy.
    power : NodePower
        The nodes.
    switcher : Switcher
        The rule.
    """

    def __init__(self, inner: Queue, power: NodePower, switcher: Switcher) -> None:
        self._inner, self._power, self._switcher = inner, power, switcher
        self._running: dict[int, Running] = {}

    def __len__(self) -> int:
        return len(self._inner)

    def add(self, waiting: Waiting) -> None:
        """Take in a job."""
        self._inner.add(waiting)

    def ended(self, running: Running) -> None:
        """Record an end."""
        self._running.pop(running.order, None)
        self._inner.ended(running)

    def late(self, running: Running, expected_end: float) -> None:
        """Expect a job longer."""
        self._inner.late(running, expected_end)

    def head(self) -> Waiting | None:
        """Return the first of the queue."""
        return self._inner.head()

    def advance(self, machine: Machine) -> None:
        """Have the policy start jobs, then switch nodes."""
        seen = _Seen(machine, self._running)
        self._inner.advance(seen)
        again = self._switcher.switch(self._power, machine.now, self._inner, list(self._running.values()))
        nearest = min(again, seen.wake_at if seen.wake_at > machine.now else math.inf)
        if nearest < math.inf:
            machine.wake(max(nearest, machine.now + 1e-3))


class _Seen:
    """The machine as the inner policy sees it: its starts and wishes to be woken are noted."""

    def __init__(self, machine: Machine, running: dict[int, Running]) -> None:
        self._machine, self._running = machine, running
        self.now, self.partitioner, self.releases = machine.now, machine.partitioner, machine.releases
        self.wake_at = math.inf

    def start(self, waiting: Waiting, allocation: Allocation, backfilled: bool = False) -> Running:
        running = self._machine.start(waiting, allocation, backfilled)
        self._running[running.order] = running
        return running

    def kill(self, running: Running) -> None:
        self._machine.kill(running)
        self.releases = self._machine.releases

    def wake(self, time: float) -> None:
        self.wake_at = time

    def trial(self) -> Partitioner:
        return self._machine.trial()

    def spent(self, partitioner: Partitioner) -> None:
        self._machine.spent(partitioner)
