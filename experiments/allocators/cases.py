"""The cases of the study of allocators, by kind, each stored under a hash of its contents."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from netplace.apps import Program, TaskWriter, application
from netplace.cosim import JobPlacer, JobProgram, LiveExecution, PlacedJob, cosimulate, make_cosim_plan
from netplace.experiments.allocators.flow import flow_times
from netplace.experiments.allocators.set_schedules import chosen_sets, figures_of, selection_times, sets_pay
from netplace.netsim import Config, simulate
from netplace.placement.compactness import compactness, pairwise_sum
from netplace.placement.rule import grid_of
from netplace.report.studies.schedules import CachedCase
from netplace.scheduling import Allocation, Job, make_partitioner, schedule
from netplace.scheduling.metrics import OVER_JOBS
from netplace.scheduling.partitioner.curves import linear_span, order_of, ranks_along, ring_span
from netplace.scheduling.workload import Workload, lublin, read
from netplace.topologies import Topology, parse

BYTES = 1024
STREAM = {2: 91, 5: 33, 25: 31, 30: 33}  # processors: jobs
_BROADCAST, _PAIRS, _RING = 1, 2, 3  # tags


@lru_cache(maxsize=64)
def communication_suite(tasks: int, bytes: int = BYTES) -> Program:
    """Return the suite: each part once, messages of the given number of bytes.

    Pairs take turns as in a tournament: the task of the lower number sends, the other answers.
    """
    writers = []
    for task in range(tasks):
        writer = TaskWriter(task, tasks)
        others = [(task + step) % tasks for step in range(1, tasks)]
        for other in others:
            writer.send(other, bytes, _BROADCAST)
        for other in others:
            writer.recv(other, bytes, _BROADCAST)
        for other in _opponents(task, tasks):
            order = (writer.send, writer.recv) if task < other else (writer.recv, writer.send)
            for act in order:
                act(other, bytes, _PAIRS)
        if tasks > 1:
            writer.send((task + 1) % tasks, bytes, _RING)
            writer.recv((task - 1) % tasks, bytes, _RING)
        writers.append(writer)
    return Program.of(writers, "suite")


def _opponents(task: int, tasks: int) -> list[int]:
    """Return the opponents of a task in each round of a tournament, by the circle method, without byes."""
    seats = tasks + tasks % 2
    opponents = []
    for turn in range(seats - 1):
        # Seat 0 stays, the others move round; the opposite seat is the opponent.
        ring = [0] + [1 + (place + turn) % (seats - 1) for place in range(seats - 1)]
        other = ring[seats - 1 - ring.index(task)]
        if other < tasks:
            opponents.append(other)
    return opponents


@dataclass(frozen=True)
class SuitePlacing(JobPlacer):
    """Puts jobs on their nodes, all of which run the suite."""

    def _body(self, work: JobProgram) -> Program:
        return communication_suite(work.tasks)

    def loop(self, placed: PlacedJob) -> Program:
        return communication_suite(placed.work.tasks)


def stream(seed: int, jobs: dict[int, int] | None = None) -> list[Job]:
    """Return the jobs of the published stream, all there from the beginning, in an order by `seed`.

    Four of the largest come first, to fill the machine, and one of the smallest last; the order of the others
    is not published.
    """
    counts = dict(STREAM if jobs is None else jobs)
    sizes = sorted(size for size, count in counts.items() for _ in range(count))
    first, last, rest = sizes[-4:], sizes[:1], sizes[1:-4]
    order = np.random.default_rng(seed).permutation(rest).tolist()
    return [Job(number, 0.0, size, 1.0) for number, size in enumerate([*first, *order, *last], 1)]


def makespan(machine: Topology, partition: str, jobs: list[Job], seed: int = 0) -> dict[str, float]:
    placing = SuitePlacing(machine, Config(), lambda job: JobProgram("", job.nodes), seed=seed)
    execution = LiveExecution(placing, lambda job: 1.0)
    made = schedule(machine, jobs, "fcfs", make_partitioner(partition, machine, seed), execution)
    largest, cycle = made.nodes == made.nodes.max(), Config().cycle_ns * 1e-9
    wait, run = (made.start - made.submit) / cycle, (made.end - made.start)[largest] / cycle
    return {
        "makespan": made.makespan / cycle,
        "wait of largest": float(wait[largest].mean()),
        "wait of others": float(wait[~largest].mean()),
        "run of largest": float(run.mean()),
        "spread of runs": float(run.std() / run.mean()),
    }


def together(machine: Topology, partition: str, size: int, order: str, seed: int) -> list[dict[str, float]]:
    """Return, for each job that runs the suite on a full machine, its time and the spread of its nodes.

    A tenth of the nodes, drawn by `seed`, are held; jobs of `size` nodes get the others until fewer are left.
    """
    rng = np.random.default_rng(seed)
    partitioner = make_partitioner(partition, machine, seed)
    few = Job(0, 0.0, 1, 1.0)
    chance = make_partitioner("random", machine, seed)
    held = chance.find(Job(0, 0.0, max(1, len(machine.computing) // 10), 1.0))
    assert held is not None, "the machine is empty"
    partitioner.take(held)
    places: list[NDArray[np.int64]] = []
    while partitioner.free >= size:
        allocation = partitioner.find(Job(few.number, 0.0, size, 1.0))
        if allocation is None:
            break
        partitioner.take(allocation)
        places.append(allocation.nodes)
    program = communication_suite(size)
    result = simulate(machine, [program] * len(places), places, seed=int(rng.integers(2**31)))
    along = order_of(machine, order)
    rank = ranks_along(along)
    return [
        {
            "cycles": float(job.cycles),
            "hops": pairwise_sum(machine, nodes) / (size * (size - 1) / 2),
            "linear span": float(linear_span(np.sort(rank[nodes]))),
            "ring span": float(ring_span(np.sort(rank[nodes]), len(along))),
        }
        for job, nodes in zip(result.jobs, places, strict=True)
    ]


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

    def to_dict(self) -> dict[str, Any]:
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
