"""The state of a machine, and the verbs that read and change it.

Every change is an event. The verbs decide, events record what was decided, and `Cluster.apply` alone changes
the state: the same events give the same state, whatever the rules do by chance.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps import application
from netplace.checks import abbreviate, check_int
from netplace.live.configurations import Configurations
from netplace.live.messages import (
    Event,
    Explain,
    Left,
    Mark,
    Marked,
    Place,
    Placed,
    Plan,
    Release,
    Request,
    State,
    Took,
    Waits,
)
from netplace.live.power import PowerState, decide
from netplace.live.sharing import shared_links
from netplace.placement import map_tasks
from netplace.placement.compactness import compactness
from netplace.placement.mapping import MAPPINGS
from netplace.scheduling import Allocation, Job, Partitioner
from netplace.scheduling.partitioner import PARTITIONERS
from netplace.scheduling.power import PowerModel
from netplace.topologies import Grid, Topology
from netplace.topologies.host_lists import count_hosts, expand, host_list

__all__ = ["STATES", "Cluster", "RequestError"]

STATES = ("up", "down", "off")
_OTHERS = ("slurm", "non-contiguous", "gen-alg")  # what a job is compared with, by `explain`
_KEPT = 8  # partitioners with their own account of free nodes
Nodes = NDArray[np.int64]


def host_names(topology: Topology) -> tuple[str, ...]:
    """Return the names of the nodes in the topology's file, or n0, n1, .."""
    return topology.hosts or tuple(f"n{node}" for node in range(topology.nodes))


class RequestError(ValueError):
    """A request cannot be served; the state of the cluster does not change."""


@dataclass(frozen=True)
class Held:
    """A job that holds nodes: its event and all of its nodes."""

    took: Took
    nodes: Nodes


class Cluster:
    """A machine and its jobs.

    Parameters
    ----------
    hosts : iterable of str, optional
        Name of each node; by default, the names in the topology's file, or n0, n1, ..
    partition, mapping : str
        Rules for jobs that do not name any.
    allowed : iterable of str
        Rules that requests can name in addition to netplace's own: a user's rules, and rules that read files.
    queue : int
        Largest number of waiting jobs.
    power : PowerModel, optional
        Power of a node, used by `Plan`.
    clock : callable
        Function that returns the time in seconds.
    record : callable, optional
        Function that is called with every event before it is applied.
    tell : callable
        Function that is called with a sentence when the configuration of a rule is read again.

    Attributes
    ----------
    jobs : dict of str to Held
        Jobs that hold nodes.
    waiting : dict of str to Place
        Waiting jobs, in order.
    states : list of str
        State of each node: one of `STATES`.
    """

    def __init__(
        self,
        topology: Topology,
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
        self.topology = topology
        names = tuple(hosts) or host_names(topology)
        self.number = {name: node for node, name in enumerate(names)}
        if len(self.number) != topology.nodes:
            raise ValueError(f"hosts: {len(self.number)} names for the {topology.nodes} nodes of {topology}")
        self.hosts = names
        self.partition, self.mapping = partition or "slurm", mapping
        self.allowed = {*allowed, self.partition, self.mapping}
        MAPPINGS.find(mapping)
        self.most_waiting = check_int(queue, "queue", 0)
        self.power = power or PowerModel()
        self.clock, self.record = clock, record
        self._configurations = Configurations(topology, clock, tell)
        self._configurations.make(self.partition)  # refuses an unknown rule at once
        self.jobs: dict[str, Held] = {}
        self.waiting: dict[str, Place] = {}
        self.states = ["up"] * topology.nodes
        self.since = np.zeros(topology.nodes)  # when a node became idle, or was marked
        self.free = np.ones(topology.nodes, bool)  # up, and of no job
        self.free[topology.service] = False
        self._kept: dict[str, Partitioner] = {}
        self._by_box: dict[str, bool] = {}

    # Verbs.

    def handle(self, request: Request) -> dict[str, Any] | Placed:
        """Return the answer to a request.

        Raises
        ------
        RequestError
            If the request cannot be served.
        """
        verbs: dict[type, Callable[[Any], Any]] = {
            Place: self.place,
            Release: self.release,
            Explain: self.explain,
            Plan: self.plan,
            Mark: self.mark,
            State: self.state,
        }
        try:
            return verbs[type(request)](request)  # type: ignore[no-any-return]
        except RequestError:
            raise
        except (ValueError, OSError, MemoryError) as error:
            raise RequestError(" ".join(str(error).split())) from None

    def place(self, request: Place) -> Placed:
        """Return nodes for a job, which then holds them; the same request gets the same nodes again."""
        if request.job in self.jobs:
            held = self.jobs[request.job].took
            if len(held.ranks) != request.nodes:
                raise RequestError(
                    f"job {abbreviate(request.job)}: already holds {len(held.ranks)} nodes, expected "
                    "a new name or the same number"
                )
            return self._placed(held)
        if request.job in self.waiting:
            if request != self.waiting[request.job]:
                raise RequestError(f"job {abbreviate(request.job)}: already waits, with a different request")
            return Placed(request.job, "waiting", before=list(self.waiting).index(request.job))
        took = None if request.wait and self.waiting else self._choose(request)
        if took is None:
            if not request.wait:
                raise RequestError(
                    f"job {abbreviate(request.job)}: the rule has no {request.nodes} nodes for it now, "
                    f"{int(self.free.sum())} are free"
                )
            if len(self.waiting) >= self.most_waiting:
                raise RequestError(f"the queue is full: {self.most_waiting} jobs wait")
            self._happen(Waits(request, self.clock()))
            return Placed(request.job, "waiting", before=len(self.waiting) - 1)
        self._happen(took)
        return self._placed(took)

    def release(self, request: Release) -> dict[str, Any]:
        """Release the nodes of a job, and start waiting jobs."""
        if request.job not in self.jobs and request.job not in self.waiting:
            raise RequestError(f"job {abbreviate(request.job)}: neither holds nodes nor waits")
        self._happen(Left(request.job, self.clock()))
        return {"job": request.job, "started": self._start_waiting()}

    def mark(self, request: Mark) -> dict[str, Any]:
        """Record the state of nodes, and start waiting jobs."""
        nodes = self._nodes(request.nodes, "nodes")
        self._happen(Marked(nodes, request.state, self.clock()))
        return {"nodes": len(nodes), "started": self._start_waiting()}

    def explain(self, request: Explain) -> dict[str, Any]:
        """Report how a job got its nodes, how compact others would be, and which jobs share its links."""
        if request.job in self.waiting:
            place = list(self.waiting).index(request.job)
            return {"job": request.job, "state": "waiting", "before": place, "free": int(self.free.sum())}
        if request.job not in self.jobs:
            raise RequestError(f"job {abbreviate(request.job)}: neither holds nodes nor waits")
        held = self.jobs[request.job]
        took = held.took
        figures = compactness(self.topology, held.nodes)
        free = self.free.copy()
        free[held.nodes] = True
        others = []
        for rule in dict.fromkeys((took.partition, *_OTHERS)):
            try:
                found = self._fresh(rule, free, 0).find(Job(0, 0.0, len(took.ranks), took.seconds))
            except ValueError:  # a rule that is not for such a machine
                continue
            if found is not None:
                hops = compactness(self.topology, found.nodes).mean_hops
                others.append({"partition": rule, "mean_hops": hops})
        nodes = {name: job.nodes.tolist() for name, job in self.jobs.items()}
        shared = shared_links(self.topology, nodes, of=request.job)
        return {
            "job": took.job,
            "state": "placed",
            "nodes": [self.hosts[node] for node in took.ranks],
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
        }

    def plan(self, request: Plan) -> dict[str, Any]:
        """Return the nodes to switch on or off, without switching them."""
        decision = decide(request.rule, self.power, self.power_state())
        return {
            "rule": request.rule,
            "boot": host_list(decision.boot),
            "stop": host_list(decision.stop),
            "wanted": decision.wanted,
            "reason": decision.reason,
        }

    def state(self, request: State) -> dict[str, Any]:
        """Return counts of nodes and jobs and, if requested, the nodes of each job."""
        counts = {"free": int(self.free.sum()), "held": sum(len(job.nodes) for job in self.jobs.values())}
        marked = Counter(self.states)
        told: dict[str, Any] = {
            "machine": self.topology.text,
            "nodes": self.topology.nodes,
            **counts,
            "down": marked["down"],
            "off": marked["off"],
            "jobs": len(self.jobs),
            "waiting": len(self.waiting),
        }
        if request.jobs:
            told["held_by"] = {name: self._listed(job.took.ranks) for name, job in self.jobs.items()}
            told["queue"] = list(self.waiting)
            for state in ("down", "off"):
                told[f"{state}_nodes"] = self._listed(self._in_state(state))
        return told

    def power_state(self) -> PowerState:
        """Return the state that switching rules use."""
        now = self.clock()
        idle = {self.hosts[node]: float(self.since[node]) for node in np.flatnonzero(self.free).tolist()}
        return PowerState(
            now,
            idle,
            tuple(self.hosts[node] for node in self._in_state("off")),
            tuple((len(job.nodes), self._left(job.took, now)) for job in self.jobs.values()),
            tuple((place.nodes, place.seconds) for place in self.waiting.values()),
        )

    def _left(self, took: Took, now: float) -> float:
        return max(0.0, took.time + took.seconds - now) if took.seconds else math.inf

    # Events.

    def apply(self, event: Event) -> None:
        """Apply an event to the state."""
        if isinstance(event, Took):
            nodes = np.array([*event.ranks, *event.extra], np.int64)
            if event.job in self.jobs or not self.free[nodes].all():
                raise ValueError(f"job {event.job} cannot take its nodes: they are not free")
            self.waiting.pop(event.job, None)
            self.jobs[event.job] = Held(event, nodes)
            self._turn(nodes, False)
        elif isinstance(event, Waits):
            self.waiting[event.request.job] = event.request
        elif isinstance(event, Left):
            self.waiting.pop(event.job, None)
            held = self.jobs.pop(event.job, None)
            if held is not None:
                self.since[held.nodes] = event.time
                up = [node for node in held.nodes.tolist() if self.states[node] == "up"]
                self._turn(np.array(up, np.int64), True)
        elif isinstance(event, Marked):
            kept = {node for job in self.jobs.values() for node in job.nodes.tolist()}
            kept.update(self.topology.service.tolist())
            changed = [node for node in event.nodes if self.states[node] != event.state]
            turned = [
                node for node in changed if "up" in (event.state, self.states[node]) and node not in kept
            ]
            for node in changed:
                self.states[node] = event.state
            self.since[changed] = event.time
            self._turn(np.array(turned, np.int64), event.state == "up")

    def events(self) -> list[Event]:
        """Return events that bring an empty machine to the present state."""
        made: list[Event] = [job.took for job in self.jobs.values()]
        for state in ("down", "off"):
            if nodes := self._in_state(state):
                made.append(Marked(nodes, state, self.clock()))
        return made + [Waits(place, self.clock()) for place in self.waiting.values()]

    def _happen(self, event: Event) -> None:
        if self.record is not None:
            self.record(event)
        self.apply(event)

    def _start_waiting(self) -> list[str]:
        """Place the first jobs of the queue, until one has no place."""
        started = []
        for name, request in list(self.waiting.items()):
            try:
                took = self._choose(request)
            except (ValueError, OSError) as error:  # a rule of one's own that fails must not block the others
                self._happen(Left(name, self.clock()))
                started.append(f"{name} left the queue: {error}")
                continue
            if took is None:
                break
            self._happen(took)
            started.append(name)
        return started

    # Choices.

    def _choose(self, request: Place) -> Took | None:
        """Return what a job takes; None if the rule has no place for it now."""
        partition = request.partition or self.partition
        mapping = request.mapping or self.mapping
        self._check_rule(partition, "partition")
        self._check_rule(mapping, "mapping")
        most = len(self.topology.computing)
        if request.nodes > most:
            raise RequestError(
                f"job {abbreviate(request.job)}: {request.nodes} nodes, but the machine has {most}"
            )
        free = int(self.free.sum())
        if request.nodes > free:
            return None
        number = len(self.jobs)
        job = Job(number, 0.0, request.nodes, request.seconds, request.seconds, request.app.partition(",")[0])
        found = self._partitioner(request, partition).find(job)
        if found is None or len(found.nodes) < request.nodes:
            return None
        ranks = self._ranks(request, mapping, found.nodes)
        used = set(ranks)
        extra = (
            [node for node in found.nodes.tolist() if node not in used]
            if len(found.nodes) > len(used)
            else []
        )
        return Took(
            request.job, ranks, partition, mapping, self.clock(), free, extra, request.app, request.seconds
        )

    def _ranks(self, request: Place, mapping: str, nodes: Nodes) -> list[int]:
        """Return the node of each rank."""
        if mapping == "consecutive":
            return nodes[: request.nodes].tolist()  # type: ignore[no-any-return]
        program = application(request.app or "all-to-all", request.nodes)
        made = map_tasks(
            mapping, self.topology, request.nodes, nodes=nodes, program=program, seed=request.seed
        )
        return made.tolist()  # type: ignore[no-any-return]

    def _check_rule(self, rule: str, what: str) -> None:
        """Refuse rules that read files, unless the operator allowed them."""
        if rule in self.allowed:
            return
        option = rule.partition(":")[2]
        if rule.startswith(("file", "hosts")) or "file=" in option or "/" in option or "." in option:
            raise RequestError(
                f"{what} {abbreviate(rule)}: names a file; the operator allows such rules with --allow"
            )

    def _partitioner(self, request: Place, rule: str) -> Partitioner:
        """Return a partitioner that knows which nodes are free."""
        kind, _ = PARTITIONERS.find(rule)
        if kind.by_chance or request.among:
            free = self.free
            if request.among:
                inside = np.zeros(len(free), bool)
                inside[self._nodes(request.among, "among")] = True
                free = free & inside
            return self._fresh(rule, free, request.seed)
        if self._configurations.read_again(rule):
            self._kept.pop(rule, None)
        if rule not in self._kept:
            if len(self._kept) >= _KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[rule] = self._fresh(rule, self.free, 0)
        return self._kept[rule]

    def _fresh(self, rule: str, free: NDArray[np.bool_], seed: int) -> Partitioner:
        """Return a new partitioner, in which other nodes than the free ones are held."""
        made = self._configurations.make(rule, seed)
        self._by_box[rule] = isinstance(self.topology, Grid) and not made.by_count
        computing = np.zeros(len(free), bool)
        computing[self.topology.computing] = True
        self._hold(made, rule, np.flatnonzero(computing & ~free), False)
        return made

    def _turn(self, nodes: Nodes, free: bool) -> None:
        """Make nodes free, or not, here and in the partitioners."""
        if len(nodes):
            self.free[nodes] = free
            for rule, partitioner in self._kept.items():
                self._hold(partitioner, rule, nodes, free)

    def _hold(self, partitioner: Partitioner, rule: str, nodes: Nodes, free: bool) -> None:
        """Release or take nodes; rules of boxes on grids see each as a box of its own."""
        change = partitioner.release if free else partitioner.take
        if not self._by_box[rule]:
            if len(nodes):
                change(Allocation(nodes))
            return
        box = (1,) * self.topology.dims if isinstance(self.topology, Grid) else None
        for node in nodes:
            change(Allocation(np.array([node]), box))

    # Names.

    def _placed(self, took: Took) -> Placed:
        ranks = [self.hosts[node] for node in took.ranks]
        extra = [self.hosts[node] for node in took.extra]
        return Placed(took.job, "placed", ranks, extra, took.partition, took.mapping)

    def _in_state(self, state: str) -> list[int]:
        return [node for node, one in enumerate(self.states) if one == state]

    def _listed(self, nodes: Iterable[int]) -> str:
        return host_list(self.hosts[node] for node in nodes)

    def _nodes(self, text: str, where: str) -> list[int]:
        """Return the numbers of the nodes in a host list."""
        if count_hosts(text, where) > self.topology.nodes:
            raise RequestError(f"{where}: more names than the {self.topology.nodes} nodes of the machine")
        names = list(expand(text, where))
        for name in names:
            if name not in self.number:
                raise RequestError(f"{where}: {abbreviate(name)} is not a node of the machine")
        return [self.number[name] for name in dict.fromkeys(names)]
