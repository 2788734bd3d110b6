"""The verbs that only read: what a job has and why, what to switch, and the state of the machine."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np

from netplace.checks import abbreviate
from netplace.live.messages import Explain, Plan, RequestError, State, Took
from netplace.live.placing import JobPlacer
from netplace.live.power import PowerState
from netplace.live.searches import LateError, here, sharing, switching
from netplace.placement.compactness import compactness
from netplace.scheduling import Job
from netplace.scheduling.power import PowerModel
from netplace.topologies.host_lists import host_list

__all__ = ["explain", "plan", "state"]

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
    job, nodes = Job(0, 0.0, len(took.ranks), took.request.seconds), cluster.nodes_by_job()
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
        "machine": cluster.topology.text,
        "nodes": cluster.topology.nodes,
        **counts,
        "down": marked["down"],
        "off": marked["off"],
        "jobs": len(cluster.jobs),
        "waiting": len(cluster.waiting),
    }
    if request.jobs:
        told["held_by"] = {name: cluster.listed(job.took.ranks) for name, job in cluster.jobs.items()}
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
