"""Jobs on a machine under the rules of a site, and the policy with these rules.

The policy is for partitioners that only count nodes.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

import numpy as np

from netplace.scheduling.execution import Execution
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner import make_partitioner
from netplace.scheduling.partitioner.allocation import Allocation
from netplace.scheduling.policy import Policy
from netplace.scheduling.policy.asked import Machine, Running, Waiting
from netplace.scheduling.policy.plan import Profile, planned_end
from netplace.scheduling.schedule import Schedule
from netplace.scheduling.simulator import schedule
from netplace.scheduling.site_rules.settings import JobQueue, Outage, Site
from netplace.scheduling.times import LogTimes, RunTimes, estimate_rule
from netplace.topologies import Topology

# Seconds by which a prediction that was too short is corrected, one after the other: Tsafrir et al. 2007.
_INCREMENTS = (60, 300, 900, 1800, 3600, 7200, 18000, 36000, 72000, 180000, 360000)


class _Usage:
    """Node-seconds of each user, halved after every half-life (Kay and Lauder, CACM 31(1), 1988)."""

    def __init__(self, half_life: float) -> None:
        self._rate = math.log(2) / half_life
        self._used: dict[int, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))

    def add(self, user: int, nodes: int, begin: float, now: float) -> None:
        self._used[user] = self.of(user, now) + self.counted(nodes, begin, now), now

    def counted(self, nodes: int, begin: float, now: float) -> float:
        """Return what nodes held from `begin` until now count: the integral over their seconds."""
        return nodes * -math.expm1(-self._rate * (now - begin)) / self._rate

    def of(self, user: int, now: float) -> float:
        amount, then = self._used[user]
        return amount * math.exp(-self._rate * (now - then))


class _LastTwo:
    """Predicts a run time as the mean of the user's last two that ended, at most the estimate."""

    def __init__(self) -> None:
        self._last: dict[int, list[float]] = defaultdict(list)

    def ended(self, job: Job, seconds: float) -> None:
        self._last[job.user] = [*self._last[job.user], seconds][-2:]

    def of(self, job: Job, estimate: float) -> float:
        last = self._last[job.user] if job.user >= 0 else []
        return min(estimate, max(sum(last) / 2, 1.0)) if len(last) == 2 else estimate


_MOST_LOST = 1000
_MOST_IN_VAIN = 50_000  # failures of nodes from one end of a job to the next, while jobs wait or run
_MOST_AT_ONCE = 1_000_000  # and while the machine is empty


class SiteQueue:
    """Waiting jobs under the rules of a `Site`.

    Every pass considers the eligible jobs in the order of priority, with a plan of free nodes over time that
    includes running jobs, windows and earlier reservations. A job starts if it fits now for its whole
    expected time. Of the others, as many get a reservation as the backfilling rule allows. A job that a limit
    of its queue holds back is skipped.
    """

    def __init__(self, site: Site, machine: Topology, known: frozenset[int] = frozenset()) -> None:
        self._site, self._known = site, known
        self._numbers, self._nodes = machine.nodes, len(machine.computing)
        self._service = frozenset(int(node) for node in machine.service)
        self._waiting: dict[int, Waiting] = {}
        self._running: dict[int, Running] = {}
        self._queues: dict[int, JobQueue] = {}
        self._predicted: dict[int, float] = {}
        self._corrected: Counter[int] = Counter()
        self._ended_at: dict[int, float] = {}
        self._usage, self._history = _Usage(site.half_life), _LastTwo()
        self._outages: Iterator[Outage] | None = None
        self._next_outage: Outage | None = None
        self._down: dict[int, float] = {}
        self._machine: Machine | None = None
        self._killing = False
        self._lost: Counter[int] = Counter()
        self.failures = self._in_vain = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, waiting: Waiting) -> None:
        self._waiting[waiting.row] = waiting
        queue = self._site.queue_of(waiting.job, waiting.estimate)
        assert queue is not None, "jobs that no queue admits are refused before"
        self._queues[waiting.row] = queue

    def ended(self, running: Running) -> None:
        del self._running[running.order]
        assert self._machine is not None
        job, now = running.waiting.job, self._machine.now
        self._usage.add(job.user, job.nodes, running.start, now)
        if not self._killing:
            self._in_vain = 0
            self._ended_at[job.number] = now
            self._history.ended(job, now - running.start)

    def late(self, running: Running, expected_end: float) -> None:
        running.expected_end = expected_end

    def head(self) -> Waiting | None:
        return min(self._waiting.values(), key=lambda waiting: waiting.row, default=None)

    def advance(self, machine: Machine) -> None:
        self._machine = machine
        self._fail(machine)
        for waiting in self._waiting.values():
            if waiting.row not in self._predicted:
                job, estimate = waiting.job, waiting.estimate
                predicted = self._history.of(job, estimate) if self._site.prediction else estimate
                self._predicted[waiting.row] = predicted
        self._correct(machine.now)
        reserved = self._pass(machine)
        self._wake(machine, reserved)

    def _pass(self, machine: Machine) -> float:
        """Go through the jobs in order of priority; return the earliest reservation."""
        plan, now = self._plan(machine.now), machine.now
        reserved, blocked = math.inf, False
        running_jobs = [running.waiting for running in self._running.values()]
        counts = Counter(self._queues[waiting.row].name for waiting in running_jobs)
        users = Counter((self._queues[waiting.row].name, waiting.job.user) for waiting in running_jobs)
        eligible = [waiting for waiting in self._waiting.values() if self._since(waiting) <= now]
        for waiting in sorted(eligible, key=lambda waiting: self._key(waiting, now)):
            queue, job = self._queues[waiting.row], waiting.job
            if counts[queue.name] >= (queue.most_running or math.inf):
                continue
            if users[queue.name, job.user] >= (queue.most_per_user or math.inf):
                continue
            seconds = self._predicted[waiting.row]
            fits = job.nodes <= machine.partitioner.free and plan.fits(job.nodes, seconds, now)
            allocation = machine.partitioner.find(job) if fits else None
            if allocation is not None:
                del self._waiting[waiting.row]
                running = machine.start(waiting, allocation, backfilled=blocked)
                running.expected_end = now + seconds
                self._running[running.order] = running
                plan.change(now, running.expected_end, -job.nodes)
                counts[queue.name] += 1
                users[queue.name, job.user] += 1
                continue
            if self._site.backfill == "none":
                break
            if not blocked or self._site.backfill == "conservative":
                start = plan.earliest(job.nodes, seconds, now)
                if start < math.inf:
                    plan.change(start, planned_end(start, seconds), -job.nodes)
                    reserved = min(reserved, start)
                    if math.isnan(waiting.promised):
                        waiting.promised = start
            blocked = True
        return reserved

    def _plan(self, now: float) -> Profile:
        plan = Profile(self._nodes - len(self._down))
        for running in self._running.values():
            plan.change(-math.inf, running.expected_end, -len(running.allocation.nodes))
        for window in self._site.windows:
            if window.end > now:
                plan.change(window.begin, window.end, -(window.nodes or self._nodes))
        return plan

    def _since(self, waiting: Waiting) -> float:
        """Return from when on a job may start; infinity: the job before it has not ended."""
        job = waiting.job
        if not self._site.dependencies or job.after < 0 or job.after not in self._known:
            return -math.inf
        return self._ended_at.get(job.after, math.inf) + job.think

    def _key(self, waiting: Waiting, now: float) -> tuple[float, float, int]:
        job, order = waiting.job, self._site.order
        value = 0.0
        if order == "largest":
            value = -float(job.nodes)
        elif order == "shortest":
            value = self._predicted[waiting.row]
        elif order == "fair-share":
            value = self._share(job.user, now)
        return -self._queues[waiting.row].priority, value, waiting.row

    def _share(self, user: int, now: float) -> float:
        held = sum(
            self._usage.counted(running.waiting.job.nodes, running.start, now)
            for running in self._running.values()
            if running.waiting.job.user == user
        )
        return self._usage.of(user, now) + held

    def _correct(self, now: float) -> None:
        """Expect jobs longer that have outrun their predictions, up to their estimates."""
        for running in self._running.values():
            limit = running.start + running.waiting.estimate
            while running.expected_end <= now and running.expected_end < limit:
                place = self._corrected[running.order]
                self._corrected[running.order] += 1
                more = _INCREMENTS[min(place, len(_INCREMENTS) - 1)]
                running.expected_end = min(running.expected_end + more, limit)

    def _fail(self, machine: Machine) -> None:
        """Let nodes fail and come back, up to now; who runs on one that fails loses all."""
        if self._outages is None:
            self._outages = self._site.failures.events(self._numbers, machine.now)
            self._next_outage = next(self._outages, None)
        since = min(self._submissions(), default=math.inf)
        passed = 0
        while (outage := self._next_outage) is not None and outage.begin <= machine.now:
            self._repair(machine, outage.begin)
            self._in_vain += outage.begin >= since
            passed += 1
            if self._in_vain > _MOST_IN_VAIN or passed > _MOST_AT_ONCE:
                times = max(self._in_vain, passed) - 1
                raise ValueError(
                    f"failures: nodes failed {times:,} times before any job ended; failures are too "
                    f"frequent or repairs too long"
                )
            down = outage.node in self._down or outage.node in self._service
            if not down and outage.end > machine.now:
                self._take_down(machine, outage)
            self._next_outage = next(self._outages, None)
        self._repair(machine, machine.now)

    def _submissions(self) -> list[float]:
        """Return when the jobs that wait or run were submitted."""
        running = (running.waiting for running in self._running.values())
        return [waiting.job.submit for waiting in chain(self._waiting.values(), running)]

    def _take_down(self, machine: Machine, outage: Outage) -> None:
        self.failures += min(self._submissions(), default=math.inf) <= outage.begin
        for running in list(self._running.values()):
            if np.isin(outage.node, running.allocation.nodes):
                row = running.waiting.row
                self._lost[row] += 1
                if self._lost[row] > _MOST_LOST:
                    number = running.waiting.job.number
                    raise ValueError(
                        f"job {number}: lost its nodes {_MOST_LOST} times; failures are too frequent"
                    )
                self._killing = True
                machine.kill(running)
                self._killing = False
        self._down[outage.node] = outage.end
        machine.partitioner.take(Allocation(np.array([outage.node])))

    def _repair(self, machine: Machine, now: float) -> None:
        for node in [node for node, end in self._down.items() if end <= now]:
            del self._down[node]
            machine.partitioner.release(Allocation(np.array([node])))

    def _wake(self, machine: Machine, reserved: float) -> None:
        """Ask for a pass when something is due that is no end and no submission."""
        if not (self._waiting or self._running):
            return
        now = machine.now
        due = [] if self._next_outage is None else [self._next_outage.begin]
        due += self._down.values()
        if self._waiting:
            due += [reserved, *(self._since(waiting) for waiting in self._waiting.values())]
            due += [time for window in self._site.windows for time in (window.begin, window.end)]
            if self._site.prediction:
                due += [running.expected_end for running in self._running.values()]
        nearest = min((time for time in due if now < time < math.inf), default=math.inf)
        if nearest < math.inf:
            machine.wake(nearest)


def check_dependencies(jobs: Sequence[Job]) -> int:
    """Return the number of jobs that depend on a missing job and therefore do not wait for any job."""
    after = {job.number: job.after for job in jobs}
    sound: set[int] = set()
    for first in after:
        path, number = list[int](), first
        while number in after and number not in sound:
            if number in path:
                circle = [*path[path.index(number) :], number]
                shown = " after ".join(map(str, circle[:8])) + (" .." if len(circle) > 8 else "")
                raise ValueError(f"jobs: depend on each other in a cycle, {shown}")
            path.append(number)
            number = after[number]
        sound.update(path)
    return sum(job.after >= 0 and job.after not in after for job in jobs)


class SiteRun:
    """The rules of a site, prepared for scheduling given jobs: a policy, and the admitted jobs.

    `jobs` are in order of submission; `partitioner` is the text form of the partitioner, and `times` gives
    the longest run time of each job.

    Attributes
    ----------
    schedule : Schedule
        The schedule that `run_site` made; its `kills` count restarts after node failures.
    refused : tuple of int
        Numbers of the jobs that no queue admits; these jobs are not in the schedule.
    unknown_before : int
        Number of jobs that depend on a missing job and therefore do not wait for any job.
    """

    schedule: Schedule

    def __init__(
        self,
        site: Site,
        machine: Topology,
        jobs: Sequence[Job],
        partitioner: str,
        times: RunTimes | Execution,
        estimates: str = "run-time",
        overrun: str = "keep",
    ) -> None:
        if not make_partitioner(partitioner, machine).by_count:
            raise ValueError(
                f"partition {partitioner}: chooses specific nodes, expected one that only counts nodes, "
                f"such as non-contiguous"
            )
        if overrun == "requeue":
            raise ValueError("overrun 'requeue': the rules of a site requeue only jobs whose nodes fail")
        present = len(machine.computing)
        for window in site.windows:
            if window.nodes is not None and window.nodes > present:
                raise ValueError(
                    f"window {window.name}: {window.nodes} nodes, but the machine has {present} for jobs"
                )
        estimate = estimate_rule(estimates, times)
        self.admitted = [job for job in jobs if site.queue_of(job, estimate(job)) is not None]
        within = {job.number for job in self.admitted}
        self.refused = tuple(job.number for job in jobs if job.number not in within)
        if not self.admitted:
            raise ValueError(f"jobs: no queue accepts any of {len(jobs)}")
        self.unknown_before = check_dependencies(self.admitted) if site.dependencies else 0
        self.policy = Policy("site", self._queue, "the rules of a site")
        self._site, self._machine = site, machine
        self._known = frozenset(job.number for job in self.admitted if job.nodes <= present)
        self._queues: list[SiteQueue] = []

    def _queue(self) -> SiteQueue:
        self._queues.append(SiteQueue(self._site, self._machine, self._known))
        return self._queues[-1]

    @property
    def failures(self) -> int:
        """Number of nodes that failed while jobs waited or ran, not counting service nodes."""
        return self._queues[-1].failures

    def counts(self) -> dict[str, int]:
        """Return the numbers of refused jobs, of failed nodes, and of jobs that depend on a missing job."""
        return {
            "refused": len(self.refused),
            "node_failures": self.failures,
            "before_unknown": self.unknown_before,
        }


def run_site(
    machine: Topology,
    jobs: Sequence[Job],
    site: Site,
    partitioner: str = "non-contiguous",
    times: RunTimes | None = None,
    *,
    estimates: str = "run-time",
    overrun: str = "keep",
    seed: int = 0,
    tell: Callable[[int, float], None] | None = None,
) -> SiteRun:
    """Schedule jobs, given in order of submission, under the rules of a site.

    The partitioner must be one for which any free nodes suffice; `seed` is its seed. `times`, `estimates`,
    `overrun` and `tell` are those of `netplace.scheduling.schedule`.
    """
    times = LogTimes() if times is None else times
    run = SiteRun(site, machine, jobs, partitioner, times, estimates, overrun)
    chosen = make_partitioner(partitioner, machine, seed)
    run.schedule = schedule(
        machine, run.admitted, run.policy, chosen, times, estimates=estimates, overrun=overrun, tell=tell
    )
    return run
