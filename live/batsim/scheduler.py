"""netplace as the scheduler: it answers the messages of Batsim by its policies and partitioners."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from netplace.inputs import abbreviate
from netplace.live.batsim.protocol import Event, read, write
from netplace.scheduling import Allocation, Job, Partitioner, make_partitioner
from netplace.scheduling.policy import Running, Waiting, find_policy
from netplace.scheduling.simulation import reason_against
from netplace.topologies import Topology
from netplace.topologies.host_lists import spelled

_LATER = 60.0  # seconds by which a job is expected to be later that has passed its time limit, at least


class Decider:
    """A scheduler of one simulation; also the `netplace.scheduling.policy.Machine` that the policy sees.

    Parameters
    ----------
    machine : Topology
        Network of Batsim's compute resources, in their order.
    """

    def __init__(self, machine: Topology, policy: str, partitioner: str, seed: int = 0) -> None:
        self._nodes = machine.computing
        self._text = machine.text
        self.partitioner = make_partitioner(partitioner, machine, seed)
        self._empty = self.partitioner.copy()
        self._queue = find_policy(policy).queue()
        self.now, self.releases, self.over = 0.0, 0, False
        self._ids = np.array([], int)  # Batsim's, by place among the nodes
        self._names: list[str] = []  # of the jobs, by row
        self._known = set[str]()
        self._running: dict[str, Running] = {}
        self._decided: list[Event] = []
        self._started = 0
        self._called = math.inf  # when Batsim will call

    def answer(self, text: bytes) -> bytes:
        """Return the answer to a message."""
        message = read(text, self.now)
        self.now, self._decided = message.now, []
        if self._called <= self.now:
            self._called = math.inf
        for event in message.events:
            self._note(event)
        for running in self._running.values():
            if running.expected_end < self.now:
                self._queue.late(running, self.now + max(self.now - running.start, _LATER))
        self._queue.advance(self)
        return write(self.now, self._decided)

    # What a policy may do.

    def start(self, waiting: Waiting, allocation: Allocation, backfilled: bool = False) -> Running:
        self.partitioner.take(allocation)
        # Batsim ends jobs at their limits, so that none need be killed for one that it has overtaken.
        running = Running(waiting, allocation, self.now, self._started, self.now + waiting.estimate, False)
        self._started += 1
        name = self._names[waiting.row]
        self._running[name] = running
        places = np.searchsorted(self._nodes, allocation.nodes[: waiting.job.nodes])
        resources = self._ids[places]
        event: dict[str, Any] = {"job_id": name, "alloc": spelled(np.sort(resources), " ")}
        ranks = np.searchsorted(np.sort(resources), resources)
        if (np.diff(ranks) < 0).any():
            event["mapping"] = {str(rank): str(place) for rank, place in enumerate(ranks.tolist())}
        self._decide("EXECUTE_JOB", **event)
        return running

    def kill(self, running: Running) -> None:
        raise AssertionError("no job is told to have been backfilled")

    def wake(self, time: float) -> None:
        if self.now < time < self._called:
            self._called = time
            self._decide("CALL_ME_LATER", timestamp=time)

    def trial(self) -> Partitioner:
        return self.partitioner.copy()

    def spent(self, partitioner: Partitioner) -> None:
        pass

    # What Batsim tells.

    def _decide(self, kind: str, **data: object) -> None:
        self._decided.append(Event(self.now, kind, data))

    def _note(self, event: Event) -> None:
        if event.type == "SIMULATION_BEGINS":
            hosts = event.get("compute_resources", list)
            ids: list[Any] = [host.get("id") if isinstance(host, dict) else None for host in hosts]
            if not all(type(number) is int and 0 <= number < 1 << 31 for number in ids):
                raise ValueError("SIMULATION_BEGINS: compute_resources without numbers as id")
            self._ids = np.array(ids, int)
            if len(self._ids) != len(self._nodes):
                raise ValueError(
                    f"SIMULATION_BEGINS: {len(self._ids)} compute resources, but {self._text} has "
                    f"{len(self._nodes)} nodes"
                )
        elif event.type == "JOB_SUBMITTED":
            self._submitted(event)
        elif event.type == "JOB_COMPLETED":
            self._completed(event.get("job_id"))
        elif event.type == "SIMULATION_ENDS":
            self.over = True
        elif event.type == "NOTIFY" and "machine" in event.get("type"):
            raise ValueError(f"NOTIFY: {event.get('type')}, but machines cannot come and go here")
        elif event.type == "QUERY":
            raise ValueError("QUERY: is not answered here")

    def _submitted(self, event: Event) -> None:
        if not len(self._ids):
            raise ValueError("JOB_SUBMITTED: comes before SIMULATION_BEGINS")
        name, told = event.get("job_id"), event.get("job", dict)
        if name in self._known:
            raise ValueError(f"JOB_SUBMITTED: job {abbreviate(name)} comes twice")
        size, limit = told.get("res"), told.get("walltime", -1)
        if type(size) is not int or size < 1 or not isinstance(limit, int | float):
            raise ValueError(f"JOB_SUBMITTED: job {abbreviate(name)} has res {abbreviate(size)}")
        row = len(self._names)
        self._names.append(name)
        self._known.add(name)
        estimate = float(limit) if limit >= 0 else math.inf
        job = Job(row, event.timestamp, size, 0.0, estimate)
        if reason_against(job, self._empty):
            self._decide("REJECT_JOB", job_id=name)
        else:
            self._queue.add(Waiting(job, row, estimate))

    def _completed(self, name: str) -> None:
        if name not in self._running:
            raise ValueError(f"JOB_COMPLETED: job {abbreviate(name)} does not run")
        running = self._running.pop(name)
        self.partitioner.release(running.allocation)
        self.releases += 1
        self._queue.ended(running)
        running.over = True
