"""The communication suite of the Cplant experiments, and jobs that run it together on one network.

V. J. Leung et al., "Processor allocation on Cplant: achieving general processor locality using
one-dimensional allocation strategies", CLUSTER 2002, section 4: all-to-all broadcast, all-pairs ping-pong,
ring.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from netplace.apps import Program, TaskWriter
from netplace.cosim import LiveExecution, Placed, Placing, Work
from netplace.netsim import Config, simulate
from netplace.placement.compactness import pairwise_sum
from netplace.scheduling import Job, make_partitioner, schedule
from netplace.scheduling.partitioner.curves import linear_span, order_of, ranks_along, ring_span
from netplace.topologies import Topology

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
class SuitePlacing(Placing):
    """Puts jobs on their nodes, all of which run the suite."""

    def _body(self, work: Work) -> Program:
        return communication_suite(work.tasks)

    def loop(self, placed: Placed) -> Program:
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
    placing = SuitePlacing(machine, Config(), lambda job: Work("", job.nodes), seed=seed)
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
