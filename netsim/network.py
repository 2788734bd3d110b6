"""A network that jobs come to and leave, on either engine."""

from __future__ import annotations

import time
from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import WeakSet

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.apps import Program
from netplace.checks import one_of, whole
from netplace.checks.arrays import array_of, integers_as
from netplace.checks.calls import check_fields, checked
from netplace.netsim.compiled_graph import kernel_engine
from netplace.netsim.config import Config
from netplace.netsim.door import check_pointers, check_topology, check_traffic
from netplace.netsim.engine import Engine, Exit, Failing, Traffic
from netplace.netsim.errors import CycleLimitError, DeadlockError
from netplace.netsim.explain import explain
from netplace.netsim.fault_text import Fault, read_faults
from netplace.netsim.faults import FaultReport, rerouted, struck
from netplace.netsim.general import paces, verdict_on
from netplace.netsim.laps import Laps
from netplace.netsim.overheads import with_overheads
from netplace.netsim.result import Result, make_result
from netplace.topologies import Graph, Topology

__all__ = ["ENGINES", "Network", "Residue", "Waiting"]


def reference_engine(
    topology: Topology,
    config: Config,
    seed: int = 0,
    record_messages: bool = False,
    explain: bool = False,
) -> Engine:
    """Return the readable engine for a network; it is imported when it is first asked for."""
    from netplace.netsim.reference import ReferenceEngine

    return ReferenceEngine(topology, config, seed, record_messages, explain)


ENGINES: dict[str, Any] = {"kernel": kernel_engine, "reference": reference_engine}
LAST_CYCLE = 1 << 60  # that can be simulated: sums of cycles fit into 64 bits


def place(program: Program, nodes: ArrayLike | None, topology: Topology) -> NDArray[np.int64]:
    """Return the node of each task, checked: one node a task, all in the network, none twice.

    Raises
    ------
    ValueError
        If a node is missing, repeated or not in the network, or if there are more tasks than nodes.
    """
    if program.tasks > topology.nodes:
        raise ValueError(
            f"{program.name or 'program'}: {program.tasks} tasks are more than "
            f"the {topology.nodes} nodes of {topology}"
        )
    if nodes is None:
        nodes = topology.computing[: program.tasks]
    given = array_of(nodes, "placement")
    if given.ndim != 1 or len(given) != program.tasks:
        raise ValueError(
            f"placement: {given.shape} nodes given for {program.tasks} tasks, expected one a task"
        )
    if not np.issubdtype(given.dtype, np.integer):
        raise ValueError(f"placement: nodes are whole numbers, not {given.dtype}")
    wrong = given[(given < 0) | (given >= topology.nodes)]
    if len(wrong):
        raise ValueError(f"placement: node {wrong[0]} is not in 0..{topology.nodes - 1} of {topology}")
    service = given[np.isin(given, topology.service)]
    if len(service):
        raise ValueError(f"placement: node {service[0]} of {topology} does not compute")
    values, count = np.unique(given, return_counts=True)
    if (count > 1).any():
        raise ValueError(f"placement: node {values[count > 1][0]} is given to more than one task")
    return given.astype(np.int64)


@dataclass(frozen=True, eq=False)
class Residue:
    """What packets leave behind in a network once they have passed; see `Network.residue`.

    Attributes
    ----------
    cycle : int
        Next cycle to be simulated.
    pointers : tuple of ndarray of int16
        Where arbiters and links begin their next search, in the order of the engine.
    """

    cycle: int
    pointers: tuple[NDArray[np.int16], ...]

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, eq=False)
class Waiting:
    """Cycles that head packets waited, charged to the job whose packet held what they waited for.

    Attributes
    ----------
    cycles : ndarray of int64, shape (jobs + 1, jobs + 1)
        By job that waited and by job charged, itself included, in the order in which they were given to the
        network; open-loop traffic comes last.
    links : ndarray of int64, shape (routers, ports + 1, 2)
        The same cycles by link waited for, in the last place of a router for its node's consumption: charged
        to the job that waited, and to others.
    waited : int
        Cycles that heads have waited, counted without asking for whom: the sum of each of the others.
    """

    cycles: NDArray[np.int64]
    links: NDArray[np.int64]
    waited: int

    @property
    def total(self) -> int:
        """All cycles charged."""
        return int(self.cycles.sum())


@dataclass(eq=False)
class _Job:
    """A job as it was given: `number` is that of the engine, -1 before it has begun."""

    program: Program
    nodes: NDArray[np.int64]
    times: int
    number: int = -1


class Network:
    """A network on which jobs start, run side by side and end, while others' packets are in flight.

    Parameters
    ----------
    topology : Topology
        The network.
    config : Config
        Its settings.
    engine : str
        ``"kernel"`` (compiled) or ``"reference"`` (the readable oracle).
    seed : int
        Seed of all random draws.
    record_messages : bool
        Whether the start and end of every message are kept.
    explain : bool
        Whether waiting is charged to jobs, see `waiting`.

    Attributes
    ----------
    faults : list of FaultReport
        What came of the faults so far (`Config.faults`).
    timed : bool
        Whether CPU time is counted, which takes longer than a short stretch does.
    between : callable or None
        Called every fraction of a second while `advance` is at work, between two cycles; a pickle of the
        network is then one from which it goes on the same.

    Raises
    ------
    ValueError
        If the engine is unknown or the network does not fit into memory.

    Examples
    --------
    >>> from netplace.topologies import parse
    >>> from netplace.apps import APPLICATIONS
    >>> network = Network(parse("torus:4x4"))
    >>> job = network.start(APPLICATIONS["butterfly"].make(tasks=16))
    >>> network.advance()
    [0]
    """

    @checked
    def __init__(
        self,
        topology: Topology,
        config: Config | None = None,
        *,
        engine: str = "kernel",
        seed: int = 0,
        record_messages: bool = False,
        explain: bool = False,
    ) -> None:
        self.topology = topology
        check_topology(topology)
        self.config = config or Config()
        self.config.check_bubble(topology)
        self.engine_name = one_of(engine, ENGINES, "engine")
        self.seed = whole(seed, "seed", 0)
        self.record_messages = bool(record_messages)
        self.cpu_seconds = 0.0
        self.timed = True
        self._explains = bool(explain)
        self._engine: Failing = ENGINES[engine](
            topology, self.config, self.seed, self.record_messages, bool(explain)
        )
        self.faults: list[FaultReport] = []
        self._coming = list(read_faults(self.config.faults))
        self._left = topology  # what remains of it
        self._routing = self._first_routing()
        self._numbers: list[int] = []  # of the engine's jobs, where they are explained
        self._watched = -1
        self._jobs: dict[int, _Job] = {}
        self._sound: WeakSet[Program] = WeakSet()  # programs whose numbers are in their ranges
        self._given = 0  # jobs so far
        self._waiting: list[tuple[int, int]] = []  # (start cycle, job), sorted
        self._stirred = 0  # no cycle before is one in which nothing moves: jobs come and go, parts fail
        self._running: set[int] = set()
        self._generates = False
        self._holder = np.full(topology.nodes, -1, np.int64)
        self._piece = 1000
        self.between: Callable[[], None] | None = None
        self._window_loads: list[NDArray[np.int64]] = []

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_sound"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._sound = WeakSet()

    @property
    def now(self) -> int:
        """Next cycle to be simulated."""
        return self._engine.now

    @property
    def in_flight(self) -> int:
        """Packets created and not yet consumed to the tail."""
        return self._engine.in_flight

    @checked
    def start(
        self,
        program: Program,
        nodes: ArrayLike | None = None,
        *,
        at: int | None = None,
        times: int = 1,
    ) -> int:
        """Start a job, and return its number.

        Parameters
        ----------
        program : Program
            What its tasks do.
        nodes : array of int, optional
            Node of each task; task i on node i by default.
        at : int, optional
            First cycle in which its tasks act; `now` by default, never earlier.
        times : int
            How often its iterations stand in the program, as in `Program.repeat`. They are kept once, unless
            messages are recorded or go by rendezvous.

        Raises
        ------
        ValueError
            If nodes are wrong, or used by another job that has not ended, if `at` is in the past, or if the
            program cannot be repeated. A later job may be given the nodes of an earlier one: it is `advance`
            that raises if they are not free by then.
        """
        if program not in self._sound:
            program.check_columns()
            self._sound.add(program)
        program = with_overheads(program, self.config)
        where = place(program, nodes, self.topology)
        begin = self.now if at is None else whole(at, "start cycle", 0, LAST_CYCLE - 1)
        whole(times, "times", 1, (1 << 31) - 1)
        if begin < self.now:
            raise ValueError(f"start cycle: {begin} is in the past, the network is at cycle {self.now}")
        if begin == self.now:
            self._check_free(where)
        for other in (number for start, number in self._waiting if start == begin):
            taken = where[np.isin(where, self._jobs[other].nodes)]
            if len(taken):
                raise ValueError(f"placement: node {taken[0]} is still used by job {other}")
        lost = where[self.cut[where]]
        if len(lost):
            raise ValueError(f"placement: node {lost[0]} has been cut off by a fault")
        if times > 1 and not self._engine.repeats:
            program, times = program.repeat(times), 1
        job = self._given
        self._given += 1
        self._jobs[job] = _Job(program, where, times)
        insort(self._waiting, (begin, job))
        return job

    def _check_free(self, where: NDArray[np.int64], when: str = "") -> None:
        """Raise ``ValueError`` if a job that runs has one of the nodes."""
        taken = where[self._holder[where] >= 0]
        if len(taken):
            holder = self._holder[taken[0]]
            raise ValueError(f"placement: {when}node {taken[0]} is still used by job {holder}")

    @checked
    def stop(self, job: int) -> None:
        """Stop a job now, between two cycles: its tasks do nothing any more, and its nodes are free at once.

        Packets that it has created, those in injectors included, are delivered, but nobody learns of them:
        its messages do not complete. `drained` tells when the last of them is gone. A job that has not begun
        never does, and is forgotten.

        Raises
        ------
        ValueError
            If there is no such job, or it has ended.
        """
        found = self._find(job)
        if job in self._running:
            self._engine.stop(found.number)
            self._running.discard(job)
            self._holder[found.nodes] = -1
        elif found.number < 0:
            self._waiting = [(begin, other) for begin, other in self._waiting if other != job]
            del self._jobs[job]
        else:
            raise ValueError(f"job {job}: has ended and cannot be stopped")
        self._stirred = self.now

    @checked
    def drained(self, job: int) -> bool:
        """Tell whether a job has ended, or was stopped, and none of its packets is in flight.

        Raises
        ------
        ValueError
            If there is no such job.
        """
        found = self._find(job)
        return found.number >= 0 and self._engine.drained(found.number)

    @checked
    def forget(self, job: int) -> None:
        """Drop all that is known of a job that has ended, so that a network may run any number of them.

        Counters keep its packets; `result` leaves it out, and nothing can be asked of it.

        Raises
        ------
        ValueError
            If there is no such job, or it has not ended.
        """
        found = self._find(job)
        if found.number < 0 or job in self._running:
            raise ValueError(f"job {job}: has not ended, stop it before it is forgotten")
        self._engine.forget(found.number)
        del self._jobs[job]

    def _find(self, job: int) -> _Job:
        if job not in self._jobs:
            what = "is forgotten" if 0 <= job < self._given else f"no such job, {self._given} were started"
            raise ValueError(f"job {job}: {what}")
        return self._jobs[job]

    @checked
    def program(self, job: int) -> Program:
        """Return the program of a job as the engine has it: one iteration, where those are kept once.

        Raises
        ------
        ValueError
            If there is no such job.
        """
        return self._find(job).program

    @checked
    def rounds(self, job: int) -> NDArray[np.float64]:
        """Return how many iterations each task that does anything has behind it, of a job with `times`.

        A part of one counts by the operations that have been begun.

        Raises
        ------
        ValueError
            If there is no such job, it does not run, or its iterations are not kept once.
        """
        return self._engine.rounds(self._looping(job).number)

    @checked
    def laps(self, job: int) -> Laps:
        """Return how far the tasks of a job with `times` are with its iterations.

        Raises
        ------
        ValueError
            If there is no such job, it does not run, or its iterations are not kept once.
        """
        return self._engine.laps(self._looping(job).number)

    @checked
    def skip(self, job: int, counts: ArrayLike) -> None:
        """Let each task of a job have done so many more iterations, between two cycles.

        What tasks would have sent each other counts as received; packets in flight stay. So the network is in
        a state that it could have come to by simulating those iterations; the clock stands.

        Raises
        ------
        ValueError
            As `laps` does; or if a task has fewer iterations left, or would have used what was not sent.
        """
        found = self._looping(job)
        given = integers_as(np.int64, array_of(counts, "skip: counts"), "skip: counts")
        if given.shape != found.nodes.shape or (given < 0).any():
            raise ValueError(
                f"skip: counts: expected a number of at least 0 for each of {len(found.nodes)} tasks"
            )
        self._engine.skip(found.number, given)

    def _looping(self, job: int) -> _Job:
        """Return a job that runs and whose iterations are kept once."""
        found = self._find(job)
        if job not in self._running or found.times == 1:
            raise ValueError(f"job {job}: does not run, or its iterations are not kept once")
        return found

    @checked
    def generate(self, traffic: Traffic | None) -> None:
        """Start open-loop traffic at all nodes, beside the jobs, or stop it."""
        if traffic is not None:
            check_traffic(traffic, self.topology.nodes)
        self._generates = traffic is not None
        self._engine.generate(traffic)

    @property
    def cut(self) -> NDArray[np.bool_]:
        """Whether each node has been cut off by a fault."""
        known = self._left.cut if isinstance(self._left, Graph) else None
        return np.zeros(self.topology.nodes, bool) if known is None else known

    @property
    def next_fault(self) -> int | None:
        """Cycle of the next fault."""
        return self._coming[0].at if self._coming else None

    def strike(self) -> None:
        """Let the faults happen whose cycle has come, as `advance` does before it simulates that cycle.

        Raises
        ------
        ValueError
            If a fault names what is not there, or no node remains.
        """
        while self._coming and self._coming[0].at <= self.now:
            self._happen(self._coming.pop(0))

    def _happen(self, fault: Fault) -> None:
        """Let a fault happen before the next cycle."""
        self._stirred = self.now
        before, cut = self._left, self.cut
        after = struck(before, fault)
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
            jobs = [job for job in self._unended() if after.cut[self._jobs[job].nodes].any()]
            for job in jobs:
                self.stop(job)
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

    def _first_routing(self) -> str:
        """Return the name of the routing in tables where faults may change it."""
        if not self.config.faults:
            return ""
        return verdict_on(self.topology, self.config.routing, self.config.vc_discipline)[1].name

    def _unended(self) -> list[int]:
        return sorted({*self._running, *(job for _, job in self._waiting)})

    def _install_due(self) -> None:
        """Hand jobs whose start has come to the engine."""
        while self._waiting and self._waiting[0][0] <= self.now:
            _, number = self._waiting[0]
            job = self._jobs[number]
            self._check_free(job.nodes, f"job {number} begins in cycle {self.now}, but ")
            del self._waiting[0]
            self._holder[job.nodes] = number
            job.number = self._engine.install(job.program, job.nodes, job.times)
            self._stirred = self.now + 1
            if self._explains:
                self._numbers.append(number)
                if number == self._watched:
                    self._engine.watch(job.number)
            self._running.add(number)

    def _ended(self) -> list[int]:
        """Return jobs that have ended since the last look, and free their nodes."""
        ended = [job for job in sorted(self._running) if self._engine.end(self._jobs[job].number) >= 0]
        for job in ended:
            self._running.discard(job)
            self._holder[self._jobs[job].nodes] = -1
        return ended

    @checked
    def advance(self, until: int | None = None) -> list[int]:
        """Simulate until a job ends, or up to cycle `until`.

        Returns
        -------
        list of int
            Jobs that ended in the last cycle simulated; empty when `until` came first, or when there is no
            job left.

        Raises
        ------
        DeadlockError
            If nothing can move any more though jobs have not ended or packets are in flight.
        """
        limit = LAST_CYCLE if until is None else min(whole(until, "until", 0), LAST_CYCLE)
        if not self.timed:
            return self._advance(limit)
        began = time.process_time()
        try:
            return self._advance(limit)
        finally:
            self.cpu_seconds += time.process_time() - began

    def _advance(self, limit: int) -> list[int]:
        while True:
            if limit == LAST_CYCLE and self._coming and not (self._unfinished or self._generates):
                return []  # faults later than the end do not happen
            self.strike()
            self._install_due()
            events = [self._waiting[0][0]] if self._waiting else []
            events += [self._coming[0].at] if self._coming else []
            stop = min([limit, *events])
            outcome = self._run(stop)
            if outcome == Exit.JOB_ENDED:
                ended = self._ended()
                if ended:
                    return ended
            elif outcome == Exit.IDLE:
                if self._coming and self._coming[0].at <= self.now:
                    continue
                if stop < limit and (self._unfinished or limit < LAST_CYCLE):
                    # A job is to begin, or a fault, which may set free what is stuck.
                    self._engine.now = stop
                elif self._coming and limit < LAST_CYCLE:
                    self._engine.now = limit
                    return []
                elif self._running or self._engine.in_flight:
                    raise self._deadlock()
                else:
                    if limit < LAST_CYCLE:
                        self._engine.now = max(limit, self.now)
                    return []
            elif stop >= limit:
                if limit == LAST_CYCLE:
                    raise CycleLimitError(f"cycle {limit} is the last that can be simulated")
                return []

    def _run(self, stop: int) -> Exit:
        """Run the engine up to cycle `stop` in pieces short enough that an interrupt is seen soon."""
        while True:
            began = time.perf_counter()
            outcome = self._engine.run(min(stop, self.now + self._piece))
            if outcome != Exit.REACHED or self.now >= stop:
                return outcome
            if self.between is not None:
                self.between()
            spent = time.perf_counter() - began
            if spent < 0.1:
                self._piece *= 2
            elif spent > 0.4:
                self._piece = max(1, self._piece // 2)

    def _deadlock(self) -> DeadlockError:
        blocked = self._engine.blocked()
        ours = {job.number: number for number, job in self._jobs.items()}
        blocked.tasks = [(ours[job], *rest) for job, *rest in blocked.tasks]  # type: ignore[misc]
        programs = {number: job.program for number, job in self._jobs.items()}
        cycle = max(self._stirred, self._engine.quiet_since)
        text = explain(blocked, programs, self._engine.in_flight, cycle)
        lost = sum(report.lost for report in self.faults)
        if lost:
            text += f"; {lost} packets were lost by faults"
        return DeadlockError(text, cycle, blocked)

    @checked
    def finish(self, max_cycles: int | None = None, window: int | None = None) -> None:
        """Simulate until all jobs have ended and all packets are consumed.

        Parameters
        ----------
        max_cycles : int, optional
            Longest run allowed.
        window : int, optional
            Cycles of a window in which link loads are also counted, see `Result.window_loads`.

        Raises
        ------
        CycleLimitError
            If that takes more than `max_cycles` cycles.
        DeadlockError
            If nothing can move any more.
        """
        if max_cycles is not None:
            whole(max_cycles, "max_cycles", 0)
        if window is not None:
            self._go_by_windows(whole(window, "window"), max_cycles)
        while self._waiting or self._running:
            if not self.advance(max_cycles) and max_cycles is not None and self.now >= max_cycles:
                jobs = len(self._running) + len(self._waiting)
                raise CycleLimitError(
                    f"not at its end after {max_cycles} cycles: "
                    f"{'1 job runs or waits' if jobs == 1 else f'{jobs} jobs run or wait'}, "
                    f"{self.in_flight} packets are in flight; allow more cycles (max_cycles, --max-cycles)"
                )
        self.advance()

    def residue(self) -> Residue:
        """Return what packets that have passed have left behind in the routers, and the cycle."""
        return Residue(self.now, self._engine.pointers())

    @checked
    def restore(self, residue: Residue) -> None:
        """Set a new network to what another one, of the same kind, settings and engine, was left with.

        What then starts runs as it would have run there, had nobody else been there from that cycle on.

        Raises
        ------
        ValueError
            If this network is not new.
        """
        if self.now or self._given:
            raise ValueError(f"residue: the network is at cycle {self.now}, expected a new one")
        whole(residue.cycle, "residue: cycle", 0, LAST_CYCLE - 1)
        inputs = self.topology.ports * self.config.vcs + self.config.injectors
        check_pointers(residue.pointers, self._engine.pointers(), inputs)
        self._engine.set_pointers(residue.pointers)
        self._engine.now = residue.cycle

    def _go_by_windows(self, window: int, max_cycles: int | None) -> None:
        while self._unfinished and (max_cycles is None or self.now < max_cycles):
            stop = self.now + window
            while self.now < stop and self._unfinished:
                self.advance(stop)
            self._window_loads.append(self.counters().link_cycles)

    @property
    def _unfinished(self) -> bool:
        return bool(self.in_flight or self._waiting or self._running)

    @checked
    def job(self, number: int) -> Any:
        """Return the `netplace.netsim.engine.JobRecord` of a job that has begun.

        Raises
        ------
        ValueError
            If there is no such job, or it has not begun.
        """
        found = self._find(number)
        if found.number < 0:
            raise ValueError(f"job {number}: has not begun")
        return self._engine.job(found.number)

    def waiting(self) -> Waiting:
        """Return whom waiting was charged to, since the network was made or its counters were reset.

        Raises
        ------
        ValueError
            If the network was not made with ``explain=True``.
        """
        self._must_explain()
        charged, links, waited = self._engine.waiting()
        cycles = np.zeros((self._given + 1, self._given + 1), np.int64)
        places = [*self._numbers, self._given]
        cycles[np.ix_(places, places)] = charged
        return Waiting(cycles, links, waited)

    @checked
    def watch(self, job: int) -> None:
        """Count what one job waits by link and by the job charged, from now or from its start on.

        Only one job is watched at a time.

        Raises
        ------
        ValueError
            If there is no such job, or the network was not made with ``explain=True``.
        """
        self._must_explain()
        found = self._find(job)
        self._watched = job
        if found.number >= 0:
            self._engine.watch(found.number)

    def watched(self) -> dict[int, NDArray[np.int64]]:
        """Return by job charged what the watched job waited for each link, shape (routers, ports + 1).

        In the last place of a router stands its node's consumption. Open-loop traffic is job -1; where more
        than 63 jobs are charged, the rest are told together as job -2.

        Raises
        ------
        ValueError
            If no job that has begun is watched.
        """
        self._must_explain()
        if self._watched not in self._numbers:
            raise ValueError("watched: no job that has begun is watched, see watch")
        cycles, jobs = self._engine.watched()
        charged = {job: cycles[:, :, n] for n, job in enumerate(jobs) if cycles[:, :, n].any()}
        return {self._numbers[job] if job >= 0 else job: waited for job, waited in charged.items()}

    def _must_explain(self) -> None:
        if not self._explains:
            raise ValueError("waiting: is charged to jobs only in a network made with explain=True")

    def result(self) -> Result:
        """Return all that was measured so far."""
        jobs = [job for _, job in sorted(self._jobs.items()) if job.number >= 0]
        return make_result(
            [self._engine.job(job.number) for job in jobs],
            self._engine.counters(),
            [job.program for job in jobs],
            [job.nodes for job in jobs],
            network=self.topology,
            config=self.config,
            engine=self.engine_name,
            seed=self.seed,
            cpu_seconds=self.cpu_seconds,
            window_loads=list(self._window_loads),
            faults=list(self.faults),
        )

    def counters(self) -> Any:
        """Return the `netplace.netsim.engine.Counters`."""
        return self._engine.counters()

    def reset_counters(self) -> None:
        """Start the counters anew; packets in flight stay."""
        self._engine.reset_counters()
