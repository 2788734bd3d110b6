"""The cases of the study of allocators, by kind, each stored under a hash of its contents."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from netplace.apps import application
from netplace.cosim import cosimulate, make_cosim_plan
from netplace.experiments.allocators.flow import flow_times
from netplace.experiments.allocators.set_schedules import chosen_sets, figures_of, selection_times, sets_pay
from netplace.experiments.allocators.suite import makespan, stream, together
from netplace.netsim import Config, simulate
from netplace.placement.compactness import compactness, pairwise_sum
from netplace.placement.rule import grid_of
from netplace.report.studies.schedules import CachedCase
from netplace.scheduling import Allocation, Job, make_partitioner, schedule
from netplace.scheduling.metrics import OVER_JOBS
from netplace.scheduling.partitioner.curves import order_of, ranks_along, ring_span
from netplace.scheduling.workload import Workload, lublin, read
from netplace.topologies import Topology, parse

SPREADS = ("mean hops", "span", "stretch-span", "cube ratio", "sides of the box", "components")


def decided(
    machine: Topology, jobs: Workload, situation: str, decisions: tuple[str, ...]
) -> dict[str, float]:
    """Return the mean pairwise sum of what allocators would choose on a machine that one of them fills.

    M. A. Bender et al., "Communication-aware processor allocation for supercomputers", WADS 2005, section 5:
    the nodes of the situation's jobs, first come, first served, are held; before each of them begins, every
    decision is asked with the same free nodes.
    """
    made = schedule(machine, jobs, "fcfs", situation, keep_nodes=True)
    assert made.allocations is not None, "they were asked for"
    deciding = {name: make_partitioner(name, machine) for name in decisions}
    sums = dict.fromkeys(decisions, 0)
    running: list[tuple[float, int]] = []  # by their ends
    for row, (start, end) in enumerate(zip(made.start.tolist(), made.end.tolist(), strict=True)):
        while running and running[0][0] <= start:
            ended = Allocation(made.allocations[heapq.heappop(running)[1]])
            for partitioner in deciding.values():
                partitioner.release(ended)
        held = Allocation(made.allocations[row])
        for name, partitioner in deciding.items():
            chosen = partitioner.find(Job(0, 0.0, len(held.nodes), 1.0))
            assert chosen is not None, "allocators by count always find nodes"
            sums[name] += pairwise_sum(machine, chosen.nodes)
            partitioner.take(held)
        heapq.heappush(running, (end, row))
    means = {name: total / len(made) for name, total in sums.items()}
    return means | {"jobs": len(made), "mean size": float(np.mean(made.nodes))}


@dataclass(frozen=True)
class AllocatorCase(CachedCase):
    study: ClassVar[str] = "allocators"

    kind: str  # key of the functions below
    machine: str  # text form of the network
    partition: str  # text form of the partitioner, or of the compared rule
    seed: int = 0  # seed of the draws
    options: tuple[tuple[str, Any], ...] = ()  # further options of the kind

    def describe(self) -> dict[str, Any]:
        plain = {name: value for name, value in vars(self).items() if name != "options"}
        return {"study": self.study, **plain, **dict(self.options)}

    def run(self) -> dict[str, Any]:
        return _KINDS[self.kind](self, parse(self.machine), **dict(self.options))


def _choice(case: AllocatorCase, machine: Topology, *, jobs: int, fidelity: str) -> dict[str, float]:
    """Run jobs of applications on the machine, live or with the times of jobs alone."""
    given = {
        "machine": case.machine,
        "workload": "applications",
        "jobs": jobs,
        "sizes": "small",
        "intensity": "low",
        "repeats": "5:20",
        "partition": case.partition,
        "fidelity": fidelity,
    }
    outcome = cosimulate(make_cosim_plan(given, case.seed)).outcome
    return figures_of(machine, [job for job in outcome["jobs"] if job["state"] == "done"])


def _decision(
    case: AllocatorCase,
    machine: Topology,
    *,
    jobs: int,
    load: float,
    log: str,
    decisions: list[str],
    powers_of: str = "",
) -> dict[str, float]:
    """Return pairwise sums of several decisions in the situations that one algorithm brings about.

    The jobs are those of a log, or of the model; of its kind `powers_of`, sizes are rounded up to powers of
    two.
    """
    if log:
        workload = read(log)[:jobs].fit(machine.nodes)
    else:
        workload = lublin(machine.nodes, jobs, case.seed, load=load, kind=powers_of or "batch")
    if powers_of:
        workload = replace(workload, nodes=2 ** np.ceil(np.log2(workload.nodes)).astype(int))
    return decided(machine, workload, case.partition, tuple(decisions))


def _suites(case: AllocatorCase, machine: Topology, *, share: int) -> dict[str, float]:
    """Return what the published stream of suites takes, or one in so many of its jobs."""
    counts = {2: 91 // share, 5: 33 // share, 25: 31 // share, 30: 33 // share}
    return makespan(machine, case.partition, stream(case.seed, counts), case.seed)


_COLUMNS = {
    "apart": ((0, 1, 12, 13), (2, 3, 14, 15)),
    "compact": ((0, 1, 2, 3), (12, 13, 14, 15)),
    "every other": (tuple(range(0, 16, 2)), tuple(range(1, 16, 2))),
}


def _overlap(
    case: AllocatorCase, machine: Topology, *, policy: str, vcs: int, bytes: int
) -> dict[str, list[int]]:
    """Run two all-to-all jobs, each on columns of a mesh, alone and together."""
    width, rows = grid_of(machine, "overlap").sizes
    parts = [
        np.array([x + width * y for y in range(rows) for x in chosen]) for chosen in _COLUMNS[case.partition]
    ]
    config = Config(vcs=vcs, vc_policy=policy)
    program = application("all-to-all", len(parts[0]), bytes=bytes)
    alone = [simulate(machine, program, nodes, config=config, seed=case.seed).cycles for nodes in parts]
    both = simulate(machine, [program] * 2, parts, config=config, seed=case.seed)
    return {"alone": alone, "together": [job.cycles for job in both.jobs]}


def _trend(
    case: AllocatorCase, machine: Topology, *, jobs: int, work: float, load: float, copies: int
) -> dict[str, float]:
    """Return how spread jobs are when their run times are multiplied, or the jobs; a queue by size."""
    drawn = lublin(machine.nodes, jobs, case.seed, load=load)
    columns = {name: getattr(drawn, name) for name in ("number", "submit", "nodes")}
    longer = Workload(**columns, run_time=drawn.run_time * work, machine_nodes=machine.nodes)
    longer = longer.replicated(copies, 3600.0, case.seed)
    made = schedule(machine, longer, "largest-first", case.partition, keep_nodes=True)
    assert made.allocations is not None, "they were asked for"
    order = (
        case.partition.partition(":")[2].split(",")[0] if case.partition.startswith("curve") else "hilbert"
    )
    rank = ranks_along(order_of(machine, order))
    rows, weights = [], []
    for row in range(len(made) // 10, len(made)):
        nodes = made.allocations[row]
        if len(nodes) > 1:
            near, span = compactness(machine, nodes), ring_span(rank[nodes], machine.nodes)
            rows.append(
                [near.mean_hops, span, span / len(nodes), near.cube_ratio, near.box_sum, near.components]
            )
            weights.append(made.end[row] - made.start[row])
    values, times = np.array(rows, float), np.array(weights)
    means = dict(zip(SPREADS, values.mean(axis=0).tolist(), strict=True))
    for name, (over, _) in OVER_JOBS.items():
        if name != "mean":
            means[f"span, {name}"] = over(values[:, 1], times)
    return means


_KINDS: dict[str, Callable[..., dict[str, Any]]] = {
    "choice": _choice,
    "decision": _decision,
    "suites": _suites,
    # Completion times of suites on a full machine, and how spread their nodes are.
    "hops": lambda case, machine, *, size: {
        "rows": together(machine, case.partition, size, "hilbert", case.seed)
    },
    "overlaps": _overlap,
    "trends": _trend,
    "flows": lambda case, machine, *, jobs, log: flow_times(machine, case.partition, jobs, case.seed, log),
    # By the stream of requests of a revision, on a machine of its own.
    "sets": lambda case, machine, *, requests, tie, revision, processors=1: chosen_sets(
        case.partition, requests, case.seed, tie, processors
    ),
    "sets-pay": lambda case, machine, *, jobs, load: sets_pay(machine, case.partition, jobs, load, case.seed),
    "set-times": lambda case, machine, *, surplus, times: selection_times(
        machine, surplus, case.partition == "overlap", times, case.seed
    ),
}
