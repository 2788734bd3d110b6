"""Nodes that are on, slot by slot, on a cluster with shared nodes: least energy, then least makespan.

Source: O. Marra, M. Mirto, M. Cafaro and G. Aloisio, "Green Computing: Design of a power saving solution
based on Mixed Integer Programming (MIP)", CMCC research paper, 2011, with its misprints repaired. Their model
has a variable a core; here the cores of a node are counted, which has the same optimum: jobs on a node are an
interval graph, so cores can be assigned whenever their number suffices.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from netplace.scheduling.power.program import Program, Solved


@dataclass(frozen=True)
class SharedJob:
    """A pending job of so many cores, for so many slots.

    `nodes`: over which they are spread, at most ceil(cores / nodes) on each; 0: free choice. `allowed`: nodes
    that its queue serves; None: all. `submitted`: a slot; slot 0 is now.
    """

    cores: int
    slots: int
    nodes: int = 0
    allowed: tuple[int, ...] | None = None
    queue: str = ""
    submitted: int = 0


@dataclass(frozen=True)
class SharedCluster:
    """Nodes of cores, over slots 0 to `horizon`, the last, in which only service nodes are on.

    `cost` of each node is for a slot in which it is on. `held`, by node: so many cores are held until the
    beginning of a slot; the node is on for them, which is not counted. `longest_mean`, by queue: mean slots
    from submission to end, at most. A job runs in one of the `clusters`; empty: all nodes are one.
    """

    cores: tuple[int, ...]
    cost: tuple[float, ...]
    horizon: int
    service: tuple[int, ...] = ()
    held: Mapping[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    longest_mean: Mapping[str, float] = field(default_factory=dict)
    clusters: tuple[int, ...] = ()

    def ready(self, node: int) -> int:
        return max((until for cores, until in self.held.get(node, ()) if cores), default=0)

    def free(self, node: int, slot: int) -> int:
        return self.cores[node] - sum(cores for cores, until in self.held.get(node, ()) if slot < until)


@dataclass(frozen=True, eq=False)
class SharedPlan:
    energy: float  # cost of the nodes that are on, from the slot on in which nothing holds them any more
    makespan: int  # slot by which all jobs have ended
    starts: tuple[int, ...]  # slot in which each job starts
    on: NDArray[np.bool_]  # shape (nodes, horizon + 1): which nodes are on
    cores: NDArray[np.int64]  # shape (jobs, nodes): cores of each job on each node
    seconds: tuple[float, float]  # CPU time of the two phases
    proven: bool  # whether both optima are proven


def plan_shared(
    cluster: SharedCluster, jobs: tuple[SharedJob, ...], seconds: float = math.inf
) -> SharedPlan | None:
    """Return the plan of least makespan among those of least energy; None: the jobs do not fit."""
    model = _Model(cluster, jobs)
    if model.hopeless:
        return None
    first = model.program.solve(model.energy, seconds)
    if first.values is None:
        if first.proven:
            return None
        raise TimeoutError(f"no plan in {seconds:g} s")
    minimum = first.objective
    model.program.row(model.energy, high=minimum + 1e-7 * max(1.0, abs(minimum)))
    second = model.program.solve({model.last: 1.0}, seconds)
    best = second if second.values is not None else first
    return model.read(best, minimum, (first.seconds, second.seconds), first.proven and second.proven)


def bundled(
    cluster: SharedCluster, jobs: tuple[SharedJob, ...]
) -> tuple[SharedCluster, tuple[SharedJob, ...], int]:
    """Return the same with bundles for cores, and the cores of a bundle: fewer values for the solver.

    The report (CONCLUSIONS) bundles by the greatest common divisor of the requests. A request that is spread
    over nodes, and nodes' cores and held cores, must consist of whole bundles too, or there would be plans
    that bundles cannot express; so the divisor is that of all of these.
    """
    amounts = [job.cores for job in jobs] + [*cluster.cores]
    amounts += [cores for parts in cluster.held.values() for cores, _ in parts]
    amounts += [-(-job.cores // job.nodes) for job in jobs if job.nodes]
    bundle = math.gcd(*amounts) or 1
    held = {
        node: tuple((cores // bundle, until) for cores, until in parts)
        for node, parts in cluster.held.items()
    }
    cores = tuple(count // bundle for count in cluster.cores)
    fewer = tuple(replace(job, cores=job.cores // bundle) for job in jobs)
    return replace(cluster, cores=cores, held=held), fewer, bundle


class _Model:
    """The program, and where its variables stand; the numbers are those of the report's formulas."""

    def __init__(self, cluster: SharedCluster, jobs: tuple[SharedJob, ...]) -> None:
        self.cluster, self.jobs, self.program = cluster, jobs, Program()
        nodes, slots = len(cluster.cores), cluster.horizon + 1
        self.hopeless = any(job.slots > cluster.horizon for job in jobs)
        program = self.program
        self.on = program.add(nodes * slots, 0, 1, whole=True).reshape(nodes, slots)
        self.starts = [program.add(max(slots - job.slots, 0), 0, 1, whole=True) for job in jobs]
        self.used = [self._cores_of(job) for job in jobs]
        (self.last,) = program.add(1).tolist()
        self.energy = {
            int(self.on[node, slot]): cluster.cost[node]
            for node in range(nodes)
            for slot in range(cluster.ready(node), slots)
        }
        for node in cluster.service:  # (17)
            for slot in range(slots):
                program.fix(int(self.on[node, slot]), 1)
        for place in range(len(jobs)):
            self._job(place)
        for node in range(nodes):
            for slot in range(slots):
                self._slot(node, slot)
        self._times_in_system()

    def _cores_of(self, job: SharedJob) -> dict[int, NDArray[np.int64]]:
        """Return variables for the cores of a job by node and start; none where its queue forbids it (4)."""
        allowed = range(len(self.cluster.cores)) if job.allowed is None else job.allowed
        starts = max(self.cluster.horizon + 1 - job.slots, 0)
        return {node: self.program.add(starts, 0, job.cores, whole=True) for node in sorted(set(allowed))}

    def _job(self, place: int) -> None:
        job, starts, used, program = self.jobs[place], self.starts[place], self.used[place], self.program
        program.row({int(start): 1.0 for start in starts}, 1, 1)  # (2)
        for slot, start in enumerate(starts.tolist()):  # (9)
            program.row({int(used[node][slot]): 1.0 for node in used} | {start: -float(job.cores)}, 0, 0)
            for node in used:
                maximum = min(self.cluster.cores[node], job.cores)
                program.row({int(used[node][slot]): 1.0, start: -float(maximum)}, high=0)
        if job.nodes:  # (15), (16)
            share = -(-job.cores // job.nodes)
            chosen = program.add(len(used), 0, 1, whole=True)
            program.row({int(variable): 1.0 for variable in chosen}, job.nodes, job.nodes)
            for choice, node in zip(chosen.tolist(), used, strict=True):
                cores = {int(variable): 1.0 for variable in used[node]}
                program.row(cores | {choice: -1.0}, low=0)
                program.row(cores | {choice: -float(share)}, high=0)
        if len(set(self.cluster.clusters)) > 1:  # (5), (8): all cores in one cluster
            inside = program.add(max(self.cluster.clusters) + 1, 0, 1, whole=True).tolist()
            program.row(dict.fromkeys(inside, 1.0), 1, 1)
            for node, variables in used.items():
                maximum = min(self.cluster.cores[node], job.cores)
                cores = {int(variable): 1.0 for variable in variables}
                program.row(cores | {inside[self.cluster.clusters[node]]: -float(maximum)}, high=0)
        ends = {int(start): float(slot + job.slots) for slot, start in enumerate(starts)}  # (20)
        program.row({self.last: 1.0} | {start: -end for start, end in ends.items()}, low=0)

    def _slot(self, node: int, slot: int) -> None:
        """Require that a node with held cores is on and has them (14)."""
        on, total = int(self.on[node, slot]), dict[int, float]()
        if slot < self.cluster.ready(node):
            self.program.fix(on, 1)
        for job, used in zip(self.jobs, self.used, strict=True):
            if node in used:
                own = {int(variable): 1.0 for variable in used[node][max(0, slot - job.slots + 1) : slot + 1]}
                total |= own
                if own:
                    maximum = min(self.cluster.cores[node], job.cores)
                    self.program.row(own | {on: -float(maximum)}, high=0)
        if total:
            self.program.row(total | {on: -float(self.cluster.free(node, slot))}, high=0)

    def _times_in_system(self) -> None:
        """Bound the mean time in system of a queue's jobs (13)."""
        for queue, longest in self.cluster.longest_mean.items():
            own = [place for place, job in enumerate(self.jobs) if job.queue == queue]
            known = sum(self.jobs[place].slots - self.jobs[place].submitted for place in own)
            terms = {
                int(start): float(slot) for place in own for slot, start in enumerate(self.starts[place])
            }
            if terms:
                self.program.row(terms, high=longest * len(own) - known)

    def read(self, solved: Solved, energy: float, seconds: tuple[float, float], proven: bool) -> SharedPlan:
        values = solved.values
        assert values is not None
        starts = tuple(int(values[block].argmax()) for block in self.starts)
        cores = np.zeros((len(self.jobs), len(self.cluster.cores)), np.int64)
        for place, (start, used) in enumerate(zip(starts, self.used, strict=True)):
            for node, variables in used.items():
                cores[place, node] = round(values[variables[start]])
        ends = [start + job.slots for start, job in zip(starts, self.jobs, strict=True)]
        on = values[self.on] > 0.5
        return SharedPlan(energy, max(ends, default=0), starts, on, cores, seconds, proven)
