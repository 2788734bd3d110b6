"""The clock: whole cycles on a SimPy environment, in which the network moves after all tasks have acted."""

from __future__ import annotations

from collections.abc import Callable

import simpy
from simpy.events import ProcessGenerator

# SimPy handles events of one time by (priority, order of scheduling). Tasks act on its URGENT (0) and
# NORMAL (1) events; a tick comes after every one of them.
_LATE = 2


class _Tick(simpy.Event):
    """The part of a cycle in which the network moves."""

    def __init__(self, env: simpy.Environment, delay: int) -> None:
        super().__init__(env)
        self._ok = True
        self._value = None
        env.schedule(self, _LATE, delay)  # type: ignore[arg-type]  # any int will do as priority


class Clock:
    """Runs the network in every cycle in which it has something to do, and sleeps in between."""

    def __init__(self, cycle: Callable[[int], bool]) -> None:
        self.env = simpy.Environment()  # environment whose time is the cycle; it never decreases
        self.ticking = False  # whether a tick is scheduled
        # Number of tasks and sources that will act again even if the network does nothing; they maintain it.
        self.runnable = 0
        # First cycle after the last one in which a phit left a FIFO, a packet was created or a task
        # progressed.
        self.quiet_since = 0
        self._cycle = cycle

    def stir(self, cycle: int) -> None:
        self.quiet_since = max(self.quiet_since, cycle + 1)

    @property
    def now(self) -> int:
        """Cycle in which the last event happened."""
        return int(self.env.now)

    def wake(self, delay: int = 0) -> None:
        """Let the network move in this cycle, or later, after the tasks, until it is at rest."""
        if not self.ticking:
            self.ticking = True
            self.env.process(self._ticks(delay))

    def until(self, cycle: int) -> simpy.Event:
        return self.env.timeout(cycle - self.now)

    def step(self) -> int:
        """Process all events of the next cycle that has any, and return that cycle."""
        cycle = self.env.peek()
        while self.env.peek() == cycle:
            self.env.step()
        return int(cycle)

    def _ticks(self, delay: int) -> ProcessGenerator:
        yield _Tick(self.env, delay)
        while self._cycle(self.now):
            yield _Tick(self.env, 1)
        self.ticking = False
