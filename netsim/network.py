"""A network on which jobs start and end, on either engine."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace import inputs
from netplace.inputs import check_int, check_size
from netplace.netsim.engine import ArbiterState, Counters, Exit, Traffic, Waiting
from netplace.netsim.errors import CycleLimitError, DeadlockError
from netplace.netsim.explain import explain
from netplace.netsim.fault_text import Fault
from netplace.netsim.faults import FaultReport, after_fault, rerouted
from netplace.netsim.job_host import ENGINES, LAST_CYCLE, JobHost
from netplace.netsim.outcome import Deadlocked
from netplace.netsim.result import Delay, JobResult, Result
from netplace.netsim.table_router import paces
from netplace.netsim.validation import check_pointers, check_traffic

__all__ = ["ENGINES", "LAST_CYCLE", "ArbiterState", "Network", "Waiting"]

_MOST_WINDOWS = 20_000  # in which link loads are counted
_SURE = 2  # cycles in which nothing moves, after which a standstill is told if no event is to come
_BYTES_PER_LOAD = 32  # of a link in a window: for its count, and for the derived load


class Network(JobHost):
    """A network on which jobs start, run and end while packets of other jobs are in flight.

    Parameters
    ----------
    engine : str
        ``"kernel"`` (compiled) or ``"reference"`` (written to be easy to read).
    seed : int
        Seed of all random draws.
    record_messages : bool
        Whether to record the start and end of every message.
    explain : bool
        Whether to attribute waiting cycles to jobs; see `waiting`.
    threads : int or str
        Number of threads that simulate the network together; it does not change the results. ``"auto"``
        chooses it by the number of cores and the size of the network. The reference engine uses one thread.

    Attributes
    ----------
    faults : list of FaultReport
        Reports of the faults so far (`Config.faults`).
    timed : bool
        Whether to measure CPU time; a measurement takes longer than a short simulation.
    between : callable or None
        Function that `advance` calls between two cycles, several times per second.

    Raises
    ------
    ValueError
        If the engine is unknown, the network does not fit into memory, or several threads cannot simulate it.

    Examples
    --------
    >>> from netplace.topologies import parse
    >>> from netplace.apps import APPLICATIONS
    >>> network = Network(parse("torus:4x4"))
    >>> job = network.start(APPLICATIONS["butterfly"].make(tasks=16))
    >>> network.advance()
    [0]
    """

    def generate(self, traffic: Traffic | None) -> None:
        """Start open-loop traffic at all nodes, in addition to the jobs; None stops it."""
        if traffic is not None:
            check_traffic(traffic, self.topology.nodes)
        with self._uninterrupted():
            self._generates = traffic is not None
            self._engine.generate(traffic)

    def follow(self, source: int, destination: int, number: int) -> Any:
        """Return the `reference.packet_life.PacketLife` of the `number`-th packet from a node to another."""
        follow = getattr(self._engine, "follow", None)
        if follow is None:
            raise ValueError("network: the engine follows no packet, expected engine reference")
        return follow(source, destination, number)

    @property
    def next_fault(self) -> int | None:
        """Cycle of the next fault, or None."""
        return self._coming[0].at if self._coming else None

    def apply_faults(self) -> None:
        """Apply the faults that are due, as `advance` does before it simulates their cycle.

        Raise ValueError if a fault names a link or router that does not exist, or if no node remains.
        """
        while self._coming and self._coming[0].at <= self.now:
            self._happen(self._coming.pop(0))

    def _happen(self, fault: Fault) -> None:
        self._stirred = self.now
        before, cut = self._left, self.cut
        after = after_fault(before, fault)
        assert after.cut is not None
        dead = np.asarray((after.neighbor < 0).all(axis=1))
        dead[: after.nodes] = after.cut
        down = (before.neighbor >= 0) & (after.neighbor < 0)
        cycles, delay = paces(after, self.config)
        slow = (after.neighbor >= 0) & (cycles != paces(before, self.config)[0])
        if slow.any():
            self._engine.pace(cycles, delay)
        jobs: list[int] = []
        lost, again, losers = 0, 0, list[int]()
        if fault.cuts:
            unended = sorted({*self._running, *(job for _, job in self._waiting)})
            jobs = [job for job in unended if after.cut[self._jobs[job].nodes].any()]
            for job in jobs:
                self._stop(job, by_fault=True)
            table = rerouted(after, self.config)
            self._routing = table.routes.name
            lost, again, losers = self._engine.fail(table, dead, down, fault.packets == "again")
        self._left = after
        self.faults.append(
            FaultReport(
                at=self.now,
                links=int(down.sum()),
                routers=int(dead.sum()),
                slow=int(slow.sum()),
                nodes=tuple(np.flatnonzero(after.cut & ~cut).tolist()),
                jobs=tuple(jobs),
                lost=lost,
                again=again,
                losers=tuple(job for job in sorted(self._running) if self._jobs[job].number in losers),
                routing=self._routing,
            )
        )

    def advance(self, until: int | None = None) -> list[int]:
        """Simulate until a job ends, or up to cycle `until`; return the jobs that ended in the last cycle.

        The list is empty if `until` was reached first, or there are no jobs.

        Raises
        ------
        DeadlockError
            If nothing can move although jobs have not ended or packets are in flight.
        ValueError
            If the network was interrupted within a cycle (for example, by Ctrl-C) and is therefore unusable.
            After an interrupt between two cycles, it continues without any effect.
        """
        self._still, self._standstill = LAST_CYCLE, None
        limit = LAST_CYCLE if until is None else min(check_int(until, "until", 0), LAST_CYCLE)
        began = time.process_time() if self.timed else 0.0
        try:
            with self._uninterrupted():
                ended: list[int] | None = None
                if self._unheard:
                    self._unheard = False
                    ended = self._ended() or None
                while ended is None:
                    # In pieces short enough to notice an interrupt soon.
                    stop = self._next_stop(limit)
                    if stop is None:
                        return []
                    called = time.perf_counter()
                    outcome = self._engine.run(min(stop, self.now + self._piece))
                    ended = self._after(outcome, stop, limit, called)
                return ended
        finally:
            if self.timed:
                self.cpu_seconds += time.process_time() - began

    def _next_stop(self, limit: int) -> int | None:
        """Let happen what is due, and return the cycle of the next event; None if all has ended."""
        if limit == LAST_CYCLE and self._coming and not (self._unfinished or self._generates):
            return None  # faults later than the end do not happen
        self.apply_faults()
        self._install_due()
        events = [self._waiting[0][0]] if self._waiting else []
        events += [self._coming[0].at] if self._coming else []
        return min([limit, *events])

    def _after(self, outcome: Exit, stop: int, limit: int, called: float) -> list[int] | None:
        """Return the jobs that have ended, empty at the limit, and None if there is more to simulate."""
        if outcome == Exit.REACHED and self.now < stop:
            self._pause(time.perf_counter() - called)
            return None
        if outcome == Exit.JOB_ENDED:
            return self._ended() or None
        if outcome == Exit.IDLE:
            if self._coming and self._coming[0].at <= self.now:
                return None
            if stop < limit and (self._unfinished or limit < LAST_CYCLE):
                # A job or a fault is due, which may free blocked packets.
                self._engine.now = stop
                return None
            if self._coming and limit < LAST_CYCLE:
                self._engine.now = limit
                return []
            if self._running or self._engine.in_flight:
                known = max(self.now, self._stirred + _SURE, self._engine.quiet_since + _SURE)
                self._engine.now = min(known, max(limit, self.now))
                if known <= limit:
                    raise self._deadlock()
                return []
            if limit < LAST_CYCLE:
                self._engine.now = max(limit, self.now)
            return []
        if stop < limit:
            return None
        if limit == LAST_CYCLE:
            raise CycleLimitError(f"cycle {limit} is the last possible cycle")
        return []

    def _pause(self, spent: float) -> None:
        """Let others act between two pieces, and choose how long the next one is."""
        if self.between is not None:
            self._torn = False  # an interrupt now leaves all as it is
            self.between()
            self._torn = True
        if spent < 0.1:
            self._piece *= 2
        elif spent > 0.4:
            self._piece = max(1, self._piece // 2)

    def _deadlock(self) -> DeadlockError:
        blocked = self._engine.blocked()
        ours = {job.number: number for number, job in self._jobs.items()}
        blocked.tasks = sorted((ours[job], *rest) for job, *rest in blocked.tasks)  # type: ignore[misc]
        blocked.fifos = sorted((*fifo[:3], sorted(fifo[3])) for fifo in blocked.fifos)
        programs = {number: job.program for number, job in self._jobs.items()}
        cycle = max(self._stirred, self._engine.quiet_since)
        self._still = cycle
        text = explain(blocked, programs, self._engine.in_flight, cycle)
        if self.lost_packets:
            text += f"; {self.lost_packets} packets were lost by faults"
        self._standstill = Deadlocked(cycle, text)
        return DeadlockError(text, cycle, blocked)

    @property
    def lost_packets(self) -> int:
        """Packets that faults have destroyed."""
        return sum(report.lost for report in self.faults)

    def finish(self, max_cycles: int | None = None, window: int | None = None) -> None:
        """Simulate until all jobs have ended and all packets have been ejected.

        With `window`, link loads are also counted in windows of that many cycles; see `Result.window_loads`.
        If there are more than 20,000 windows, or they take too much memory, they are merged in pairs.

        Raises
        ------
        CycleLimitError
            If the run exceeds `max_cycles` cycles.
        DeadlockError
            If nothing can move.
        """
        if max_cycles is not None:
            max_cycles = check_int(max_cycles, "max_cycles", 0)
        if window is not None:
            try:
                self._go_by_windows(check_int(window, "window"), max_cycles)
            except Exception:
                raise
            except BaseException:  # what the window under way has counted is lost
                self._torn = True
                raise
        while self._waiting or self._running:
            if not self.advance(max_cycles) and max_cycles is not None and self.now >= max_cycles:
                jobs = len(self._running) + len(self._waiting)
                raise CycleLimitError(
                    f"not finished after {max_cycles} cycles: "
                    f"{'1 job runs or waits' if jobs == 1 else f'{jobs} jobs run or wait'}, "
                    f"{self.in_flight} packets are in flight; allow more cycles (max_cycles, --max-cycles)"
                )
        self.advance()

    def residue(self) -> ArbiterState:
        """Return the state that earlier packets left behind in the routers, and the current cycle."""
        return ArbiterState(self.now, self._engine.pointers())

    def restore(self, residue: ArbiterState) -> None:
        """Set a new network to the residue of another one with the same topology, settings and engine.

        Jobs that start afterward run as they would have run on the other network, without other jobs, from
        that cycle on.
        """
        if self.now or self._given:
            raise ValueError(f"residue: the network is at cycle {self.now}, expected a new one")
        check_int(residue.cycle, "residue: cycle", 0, LAST_CYCLE - 1)
        everything = self.config.of_all_classes
        inputs = self.topology.ports * everything.vcs + everything.injectors
        check_pointers(residue.pointers, self._engine.pointers(), inputs)
        self._engine.set_pointers(residue.pointers)
        self._engine.now = residue.cycle

    def _go_by_windows(self, window: int, max_cycles: int | None) -> None:
        bytes_each = _BYTES_PER_LOAD * self.topology.neighbor.size
        check_size(2, bytes_each, "windows of link loads", "window")
        maximum = min(_MOST_WINDOWS, inputs.MOST_BYTES // bytes_each) // 2 * 2
        self._window = window
        while self._unfinished and (max_cycles is None or self.now < max_cycles):
            if len(self._window_loads) == maximum:  # the length of a run is not known in advance
                self._window_loads = self._window_loads[1::2]
                self._window *= 2
            stop = self.now + self._window
            while self.now < stop and self._unfinished:
                self.advance(stop)
            self._window_loads.append(self.counters().link_cycles)

    @property
    def _unfinished(self) -> bool:
        return bool(self.in_flight or self._waiting or self._running)

    def waiting(self) -> Waiting:
        """Return the waiting cycles attributed to jobs since the network was made or its counters were reset.

        The network must be made with ``explain=True``.
        """
        self._must_explain()
        charged, links, waited = self._engine.waiting()
        cycles = np.zeros((self._given + 1, self._given + 1), np.int64)
        places = [*self._numbers, self._given]
        cycles[np.ix_(places, places)] = charged
        return Waiting(cycles, links, waited)

    def watch(self, job: int) -> None:
        """Count the waiting cycles of one job by link and by charged job, from now or from its start on.

        Only one job can be watched at a time, on a network made with ``explain=True``.
        """
        self._must_explain()
        hosted = self._find(job)
        self._watched = job
        if hosted.number >= 0:
            self._engine.watch(hosted.number)

    def watched(self) -> dict[int, NDArray[np.int64]]:
        """Return the waiting cycles of the watched job: for each charged job, an array of cycles by link.

        The arrays have the shape (routers, ports + 1); the last column is ejection at the router's node.
        Open-loop traffic is job -1. If more than 63 jobs are charged, the others are combined as job -2;
        which ones these are can depend on `threads`. Raise ValueError if no job that has begun is watched.
        """
        self._must_explain()
        if self._watched not in self._numbers:
            raise ValueError("watched: no running job is watched; see watch")
        cycles, jobs = self._engine.watched()
        charged = {job: cycles[:, :, n] for n, job in enumerate(jobs) if cycles[:, :, n].any()}
        return {self._numbers[job] if job >= 0 else job: waited for job, waited in charged.items()}

    def _must_explain(self) -> None:
        if not self._explains:
            raise ValueError(
                "waiting: cycles are charged to jobs only in a network created with explain=True"
            )

    def result(self) -> Result:
        """Return the results so far."""
        now, counters = min(self.now, self._still), self._engine.counters()
        jobs = [
            JobResult.of(job.program, job.nodes, self._record(job), self.outcome(number), now)
            for number, job in sorted(self._jobs.items())
            if job.number >= 0 or job.lost_at >= 0
        ]
        ended = max((job.end for job in jobs), default=0)
        return Result(
            ended=ended,
            drained_cycles=max(ended, counters.last_delivery + 1),
            packets=counters.created,
            phits=counters.created * self.config.packet_phits,
            packet_hops=int(counters.link_packets.sum()),
            jobs=jobs,
            packet_delay=Delay.of(counters.packet_delays, counters.packet_delay_sum),
            message_delay=Delay.of(counters.message_delays, counters.message_delay_sum),
            link_packets=counters.link_packets,
            link_cycles=counters.link_cycles,
            events=counters.events,
            cpu_seconds=self.cpu_seconds,
            network=str(self.topology),
            engine=self.engine_name,
            seed=self.seed,
            config=self.config,
            window_loads=list(self._window_loads),
            faults=list(self.faults),
            window=self._window,
        )

    def counters(self) -> Counters:
        """Return the totals since the network was made, or since `reset_counters`."""
        return self._engine.counters()

    def reset_counters(self) -> None:
        """Reset the counters; packets in flight are not affected."""
        self._engine.reset_counters()
