"""netplace as the platform: another process decides where and when jobs start, and their packets run here."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from typing import Any, ClassVar, cast

import numpy as np

from netplace.cosim import CosimPlan, cosimulate
from netplace.inputs import abbreviate
from netplace.live.batsim.protocol import Event, Talk, finite, read, read_interval_set, write
from netplace.runs.networks import hosts_of
from netplace.runs.plan import Plan
from netplace.runs.schedules import refused_jobs, run_schedule, workload_of
from netplace.scheduling import Allocation, Job
from netplace.scheduling.policy import Machine, Policy, Running, Waiting
from netplace.scheduling.simulation import Simulation
from netplace.topologies.host_lists import spelled

# Of a plan whose jobs another places.
RULES = {"policy": "fcfs", "partition": "non-contiguous", "overrun": "kill"}
_CONFIG = {
    "redis-enabled": False,
    "profiles-forwarded-on-submission": True,
    "dynamic-jobs-enabled": False,
    "dynamic-jobs-acknowledged": False,
    "profile-reuse-enabled": False,
    "forward-unknown-events": False,
}
_NOT_HERE = ("storage_mapping", "additional_io_job")  # of EXECUTE_JOB


def run_with(talk: Talk, plan: Plan | CosimPlan, threads: int | str = 1) -> Any:
    """Run the jobs of a plan as another process decides; return the result of its kind of plan."""
    own = plan if isinstance(plan, Plan) else plan.jobs
    if isinstance(plan, CosimPlan) and plan.config.faults:
        raise ValueError(f"faults: {plan.config.faults!r} given, but a scheduler cannot be told of them here")
    jobs = workload_of(own)
    refused = refused_jobs(own, jobs)
    fitting = [job for job in jobs if job.number not in refused]
    machine = hosts_of(own.machine)
    nodes = np.setdiff1d(np.arange(own.installed or machine.nodes), machine.service)
    names = getattr(machine, "hosts", ()) or [f"n{node}" for node in range(machine.nodes)]
    queue = ForeignQueue(talk, fitting, {f"{names[node]}": node for node in nodes.tolist()})
    policy = Policy("batsim", lambda: queue, "another process decides")
    queue.begin()
    if isinstance(plan, Plan):
        made: Any = run_schedule(plan, policy=policy, keep_nodes=True)
    else:
        made = cosimulate(plan, policy=policy, threads=threads)
    queue.finish()
    return made


class ForeignQueue:
    """The queue of a policy whose decisions another process takes, and sends as messages."""

    def __init__(self, talk: Talk, jobs: list[Job], nodes: dict[str, int]) -> None:
        self._talk, self._jobs, self._nodes = talk, jobs, nodes
        self._to_come = len(jobs)
        self._waiting: dict[str, Waiting] = {}
        self._running: dict[str, Running] = {}
        self._over = set[str]()
        self._killed = set[str]()  # by the scheduler
        self._holders: dict[int, str] = {}  # by node
        self._now = 0.0
        self._news: list[Event] = []
        self._calls: list[float] = []  # times at which the scheduler asked to be called, a heap
        self._decided: list[Event] = []  # decisions still to be carried out
        self._busy_until = 0.0  # until when the scheduler takes time to decide

    # What happens.

    def __len__(self) -> int:
        return len(self._waiting)

    def head(self) -> Waiting | None:
        return next(iter(self._waiting.values()), None)

    def add(self, waiting: Waiting) -> None:
        job, name = waiting.job, _name(waiting.job)
        self._waiting[name] = waiting
        self._to_come -= 1
        # A type that schedulers know; a job on the network has no run time before it has run.
        profile = {"type": "delay", "delay": job.run_time or max(finite(waiting.estimate), 0.0)}
        if job.program:
            profile |= {"program": job.program, "repeats": job.repeats}
        record = {
            "id": name,
            "subtime": job.submit,
            "res": job.nodes,
            "walltime": finite(waiting.estimate),
            "profile": f"profile{job.number}",
        }
        self._tell("JOB_SUBMITTED", job_id=name, job=record, profile=profile)
        if not self._to_come:
            self._tell("NOTIFY", type="no_more_static_job_to_submit")

    def ended(self, running: Running) -> None:
        name = _name(running.waiting.job)
        del self._running[name]
        self._over.add(name)
        for node in running.allocation.nodes.tolist():
            del self._holders[node]
        state = "COMPLETED_SUCCESSFULLY"
        if name in self._killed:
            state = "COMPLETED_KILLED"
        elif running.failed:
            state = f"COMPLETED_{'FAILED' if math.isinf(running.waiting.estimate) else 'WALLTIME_REACHED'}"
        code = int(state != "COMPLETED_SUCCESSFULLY")
        places = np.searchsorted(self._ids, np.sort(running.allocation.nodes))
        self._tell(
            "JOB_COMPLETED", job_id=name, job_state=state, return_code=code, alloc=spelled(places, " ")
        )

    def late(self, running: Running, expected_end: float) -> None:
        running.expected_end = expected_end

    def advance(self, machine: Machine) -> None:
        self._now = machine.now
        self._carry_out(cast(Simulation, machine))
        if self._now >= self._busy_until:
            while self._calls and self._calls[0] <= self._now:
                heapq.heappop(self._calls)
                self._tell("REQUESTED_CALL")
            if self._news:
                self._exchange()
                self._carry_out(cast(Simulation, machine))
        if self._decided:
            machine.wake(self._decided[0].timestamp)
        elif self._busy_until > self._now:
            machine.wake(self._busy_until)
        elif self._calls:
            machine.wake(self._calls[0])

    # Messages.

    def begin(self) -> None:
        """Tell the scheduler of the machine, and let it be called up to the first job."""
        hosts = [
            {"id": place, "name": name, "state": "idle", "properties": {}, "zone_properties": {}}
            for place, name in enumerate(self._nodes)
        ]
        self._ids = np.array([*self._nodes.values()])
        self._tell(
            "SIMULATION_BEGINS",
            nb_resources=len(hosts),
            nb_compute_resources=len(hosts),
            nb_storage_resources=0,
            allow_compute_sharing=False,
            allow_storage_sharing=False,
            config=_CONFIG,
            compute_resources=hosts,
            storage_resources=[],
            workloads={_WORKLOAD: "netplace"},
            profiles={_WORKLOAD: {}},
        )
        self._exchange()
        while self._calls and self._calls[0] < self._jobs[0].submit:
            self._now = heapq.heappop(self._calls)
            self._tell("REQUESTED_CALL")
            self._exchange()

    def finish(self) -> None:
        """Tell the scheduler that all is over."""
        self._tell("SIMULATION_ENDS")
        self._exchange()

    def _tell(self, kind: str, **data: Any) -> None:
        self._news.append(Event(0.0, kind, data))  # all of this instant; it is known when they are sent

    def _exchange(self) -> None:
        """Send what has happened, and take the decisions."""
        now = max(self._now, self._busy_until)
        for event in self._news:
            event.timestamp = now
        answer = read(self._talk(write(now, self._news)), now)
        self._news, self._busy_until = [], answer.now
        for event in answer.events:
            if event.type == "CALL_ME_LATER":
                heapq.heappush(self._calls, self._call(event))
            elif event.type in self._DECISIONS:
                self._decided.append(event)
            elif event.type not in _NOTED:
                raise ValueError(
                    f"{abbreviate(event.type)}: the scheduler sends what this platform does not take"
                )

    def _call(self, event: Event) -> float:
        at = float(event.get("timestamp", float))
        if not event.timestamp < at < math.inf:
            raise ValueError(f"CALL_ME_LATER: {at:g} is not after {event.timestamp:g}, when it is asked")
        return at

    def _carry_out(self, machine: Simulation) -> None:
        while self._decided and self._decided[0].timestamp <= self._now:
            event = self._decided.pop(0)
            self._DECISIONS[event.type](self, event, machine)

    def _execute(self, event: Event, machine: Simulation) -> None:
        waiting = self._take(event)
        name, wanted = _name(waiting.job), waiting.job.nodes
        if given := [key for key in _NOT_HERE if event.data.get(key)]:
            raise ValueError(f"EXECUTE_JOB: job {name} has {given[0]}, but this platform has no storage")
        places = read_interval_set(event.get("alloc"), len(self._ids))
        if len(places) != wanted:
            raise ValueError(f"EXECUTE_JOB: job {name} gets {len(places)} resources, expected {wanted}")
        order = [*range(wanted)]
        if event.data.get("mapping"):  # resource within the allocation, by rank; both are text
            ranks = event.get("mapping", dict)
            resources = [str(ranks.get(str(rank))) for rank in range(wanted)]
            if sorted(resources) != sorted(map(str, order)):
                raise ValueError(f"EXECUTE_JOB: mapping of job {name}, expected each of its resources once")
            order = [int(place) for place in resources]
        nodes = self._ids[places][order]
        for place, node in zip(places, self._ids[places].tolist(), strict=True):
            if holder := self._holders.get(node):
                raise ValueError(f"EXECUTE_JOB: job {name} gets resource {place}, which {holder} holds")
        self._holders.update(dict.fromkeys(nodes.tolist(), name))
        self._running[name] = machine.start(waiting, Allocation(nodes))

    def _reject(self, event: Event, machine: Simulation) -> None:
        waiting = self._take(event)
        self._over.add(_name(waiting.job))
        machine.refuse(waiting)

    def _change(self, event: Event, machine: Simulation) -> None:
        if (state := event.get("job_state")) != "REJECTED":
            raise ValueError(
                f"CHANGE_JOB_STATE: {abbreviate(state)}, expected REJECTED: jobs run on this platform"
            )
        self._reject(event, machine)

    def _kill(self, event: Event, machine: Simulation) -> None:
        names, progress = [str(name) for name in event.get("job_ids", list)], {}
        for name in names:
            if running := self._running.get(name):
                job, ran = running.waiting.job, self._now - running.start
                whole = job.run_time or running.waiting.estimate
                progress[name] = {"profile": f"profile{job.number}", "progress": min(ran / whole, 1.0)}
                self._killed.add(name)
                machine.end(running)
            elif name not in self._over:
                raise ValueError(f"KILL_JOB: job {abbreviate(name)} does not run")
        self._tell("JOB_KILLED", job_ids=names, job_progress=progress)

    def _take(self, event: Event) -> Waiting:
        """Return the waiting job that a decision names, which then waits no more."""
        name = event.get("job_id")
        if name not in self._waiting:
            known = (
                "runs already" if name in self._running else "is over" if name in self._over else "is unknown"
            )
            raise ValueError(f"{event.type}: job {abbreviate(name)} {known}, expected one that waits")
        return self._waiting.pop(name)

    _DECISIONS: ClassVar[dict[str, Callable[[ForeignQueue, Event, Simulation], None]]] = {
        "EXECUTE_JOB": _execute,
        "REJECT_JOB": _reject,
        "CHANGE_JOB_STATE": _change,
        "KILL_JOB": _kill,
    }


_WORKLOAD = "w0"
_NOTED = ("NOTIFY", "SET_JOB_METADATA")  # which change nothing


def _name(job: Job) -> str:
    return f"{_WORKLOAD}!{job.number}"
