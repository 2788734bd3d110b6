"""Jobs on a network: start, end, stop, progress and deletion."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import get_ident
from typing import Any
from weakref import WeakSet

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netplace.apps import Program
from netplace.inputs import check_choice, check_int
from netplace.netsim.config import Config
from netplace.netsim.effects import check_settings, settings_on
from netplace.netsim.engine import Engine, JobRecord
from netplace.netsim.fault_text import read_faults
from netplace.netsim.faults import FaultReport
from netplace.netsim.kernel_engine import KernelEngine
from netplace.netsim.laps import IterationCounts
from netplace.netsim.lower import creates_packets
from netplace.netsim.outcome import Deadlocked, Finished, JobOutcome, Stopped
from netplace.netsim.overheads import with_overheads
from netplace.netsim.table_router import verdict_on
from netplace.netsim.threads import usable_threads
from netplace.netsim.validation import check_topology, place
from netplace.records import array_of, integers_as
from netplace.topologies import Graph, Topology


def _reference(*given: Any) -> Engine:
    """Return the reference engine, which has one thread; SimPy is imported on first use."""
    from netplace.netsim.reference import ReferenceEngine

    return ReferenceEngine(*given[:-1])


ENGINES: dict[str, Callable[..., Engine]] = {"kernel": KernelEngine, "reference": _reference}
LAST_CYCLE = 1 << 60  # that can be simulated: sums of cycles fit into 64 bits


@dataclass(eq=False)
class HostedJob:
    """A job with its settings; `number` is that of the engine, or -1 before the job begins."""

    program: Program
    nodes: NDArray[np.int64]
    times: int
    identity: int  # by which it is given its traffic class
    number: int = -1
    stopped_by_fault: bool = False
    lost_at: int = -1  # cycle in which a fault stopped it before it began


class JobHost:
    """A network with jobs on its nodes; `netplace.netsim.Network` adds the clock."""

    def __init__(
        self,
        topology: Topology,
        config: Config | None = None,
        *,
        engine: str = "kernel",
        seed: int = 0,
        record_messages: bool = False,
        explain: bool = False,
        threads: int | str = 1,
    ) -> None:
        self.topology = topology
        check_topology(topology)
        self.config = settings_on(topology, config or Config())
        check_settings(topology, self.config)
        self.engine_name = check_choice(engine, ENGINES, "engine")
        self.seed = check_int(seed, "seed", 0)
        self.record_messages = bool(record_messages)
        self.cpu_seconds = 0.0
        self.timed = True
        self._explains = bool(explain)
        self.threads = usable_threads(topology, threads, engine=engine)
        self._thread = get_ident()
        self._own_engine = ENGINES[engine](
            topology, self.config, self.seed, self.record_messages, bool(explain), self.threads
        )
        self.faults: list[FaultReport] = []
        self._coming = list(read_faults(self.config.faults))
        self._left = topology  # what remains of it
        self._routing = self._first_routing()
        self._numbers: list[int] = []  # of the engine's jobs, where they are explained
        self._watched = -1
        self._jobs: dict[int, HostedJob] = {}
        self._sound: WeakSet[Program] = WeakSet()  # programs that were checked
        self._given = 0  # jobs so far
        self._waiting: list[tuple[int, int]] = []  # (start cycle, job), sorted
        self._still = LAST_CYCLE  # cycle from which on nothing moves, once that has been found
        self._stirred = 0  # no cycle before is one in which nothing moves: jobs come and go, parts fail
        self._running: set[int] = set()
        self._standstill: Deadlocked | None = None  # as of the jobs that run, once that has been found
        self._torn = False  # something has been left half done by an interrupt
        self._unheard = False  # the engine was interrupted, and what it came back with is lost
        self._generates = False
        self._holder = np.full(topology.nodes, -1, np.int64)
        self._piece = 1000
        self.between: Callable[[], None] | None = None
        self._window_loads: list[NDArray[np.int64]] = []
        self._window = 0  # cycles of each

    @property
    def _engine(self) -> Engine:
        """The engine, for the thread that made the network."""
        if get_ident() != self._thread:
            raise ValueError(
                "network: belongs to the thread that created it, and this is another; create one in each"
            )
        return self._own_engine

    def _first_routing(self) -> str:
        """Return the name of the routing in tables if faults can change it."""
        if not self.config.faults:
            return ""
        return verdict_on(self.topology, self.config.routing, self.config.vc_discipline)[1].name

    @contextmanager
    def _uninterrupted(self) -> Iterator[None]:
        """Perform an action as a whole: if it is interrupted, the network is unusable and reports this."""
        # An engine that is interrupted between two cycles can continue. An error is no interrupt.
        if self._torn:
            raise ValueError("network: was interrupted in a step and cannot continue; create a new one")
        self._torn, self._engine.stands = True, False
        try:
            yield
        except Exception:
            self._torn = False
            raise
        except BaseException:
            self._torn = self._torn and not self._engine.stands
            self._unheard = True
            raise
        self._torn = False

    @property
    def now(self) -> int:
        """Next cycle to be simulated."""
        return self._engine.now

    @property
    def in_flight(self) -> int:
        """Packets created and not yet consumed to the tail."""
        return self._engine.in_flight

    def start(
        self,
        program: Program,
        nodes: ArrayLike | None = None,
        *,
        at: int | None = None,
        times: int = 1,
        identity: int | None = None,
    ) -> int:
        """Start a job, and return its number.

        Parameters
        ----------
        nodes : array of int, optional
            Node of each task; task i on node i by default.
        at : int, optional
            First cycle in which its tasks act; at least `now`, which is the default.
        times : int
            Number of repetitions of its iterations, as in `Program.repeat`. They are stored once, unless
            messages are recorded.
        identity : int, optional
            Number by which a job is given its traffic class (`Config.traffic_classes`), the same wherever it
            runs; by default its number on this network.
        """
        if program not in self._sound:
            program.check_columns()
            self._sound.add(program)
        program = with_overheads(program, self.config)
        where = place(program, nodes, self.topology)
        begin = self.now if at is None else check_int(at, "start cycle", 0, LAST_CYCLE - 1)
        check_int(times, f"times of {program.name or 'the program'}", 1, (1 << 31) - 1)
        if identity is not None:
            check_int(identity, "identity", 0)
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
        with self._uninterrupted():
            job = self._given
            self._given += 1
            self._jobs[job] = HostedJob(program, where, times, job if identity is None else identity)
            insort(self._waiting, (begin, job))
        return job

    def _check_free(self, where: NDArray[np.int64], when: str = "") -> None:
        """Raise ``ValueError`` if a running job has one of the nodes."""
        taken = where[self._holder[where] >= 0]
        if len(taken):
            holder = self._holder[taken[0]]
            raise ValueError(f"placement: {when}node {taken[0]} is still used by job {holder}")

    def stop(self, job: int) -> None:
        """Stop a job between two cycles: its tasks do nothing from now on, and its nodes are free at once.

        Its packets, including those in injectors, are delivered, but its messages do not complete. `drained`
        reports when the last of them has left. A job that has not begun never begins, and is forgotten.
        """
        with self._uninterrupted():
            self._stop(job)

    def _stop(self, job: int, by_fault: bool = False) -> None:
        hosted = self._find(job)
        hosted.stopped_by_fault = by_fault
        if hosted.lost_at >= 0:
            raise ValueError(f"job {job}: was stopped by a fault before it began")
        if job in self._running:
            self._engine.stop(hosted.number)
            self._running.discard(job)
            self._holder[hosted.nodes] = -1
        elif hosted.number < 0:
            self._waiting = [(begin, other) for begin, other in self._waiting if other != job]
            if by_fault:
                hosted.lost_at = self.now
            else:
                del self._jobs[job]
        else:
            raise ValueError(f"job {job}: has ended and cannot be stopped")
        self._stirred = self.now

    def drained(self, job: int) -> bool:
        """Return whether a job has ended or was stopped, and has no packets in flight."""
        hosted = self._find(job)
        return hosted.lost_at >= 0 or (hosted.number >= 0 and self._engine.drained(hosted.number))

    def forget(self, job: int) -> None:
        """Delete the record of a job that has ended, so that a network can run any number of jobs.

        Counters keep its packets, `result` omits it, and it cannot be queried.
        """
        hosted = self._find(job)
        if (hosted.number < 0 and hosted.lost_at < 0) or job in self._running:
            raise ValueError(f"job {job}: has not ended; stop it first")
        if hosted.number >= 0:
            self._engine.forget(hosted.number)
        del self._jobs[job]

    def _find(self, job: int) -> HostedJob:
        if job not in self._jobs:
            label = "is forgotten" if 0 <= job < self._given else f"no such job, {self._given} were started"
            raise ValueError(f"job {job}: {label}")
        return self._jobs[job]

    def program(self, job: int) -> Program:
        """Return the program of a job as the engine stores it: one iteration, if it stores only one."""
        return self._find(job).program

    def rounds(self, job: int) -> NDArray[np.float64]:
        """Return the completed iterations of each task that does anything, for a job with `times`.

        A partial iteration counts by the operations that have begun.
        """
        return self._engine.rounds(self._looping(job).number)

    def laps(self, job: int) -> IterationCounts:
        """Return the progress of the tasks of a job with `times` in its iterations."""
        return self._engine.laps(self._looping(job).number)

    def skip(self, job: int, counts: ArrayLike) -> None:
        """Count further iterations of each task of a job as completed, between two cycles.

        The messages of these iterations count as received, and packets in flight stay. The network is then in
        a state that a simulation of those iterations could have reached. The clock does not advance.
        """
        hosted = self._looping(job)
        given = integers_as(np.int64, array_of(counts, "skip: counts"), "skip: counts")
        if given.shape != hosted.nodes.shape or (given < 0).any():
            raise ValueError(
                f"skip: counts: expected a number of at least 0 for each of {len(hosted.nodes)} tasks"
            )
        with self._uninterrupted():
            self._engine.skip(hosted.number, given)

    def _looping(self, job: int) -> HostedJob:
        """Return a running job whose iterations are stored once."""
        hosted = self._find(job)
        if job not in self._running or hosted.times == 1:
            raise ValueError(f"job {job}: does not run, or its iterations are not stored once")
        return hosted

    @property
    def cut(self) -> NDArray[np.bool_]:
        """Whether each node has been cut off by a fault."""
        known = self._left.cut if isinstance(self._left, Graph) else None
        return np.zeros(self.topology.nodes, bool) if known is None else known

    def _install_due(self) -> None:
        while self._waiting and self._waiting[0][0] <= self.now:
            _, number = self._waiting[0]
            job = self._jobs[number]
            self._check_free(job.nodes, f"job {number} begins in cycle {self.now}, but ")
            del self._waiting[0]
            self._holder[job.nodes] = number
            job.number = self._engine.install(job.program, job.nodes, job.times, job.identity)
            self._stirred = self.now + 1
            if self._explains:
                self._numbers.append(number)
                if number == self._watched:
                    self._engine.watch(job.number)
            self._running.add(number)

    def _ended(self) -> list[int]:
        """Return the jobs that have ended since the last call, and free their nodes."""
        ended = [job for job in sorted(self._running) if self._engine.end(self._jobs[job].number) >= 0]
        for job in ended:
            self._running.discard(job)
            self._holder[self._jobs[job].nodes] = -1
        return ended

    def job(self, number: int) -> JobRecord:
        hosted = self._find(number)
        if hosted.number < 0 and hosted.lost_at < 0:
            raise ValueError(f"job {number}: has not begun")
        return self._record(hosted)

    def _record(self, job: HostedJob) -> JobRecord:
        if job.number >= 0:
            return self._engine.job(job.number, min(self.now, self._still))
        none = np.zeros(len(job.nodes), np.int64)  # a fault came before its start
        never = (
            np.full(int(creates_packets(job.program).sum()), -1, np.int64) if self.record_messages else None
        )
        return JobRecord(job.lost_at, job.lost_at, none + job.lost_at, none, never, never, stopped=True)

    def outcome(self, number: int) -> JobOutcome | None:
        """Return how a job ended; None while it runs or has not begun."""
        hosted = self._find(number)
        if hosted.lost_at >= 0:
            return Stopped(hosted.lost_at, by_fault=True)
        if number in self._running:
            return self._standstill
        if hosted.number < 0:
            return None
        record = self._record(hosted)
        if record.stopped:
            return Stopped(record.end, hosted.stopped_by_fault)
        return Finished(record.end - record.start) if record.end >= 0 else None
