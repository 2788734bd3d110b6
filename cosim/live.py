"""The live network as an execution: every packet of every job, on one network."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.cosim.placed import JobPlacer, PlacedJob
from netplace.cosim.waiting import Waiting, WaitingOverTime
from netplace.inputs import abbreviate, check_float
from netplace.netsim import ArbiterState, DeadlockError
from netplace.netsim.engine import Blocked
from netplace.netsim.explain import explain
from netplace.netsim.network import LAST_CYCLE
from netplace.scheduling import Allocation, Completion, Job
from netplace.topologies.compute_nodes import slots_a_host

_WITHIN = 1e-6  # cycles: times nearer than this to a cycle are that cycle, seconds being rounded


@dataclass(eq=False)
class Attempt:
    """One run of a job on the live network.

    Attributes
    ----------
    start, end : int
        First cycle in which its tasks can act, and cycle in which its last task ended (-1 while it runs).
    since : ArbiterState
        State of the network when it started.
    """

    placed: PlacedJob
    start: int
    since: ArbiterState
    end: int = -1

    @property
    def cycles(self) -> int:
        """Cycles from its start to its end."""
        return self.end - self.start


class LiveExecution:
    """Simulates jobs on one network, packet by packet; implements `netplace.scheduling.Execution`.

    A cycle takes as long as the setting `cycle_ns`. A job that starts between two cycles begins in the later
    one. It ends with its last task, and its nodes are then free, although packets may still be in flight. A
    job that a fault cuts off, or that loses packets in a fault, fails in the cycle of the fault.

    Parameters
    ----------
    longest : callable
        Function that returns the run time that a user estimates for a job, in seconds.
    ended : callable, optional
        Function that is called with each attempt that has ended.
    explaining : bool
        Whether to attribute waiting cycles to jobs; see `waiting`.

    Attributes
    ----------
    network : Network
        The network, which does not keep jobs that have ended.
    failures : dict of int to str
        Why each failed job failed: the event that it waited for in vain, or the effect of a fault.
    """

    def __init__(
        self,
        placing: JobPlacer,
        longest: Callable[[Job], float],
        engine: str = "kernel",
        ended: Callable[[Attempt], None] | None = None,
        explaining: bool = False,
    ) -> None:
        self.network = placing.network(engine, explain=explaining)
        self.failures: dict[int, str] = {}
        self.loses = bool(placing.config.faults)
        self._cut = np.zeros(placing.machine.nodes, bool)  # nodes of which `lost` has told
        self._cut[placing.machine.service] = True
        self._waiting = WaitingOverTime(self.network) if explaining else None
        self._names: list[int] = []  # jobs by the network's number
        self.longest = longest
        self._skipped = 0  # cycles that have passed and were not simulated, see `FastForwardExecution`
        self.placing, self._tell = placing, ended
        self._second = 1e9 / placing.config.cycle_ns  # in cycles
        self._running: dict[int, tuple[int, Attempt]] = {}  # by the network's number: ours, and what it is
        self._ended: list[Completion] = []  # that have come up while the network was brought to a start

    @property
    def now(self) -> int:
        """The next cycle to simulate."""
        return self.network.now + self._skipped

    def begin(self, attempt: int, job: Job, allocation: Allocation, now: float) -> float | None:
        """Start a job in the first cycle that does not begin before `now`."""
        return self.begin_placed(attempt, self.placing.put(job, allocation), now)

    def begin_placed(self, attempt: int, placed: PlacedJob, now: float) -> float | None:
        """Start a job whose tasks have already been placed."""
        self._bring_to(now)
        number = self._start(placed)
        self._names.append(placed.job.number)
        self._running[number] = attempt, Attempt(placed, self.now, self.network.residue())
        self._came(number, placed)
        return None

    def lost(self, now: float) -> NDArray[np.int64]:
        """Return the nodes that faults have cut off up to `now` and that no earlier call has returned."""
        if not self.loses:
            return np.empty(0, np.int64)
        self._bring_to(now)
        self._apply_faults()
        new = np.flatnonzero(self.network.cut & ~self._cut)
        self._cut[new] = True
        return np.unique(new // slots_a_host(self.placing.machine))

    def refused(self, job: Job, why: str) -> None:
        """Record that a waiting job can no longer start, because of faults."""
        self.failures[job.number] = f"does not fit on the nodes that faults have left: {why}"

    def stop(self, attempt: int, now: float) -> None:
        """Stop a job in the first cycle that does not begin before `now`.

        Its tasks stop, its packets are delivered and discarded, and its nodes are free at once.
        """
        if not 0 <= now * self._second <= LAST_CYCLE:
            raise ValueError(f"now: {abbreviate(now)}, expected a time in seconds that can be simulated")
        self._bring_to(now)
        for number, (ours, _) in self._running.items():
            if ours == attempt:
                self._drop(number)
                return
        # It has ended on the way there, which is not to be told.
        self._ended = [
            Completion(ends.time, left, ends.failed)
            for ends in self._ended
            if (left := tuple(number for number in ends.attempts if number != attempt))
        ]

    def next_end(self, until: float) -> Completion | None:
        """Simulate up to the next end of a job, but not beyond `until`."""
        if not until >= 0:
            raise ValueError(f"until: {abbreviate(until)}, expected a time in seconds")
        limit = None if until * self._second > LAST_CYCLE else math.floor(until * self._second + _WITHIN)
        if not self._ended and (limit is None or self.now < limit):
            self._advance(limit)
        if self._ended and self._ended[0].time * self._second <= until * self._second + _WITHIN:
            return self._ended.pop(0)
        return None

    def _bring_to(self, now: float) -> None:
        """Simulate up to the first cycle from `now` on."""
        if check_float(now, "now") * self._second >= LAST_CYCLE:
            raise ValueError(f"now: {abbreviate(now)} s is after the last possible cycle, {LAST_CYCLE:.3g}")
        cycle = math.ceil(now * self._second - _WITHIN)
        while self.now < cycle:
            self._advance(cycle)

    def waiting(self) -> Waiting:
        """Return the waiting cycles attributed to jobs so far; the execution must be `explaining`."""
        if self._waiting is None:
            raise ValueError(
                "waiting: cycles are charged to jobs only in an execution created with explaining=True"
            )
        return self._waiting.until_now(self._names)

    def _advance(self, limit: int | None) -> None:
        try:
            self._note(self._simulated(limit))
        except DeadlockError as error:
            if not self._running:
                raise  # packets that nobody waits for block the network for good
            self._fail(error)

    def _simulated(self, limit: int | None) -> list[int]:
        """Simulate up to the end of a job, or to a cycle; return the network's numbers of what has ended."""
        # Where a fault makes jobs fail it ends in that cycle, and returns none.
        while (
            self._running and (at := self.network.next_fault) is not None and (limit is None or at <= limit)
        ):
            if self.network.now < at and (ended := self.network.advance(at)):
                return ended
            if self._apply_faults():
                return []
        while self._waiting is not None and self._running:
            stop = self._waiting.due if limit is None else min(limit, self._waiting.due)
            ended = self.network.advance(stop)
            self._waiting.look()
            if ended or self.network.now == limit:
                return ended
        return self.network.advance(limit)

    def _apply_faults(self) -> bool:
        """Apply the faults that are due; return whether jobs have failed."""
        known = len(self.network.faults)
        self.network.apply_faults()
        failed = []
        for report in self.network.faults[known:]:
            for number in (*report.jobs, *report.losers):
                attempt, record = self._running[number]
                nodes = [node for node in record.placed.nodes.tolist() if node in report.nodes]
                why = (
                    f"cut off its nodes {', '.join(map(str, nodes))}" if nodes else "lost some of its packets"
                )
                self.failures[record.placed.job.number] = f"a fault in cycle {report.at} {why}"
                self._drop(number)
                failed.append(attempt)
        if failed:
            self._ended.append(Completion(self.now / self._second, tuple(failed), failed=True))
        return bool(failed)

    def _note(self, numbers: list[int]) -> None:
        ended = []
        for number in numbers:
            attempt, record = self._running.pop(number)
            record.end = int(self.network.job(number).end) + self._skipped
            self.network.forget(number)
            ended.append(attempt)
            self._went(number, attempt, record)
        if ended:
            self._ended.append(Completion(self.now / self._second, tuple(ended)))

    def _fail(self, error: DeadlockError) -> None:
        """End all running jobs, because nothing can move and none of them can end."""
        failed = []
        for number, (attempt, record) in [*self._running.items()]:
            own = Blocked([task for task in error.blocked.tasks if task[0] == number])
            programs = {number: self.network.program(number)}
            self.failures[record.placed.job.number] = explain(own, programs, 0, error.cycle)
            self._drop(number)
            failed.append(attempt)
        self._ended.append(Completion(self.now / self._second, tuple(failed), failed=True))

    def _drop(self, number: int) -> None:
        """Stop a job on the network, unless a fault has, and forget it."""
        if not self.network.job(number).stopped:
            self.network.stop(number)
        self.network.forget(number)
        self._went(number, self._running.pop(number)[0], None)

    def _start(self, placed: PlacedJob) -> int:
        """Start a job on the network now, and return its number there."""
        return self.placing.start(self.network, placed)

    def _came(self, number: int, placed: PlacedJob) -> None:
        """Record that a job has started."""

    def _went(self, number: int, attempt: int, ended: Attempt | None) -> None:
        if self._tell is not None and ended is not None:
            self._tell(ended)
