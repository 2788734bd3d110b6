"""The simulation of jobs on a machine, event by event, in SimPy.

One process submits the jobs. Each running job is one event, its end; if the execution does not know it at the
start, that event is made once no other comes before it. After all events of one instant the policy decides,
once, which jobs start. So ties are decided by the policy and the order of submission alone.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Iterable
from itertools import chain

import numpy as np
import simpy

from netplace.inputs import abbreviate
from netplace.records import check_fields
from netplace.scheduling.execution import Execution
from netplace.scheduling.job import Job
from netplace.scheduling.losses import Losses
from netplace.scheduling.partitioner import Allocation, Partitioner
from netplace.scheduling.partitioner.allocation import kind_of
from netplace.scheduling.policy import Queue, Running, Waiting
from netplace.scheduling.power.nodes import NodePower
from netplace.scheduling.record import Record
from netplace.scheduling.schedule import Cost, State
from netplace.scheduling.times import Estimate


def reason_against(job: Job, empty: Partitioner) -> str:
    """Return why a job finds no place even on the empty machine; empty text if it does."""
    if job.nodes > empty.free:
        return f"it needs more than the {empty.free} nodes of the machine"
    if empty.by_count:
        return ""
    try:
        allocation = empty.find(job)
    except ValueError as error:
        return str(error)
    return "" if allocation is not None else "it does not fit on the empty machine"


def refusals(jobs: Iterable[Job], empty: Partitioner) -> dict[int, str]:
    empty = empty.copy()
    known: dict[object, str] = {}
    reasons = {}
    for job in jobs:
        kind = kind_of(job, empty)
        if kind not in known:
            known[kind] = reason_against(job, empty)
        if known[kind]:
            reasons[job.number] = known[kind]
    return reasons


Tell = Callable[[int, float], None]
_EVERY = 1000  # ended jobs between two calls of `tell`
_LEAST_EXTENSION = 60.0  # seconds by which a job that is late is expected to be later, at least


class Simulation:
    """One run; the `netplace.scheduling.policy.Machine` that the policy sees.

    With `power`, a job holds its nodes from its start on, and runs once all of them are on. `present`, `one`
    (a single node's shape) and `anew` (an empty queue) are needed where nodes may be lost.
    """

    def __init__(
        self,
        partitioner: Partitioner,
        queue: Queue,
        execution: Execution,
        estimate: Estimate,
        overrun: str,
        record: Record,
        tell: Tell | None = None,
        power: NodePower | None = None,
        present: int = 0,
        node_shape: tuple[int, ...] | None = None,
        anew: Callable[[], Queue] | None = None,
    ) -> None:
        self.now, self.releases, self.partitioner = 0.0, 0, partitioner
        self._queue, self._execution, self._estimate, self._overrun = queue, execution, estimate, overrun
        self._record, self._tell, self._power = record, tell, power
        self._empty, self._reasons = partitioner.copy(), dict[object, str]()
        self._losses = Losses(execution, partitioner, self._empty, present, node_shape, anew or type(queue))
        self._trials: dict[int, tuple[int, int]] = {}
        self._open: dict[int, Running] = {}  # those whose end is not known yet
        self._due = set[int]()  # those whose end has become known, and comes before all other events
        self._started = self._ended = self._passes = self._searches = self._visited = 0
        self._before = partitioner.searches, partitioner.visited
        self._cpu_seconds = 0.0
        self._pass_due = False
        self._wake_at = math.nan

    def run(self, jobs: Iterable[Job]) -> None:
        jobs = iter(jobs)
        first = next(jobs, None)
        if first is None:
            raise ValueError("jobs: none given, expected at least one")
        _check(first)
        self.now = float(first.submit) if math.isfinite(first.submit) else 0.0
        self._env = simpy.Environment(initial_time=self.now)
        self._env.process(self._arrivals(chain((first,), jobs)))
        while self._await_ends():
            self._env.step()
        if (head := self._queue.head()) is not None:
            raise ValueError(f"job {head.job.number}: was never started although no other job runs")

    def cost(self) -> Cost:
        return Cost(
            self._passes,
            self._searches + self.partitioner.searches - self._before[0],
            self._visited + self.partitioner.visited - self._before[1],
            self._cpu_seconds,
        )

    # What a policy may do.

    def start(self, waiting: Waiting, allocation: Allocation, backfilled: bool = False) -> Running:
        self.partitioner.take(allocation)
        delay = 0.0 if self._power is None else self._power.take(allocation.nodes, self.now) - self.now
        running = Running(
            waiting,
            allocation,
            self.now,
            self._started,
            self.now + delay + waiting.estimate,
            backfilled,
            begin=self.now + delay,
        )
        self._started += 1
        self._losses.starts(running)
        seconds = self._execution.begin(running.order, waiting.job, allocation, self.now)
        self._record.started(running, seconds)
        if seconds is None:
            self._open[running.order] = running
        late = waiting.estimate < math.inf if seconds is None else seconds > waiting.estimate
        fails = late and self._overrun == "kill"
        if seconds is not None and not fails:
            self._at(delay + seconds, self._end, running, State.DONE)
        if late:
            self._at(delay + waiting.estimate, self._on_wall if fails else self._on_late, running)
        return running

    def kill(self, running: Running) -> None:
        self._record.killed(running, self.now)
        self._stop(running)
        self._let_go(running)
        waiting = running.waiting
        self._wait(Waiting(waiting.job, waiting.row, waiting.estimate, promised=waiting.promised))

    def end(self, running: Running) -> None:
        """End a job early, for good."""
        self._stop(running)
        self._end(running, State.FAILED)

    def refuse(self, waiting: Waiting) -> None:
        """Turn a job away that the policy has taken out of its queue."""
        self._record.refused(waiting.row, self.now)

    def wake(self, time: float) -> None:
        if time != self._wake_at:
            self._wake_at = time
            self._at(time - self.now, self._on_wake, time)

    def trial(self) -> Partitioner:
        copy = self.partitioner.copy()
        self._trials[id(copy)] = copy.searches, copy.visited
        return copy

    def spent(self, partitioner: Partitioner) -> None:
        searches, visited = self._trials.pop(id(partitioner))
        self._searches += partitioner.searches - searches
        self._visited += partitioner.visited - visited

    # What happens.

    def _await_ends(self) -> bool:
        """Make events of the ends that come before all others; return whether anything is left to happen."""
        if self._open:
            ends = self._execution.next_end(self._env.peek())
            if ends is not None:
                for attempt in ends.attempts:
                    running = self._open.pop(attempt)
                    self._due.add(attempt)
                    state = State.FAILED if ends.failed else State.DONE
                    self._at(max(ends.time - self._env.now, 0.0), self._end, running, state)
        return self._env.peek() < math.inf

    def _arrivals(self, jobs: Iterable[Job]) -> Generator[simpy.Event, None, None]:
        env, last = self._env, -math.inf
        for job in jobs:
            _check(job)
            if not last <= job.submit < math.inf:
                raise ValueError(
                    f"job {job.number}: submitted at {job.submit:g}, expected at or after {last:g}"
                )
            last = job.submit
            while env.now < job.submit:
                # The sum may be rounded down; a job never arrives before its time.
                yield env.timeout(max(job.submit - env.now, float(np.spacing(env.now))))
            self._submit(job)

    def _submit(self, job: Job) -> None:
        self._clock()
        self._lose()
        if reason := self._reason_against(job):
            self._record.rejected(job, reason)
            return
        estimate = self._estimate(job)
        self._wait(Waiting(job, self._record.submitted(job, estimate), estimate))
        self._ask()

    def _wait(self, waiting: Waiting) -> None:
        self._losses.waits(waiting)
        self._queue.add(waiting)

    def _lose(self) -> None:
        if self._losses.look(self.now):
            self._reasons.clear()

    def _turn_away(self) -> None:
        """Turn jobs away that wait for nodes that are lost, once no other job runs."""
        away, queue = self._losses.turned_away(self._reason_against)
        if queue is not None:
            for waiting in away:
                self._record.refused(waiting.row, self.now)
            self._queue = queue
            self._queue.advance(self)

    def _on_wall(self, running: Running) -> None:
        if not (running.over or running.order in self._due):
            self._stop(running)
            self._end(running, State.FAILED)

    def _stop(self, running: Running) -> None:
        if running.order not in self._due:  # or it has ended in this very instant
            self._execution.stop(running.order, self._env.now)
            self._open.pop(running.order, None)

    def _end(self, running: Running, state: State) -> None:
        if running.over:
            return
        self._clock()
        self._due.discard(running.order)
        self._record.ended(running, self.now, state)
        running.failed = state == State.FAILED
        self._let_go(running)
        self._ask()
        self._ended += 1
        if self._tell is not None and self._ended % _EVERY == 0:
            self._tell(self._ended, self.now)

    def _on_late(self, running: Running) -> None:
        """Expect a job longer, or leave it to the policy to put it back."""
        if running.over or running.order in self._due:
            return
        self._clock()
        expected = running.expected_end
        if not (running.backfilled and self._overrun == "requeue"):
            expected = self.now + max(self.now - running.start, _LEAST_EXTENSION)
            self._at(expected - self.now, self._on_late, running)
        self._queue.late(running, expected)
        self._ask()

    def _on_wake(self, time: float) -> None:
        if time == self._wake_at:
            self._clock()
            self._wake_at = math.nan
            self._ask()

    def _on_asked(self) -> None:
        self._pass_due = False
        self._passes += 1
        self._lose()
        began = time.process_time()
        self._queue.advance(self)
        self._turn_away()
        self._cpu_seconds += time.process_time() - began
        head, free = self._queue.head(), self.partitioner.free
        if head is not None and math.isnan(head.head_since):
            head.head_since = self.now
        self._record.unusable(free if head is not None and head.job.nodes <= free else 0)

    def _ask(self) -> None:
        """Have the policy asked after all events of this instant."""
        # What was due at this instant stands before a new event of no delay.
        if not self._pass_due:
            self._pass_due = True
            self._at(0, self._on_asked)

    def _let_go(self, running: Running) -> None:
        self.partitioner.release(running.allocation)
        if self._power is not None:
            self._power.release(running.allocation.nodes, running.begin, self.now)
            self._power.begins[running.waiting.row] = running.begin
        self._losses.ends(running)
        self.releases += 1
        self._queue.ended(running)
        running.over = True

    def _clock(self) -> None:
        self.now = self._env.now
        self._record.clock(self.now)

    def _at(self, delay: float, act: Callable[..., None], *arguments: object) -> None:
        self._env.timeout(delay).callbacks.append(lambda _: act(*arguments))

    def _reason_against(self, job: Job) -> str:
        if job.nodes < 1 or not 0 <= job.run_time < math.inf:
            raise ValueError(
                f"job {job.number}: {job.nodes} nodes for {job.run_time:g} s, "
                f"expected at least 1 node and at least 0 s"
            )
        kind = kind_of(job, self._empty)
        reason = self._reasons.get(kind)
        if reason is None:
            reason = self._reasons[kind] = reason_against(job, self._empty)
        return reason


def _check(job: object) -> None:
    if not isinstance(job, Job):
        raise ValueError(f"jobs: {abbreviate(job)} is not a Job")
    check_fields(job)
