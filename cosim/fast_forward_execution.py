"""The live network as an execution with leaps; see `netplace.cosim.fast_forward`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from netplace.cosim.cost import packets_of
from netplace.cosim.fast_forward import FastForwarder, Pace, known_iterations
from netplace.cosim.live import Attempt, LiveExecution
from netplace.cosim.placed import JobPlacer, PlacedJob, Started
from netplace.scheduling import Job


@dataclass(frozen=True, eq=False)
class FastForwarded:
    """The result of a job on a network with leaps."""

    cycles: int  # from its start to its end
    leaps: float = 0.0  # cycles that were skipped while it ran
    variance: float = 0.0  # variance of its time, as a squared share: of the leaps, and of a live run
    # Whether nothing was skipped before its end, so that the cycles are those of a live run.
    counted: bool = True


class FastForwardExecution(LiveExecution):
    """Jobs on one network with leaps; `stays` holds every attempt that has used the network so far."""

    def __init__(
        self,
        placing: JobPlacer,
        longest: Callable[[Job], float],
        target_half_width: float,
        leapt: Callable[[int, PlacedJob, int, FastForwarded], None],
    ) -> None:
        super().__init__(placing, longest)
        self.stays: dict[int, Started] = {}
        self.network.timed = False
        self._forwarder = FastForwarder(self.network, target_half_width)
        self._leapt = leapt

    def begin_placed(self, attempt: int, placed: PlacedJob, now: float) -> float | None:
        """Start a job whose tasks have been placed; a job that only computes does not use the network."""
        if placed.work.application:
            return super().begin_placed(attempt, placed, now)
        cycles, start = placed.work.compute * placed.work.iterations, math.ceil(now * self._second)
        self._leapt(attempt, placed, start, FastForwarded(cycles))
        return cycles / self._second

    def stop(self, attempt: int, now: float) -> None:
        super().stop(attempt, now)
        if attempt in self.stays:
            self.stays[attempt] = replace(self.stays[attempt], stop=self.now)

    def _start(self, placed: PlacedJob) -> int:
        known = replace(placed.work, iterations=known_iterations(placed))
        return self.placing.start(self.network, replace(placed, work=known))

    def _came(self, number: int, placed: PlacedJob) -> None:
        attempt, record = self._running[number]
        self.stays[attempt] = Started(placed, record.start)
        self._forwarder.come(number, placed, packets_of(self.placing, placed.work))

    def _went(self, number: int, attempt: int, ended: Attempt | None) -> None:
        pace = self._forwarder.go(number)
        if ended is not None:
            leaped = FastForwarded(
                ended.cycles, pace.leaps, _variance(pace, ended.cycles), counted=self._skipped == 0
            )
            self._leapt(attempt, ended.placed, ended.start, leaped)

    def _simulated(self, limit: int | None) -> list[int]:
        """Simulate up to the end of a job, or to a cycle, or leap there."""
        while True:
            stop = self._forwarder.due
            if limit is not None:
                stop = min(stop, limit - self._skipped)
            if self.network.now < stop:
                ended = self.network.advance(stop)
                if ended or not self._running:
                    return ended
            if limit is not None and self.now >= limit:
                return []
            if self.network.now >= self._forwarder.due:
                maximum = math.inf if limit is None else limit - self.now
                starts = {number: record.start for number, (_, record) in self._running.items()}
                self._skipped += self._forwarder.look(maximum, self.now, starts)


def _variance(pace: Pace, cycles: int) -> float:
    """Return the variance of a job's time, as a share of it, squared."""
    # A window shows the rate with the variance `spread`. A leap carries that over its length; a live run
    # averages it over as many windows as it is long.
    total = max(1, cycles)
    window = min(1.0, pace.span / max(1.0, pace.windows) / total) if pace.windows else 1.0
    return pace.spread * (pace.squares / total**2 + window)


def fast_forward(
    placing: JobPlacer, stays: Iterable[tuple[int, Started]], target_half_width: float
) -> dict[int, FastForwarded]:
    """Return the results of attempts with fixed starts and nodes; stopped ones are omitted.

    An attempt whose nodes are not free starts as soon as they are.
    """
    return _Again(placing, stays, target_half_width).made


class _Again:
    """Attempts with fixed starts and nodes, on their own network."""

    def __init__(
        self, placing: JobPlacer, stays: Iterable[tuple[int, Started]], target_half_width: float
    ) -> None:
        self.made: dict[int, FastForwarded] = {}
        self._held: dict[int, int] = {}  # attempt by node
        self._stops: dict[int, int] = {}  # cycle by attempt
        self._second = placing.config.cycle_ns * 1e-9
        self._execution = FastForwardExecution(placing, lambda job: math.inf, target_half_width, self._leapt)
        for attempt, stay in stays:
            self._begin(attempt, stay)
        self._go_to(math.inf)

    def _leapt(self, attempt: int, placed: PlacedJob, start: int, leaped: FastForwarded) -> None:
        self.made[attempt] = leaped
        self._free(attempt)

    def _free(self, attempt: int) -> None:
        self._held = {node: holder for node, holder in self._held.items() if holder != attempt}
        self._stops.pop(attempt, None)

    def _begin(self, attempt: int, stay: Started) -> None:
        self._go_to(stay.start)
        nodes = stay.placed.nodes.tolist()
        while any(node in self._held for node in nodes):
            if self._execution.next_end(math.inf) is None:
                break
        now = max(stay.start, self._execution.now)
        self._execution.begin_placed(attempt, stay.placed, now * self._second)
        if attempt not in self.made:  # as one that only computes is by now
            self._held |= dict.fromkeys(nodes, attempt)
            if stay.stop >= 0:
                self._stops[attempt] = now + stay.stop - stay.start

    def _go_to(self, cycle: float) -> None:
        while self._stops:
            at, attempt = min((at, attempt) for attempt, at in self._stops.items())
            if at > cycle:
                break
            self._go_on(at)
            if attempt in self._stops:
                self._execution.stop(attempt, max(at, self._execution.now) * self._second)
                self._free(attempt)
        self._go_on(cycle)

    def _go_on(self, cycle: float) -> None:
        while self._execution.next_end(cycle * self._second):
            pass
