"""The state of a machine, and the verbs that read and change it.

Every change is an event. The verbs decide, events record what was decided, and `Cluster.apply` alone changes
the state: the same events give the same state, whatever the rules do by chance.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import msgspec
import numpy as np

from netplace.inputs import abbreviate, check_int
from netplace.live.messages import (
    Event,
    Explain,
    JournalError,
    Left,
    Mark,
    Marked,
    Place,
    PlacedJob,
    Plan,
    Release,
    Request,
    RequestError,
    State,
    Took,
    Waits,
)
from netplace.live.placing import JobPlacer
from netplace.live.power import PowerState
from netplace.live.searches import LateError, here, sharing, switching
from netplace.placement.compactness import compactness
from netplace.scheduling import Job
from netplace.scheduling.power import PowerModel
from netplace.topologies import Topology
from netplace.topologies.host_lists import host_list

_OTHERS = ("slurm", "non-contiguous", "gen-alg")  # rules that a job's own is compared with


def explain(cluster: JobPlacer, request: Explain) -> dict[str, Any]:
    """Report how a job got its nodes, how compact others would be, and which jobs share its links."""
    if request.job in cluster.waiting:
        place = list(cluster.waiting).index(request.job)
        return {"job": request.job, "state": "waiting", "before": place, "free": int(cluster.free.sum())}
    if request.job not in cluster.jobs:
        raise RequestError(f"job {abbreviate(request.job)}: neither holds nodes nor waits")
    held = cluster.jobs[request.job]
    took = held.took
    figures = compactness(cluster.topology, held.nodes)
    free = cluster.free.copy()
    free[held.nodes] = True
    job, nodes = Job(0, 0.0, took.request.nodes, took.request.seconds), cluster.nodes_by_job()
    others: list[dict[str, Any]] = []
    for rule in dict.fromkeys((took.partition, *_OTHERS)):
        try:
            found = cluster.by_rule(rule, free, 0, job)
        except LateError as late:
            others.append({"partition": rule, "note": str(late)})
            continue
        except ValueError:  # a rule that is not for such a machine
            continue
        if found is not None:
            others.append({"partition": rule, "mean_hops": compactness(cluster.topology, found).mean_hops})
    try:
        shared = cluster.search(sharing, nodes, request.job)
    except LateError as late:
        raise RequestError(f"job {abbreviate(request.job)}: the links that it shares {late}") from None
    return {
        "job": took.job,
        "state": "placed",
        "nodes": [cluster.hosts[node] for node in took.ranks],
        "partition": took.partition,
        "mapping": took.mapping,
        "time": took.time,
        "free_then": took.free,
        "mean_hops": figures.mean_hops,
        "parts": figures.components,
        "now_by_rule": others,
        "shares_links_with": [
            {"job": one.other, "links": one.links, "share": one.share, "load": one.load}
            for one in shared[:20]
        ],
        "note": took.note,
    }


def plan(cluster: JobPlacer, request: Plan, model: PowerModel) -> dict[str, Any]:
    """Return the nodes to switch on or off, without switching them."""
    now = power_state(cluster)
    try:
        search = request.rule.partition(":")[0] == "plan"
        how = cluster.search if search else here(cluster.topology)
        decision = how(switching, request.rule, model, now)
    except LateError as late:
        raise RequestError(f"rule {abbreviate(request.rule)}: {late}") from None
    return {
        "rule": request.rule,
        "boot": host_list(decision.boot),
        "stop": host_list(decision.stop),
        "wanted": decision.wanted,
        "reason": decision.reason,
    }


def state(cluster: JobPlacer, request: State) -> dict[str, Any]:
    """Return counts of nodes and jobs and, if requested, the nodes of each job."""
    counts = {"free": int(cluster.free.sum()), "held": sum(len(job.nodes) for job in cluster.jobs.values())}
    marked = Counter(cluster.states)
    told: dict[str, Any] = {
        "machine": cluster.machine.text,
        "nodes": cluster.topology.nodes,
        **counts,
        "down": marked["down"],
        "off": marked["off"],
        "jobs": len(cluster.jobs),
        "waiting": len(cluster.waiting),
    }
    if request.jobs:
        told["held_by"] = {
            name: cluster.listed(dict.fromkeys(job.took.ranks)) for name, job in cluster.jobs.items()
        }
        told["queue"] = list(cluster.waiting)
        for kind in ("down", "off"):
            told[f"{kind}_nodes"] = cluster.listed(cluster.in_state(kind))
    return told


def power_state(cluster: JobPlacer) -> PowerState:
    """Return the state that switching rules use."""
    now = cluster.clock()
    idle = {cluster.hosts[node]: float(cluster.since[node]) for node in np.flatnonzero(cluster.free).tolist()}
    return PowerState(
        now,
        idle,
        tuple(cluster.hosts[node] for node in cluster.in_state("off")),
        tuple((len(job.nodes), _left(job.took, now)) for job in cluster.jobs.values()),
        tuple((one.request.nodes, one.request.seconds) for one in cluster.waiting.values()),
    )


def _left(took: Took, now: float) -> float:
    seconds = took.request.seconds
    return max(0.0, took.time + seconds - now) if seconds else math.inf


class Cluster(JobPlacer):
    """A machine and its jobs.

    Parameters
    ----------
    machine : Topology
        The machine; its hosts, which may have several slots each, are the nodes that jobs hold.
    hosts : iterable of str, optional
        Name of each host; by default, the names in the topology's file, or n0, n1, ..
    partition, mapping : str
        Rules for jobs that do not name any.
    allowed : iterable of str
        Rules and applications that requests can name in addition to netplace's own that read no files.
    queue : int
        Largest number of waiting jobs.
    power : PowerModel, optional
        Power of a node, used by `Plan`.
    clock : callable
        Function that returns the time in seconds.
    record : callable, optional
        Function that is called with every event before it is applied; `JournalError` prevents the event.
    tell : callable
        Function that is called with a sentence when the configuration of a rule is read again.
    """

    def __init__(
        self,
        machine: Topology,
        hosts: Iterable[str] = (),
        partition: str = "",
        mapping: str = "consecutive",
        *,
        allowed: Iterable[str] = (),
        queue: int = 10_000,
        power: PowerModel | None = None,
        clock: Callable[[], float] = time.time,
        record: Callable[[Event], None] | None = None,
        tell: Callable[[str], None] = print,
    ) -> None:
        super().__init__(machine, hosts, partition, mapping, allowed=allowed, clock=clock, tell=tell)
        self.most_waiting = check_int(queue, "queue", 0)
        self.power = power or PowerModel()
        self.record = record
        self._starting = False  # whether waiting jobs are being started

    # Verbs.

    def handle(self, request: Request) -> dict[str, Any] | PlacedJob:
        """Return the answer to a request.

        Raises
        ------
        RequestError
            If the request cannot be served.
        """
        verbs: dict[type, Callable[[Any], Any]] = {
            Place: self.place,
            Release: self.release,
            Explain: partial(explain, self),
            Plan: partial(plan, self, model=self.power),
            Mark: self.mark,
            State: partial(state, self),
        }
        try:
            return verbs[type(request)](request)  # type: ignore[no-any-return]
        except RequestError:
            raise
        except (ValueError, OSError, MemoryError) as error:
            raise RequestError(" ".join(str(error).split())) from None

    def place(self, request: Place) -> PlacedJob:
        """Return nodes for a job, which then holds them; the same request gets the same nodes again."""
        request = msgspec.structs.replace(request, id=None)
        if (known := self._known(request)) is not None:
            return known
        try:
            took = None if request.wait and self.waiting else self.choose(request)
        except ValueError:
            self._start_waiting()  # on nodes that were promised to this job
            raise
        if took is not None:
            self._happen(took)
            return self._placed(took)
        if not request.wait:
            raise RequestError(
                f"job {abbreviate(request.job)}: the rule has no {request.nodes} nodes for it now, "
                f"{int(self.free.sum())} are free"
            )
        if len(self.waiting) >= self.most_waiting:
            raise RequestError(f"the queue is full: {self.most_waiting} jobs wait")
        self.check(request)
        self._happen(Waits(request, self.clock()))
        return self._waits(request.job)

    def _known(self, request: Place) -> PlacedJob | None:
        """Return the answer to a request that is known already, by its key or its job; None if it is new."""
        self.refuse_promised(request.job)
        name = abbreviate(request.job)
        if request.key in self.keys:
            event = self.keys[request.key]
            if event.request != request:
                raise RequestError(
                    f"key {abbreviate(request.key)}: belongs to another request, expected a new key"
                )
            if isinstance(event, Took):
                return self._placed(event)
            if request.job not in self.waiting:
                raise RequestError(f"job {name}: has left the queue")
        if request.job in self.jobs:
            held = self.jobs[request.job].took
            if held.request.nodes != request.nodes or request.key != held.request.key:
                raise RequestError(
                    f"job {name}: already holds {held.request.nodes} nodes, expected a new name or the "
                    "same request"
                )
            return self._placed(held)
        if request.job in self.waiting:
            if request != self.waiting[request.job].request:
                raise RequestError(f"job {name}: already waits, with a different request")
            return self._waits(request.job)
        return None

    def release(self, request: Release) -> dict[str, Any]:
        """Release the nodes of a job, and start waiting jobs."""
        self.refuse_promised(request.job)
        if request.job not in self.jobs and request.job not in self.waiting:
            raise RequestError(f"job {abbreviate(request.job)}: neither holds nodes nor waits")
        self._happen(Left(request.job, self.clock()))
        return {"job": request.job, **self._start_waiting()}

    def mark(self, request: Mark) -> dict[str, Any]:
        """Record the state of nodes, and start waiting jobs."""
        nodes = self.node_numbers(request.nodes, "nodes")
        self._happen(Marked(nodes, request.state, self.clock()))
        return {"nodes": len(nodes), **self._start_waiting()}

    def _happen(self, event: Event) -> None:
        if self.record is not None:
            self.record(event)
        self.apply(event)

    def _start_waiting(self) -> dict[str, Any]:
        """Place the first jobs of the queue, until one has no place; return what became of them.

        While one request does so and searches, others leave it the nodes that they free.
        """
        answer: dict[str, Any] = {"started": []}
        if self._starting:
            return answer
        self._starting = True
        try:
            while self.waiting:
                name, waits = next(iter(self.waiting.items()))
                before = self.changes
                try:
                    took = self.choose(waits.request)
                except (ValueError, OSError) as error:  # a rule that fails must not block the others
                    self._happen(Left(name, self.clock()))
                    answer.setdefault("left", []).append(f"{name}: {' '.join(str(error).split())}")
                    continue
                if took is not None:
                    self._happen(took)
                    answer["started"].append(name)
                elif self.changes == before:
                    break
        except JournalError as error:  # the change that was asked for is made
            answer["note"] = f"waiting jobs start at the next release or mark: {error}"
        finally:
            self._starting = False
        return answer

    # Names.

    def _placed(self, took: Took) -> PlacedJob:
        ranks = [self.hosts[node] for node in took.ranks]
        extra = [self.hosts[node] for node in took.extra]
        return PlacedJob(took.job, "placed", ranks, extra, took.partition, took.mapping, note=took.note)

    def _waits(self, job: str) -> PlacedJob:
        return PlacedJob(job, "waiting", before=list(self.waiting).index(job))
