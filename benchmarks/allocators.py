"""How long it takes to choose nodes: where half of the machine is held at random, and job after job."""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator
from functools import partial

import numpy as np

from netplace.benchmarks.figure import Figure, cpu_seconds, figure
from netplace.scheduling import PARTITIONERS, Allocation, Job, Partitioner, make_partitioner
from netplace.topologies import Topology, parse

SIZE = 512
MACHINES: dict[str, float] = {  # most milliseconds
    "mesh:64x64": 10,
    "torus:16x16x16": 10,
    "mesh:256x128": 100,
    "torus:32x32x32": 100,
}
ALGORITHMS = ("mm", "mc1x1")
USUAL = "torus:16x16x16"
ELSEWHERE = {
    **dict.fromkeys(("adaptive-scan", "buddy", "frame-sliding", "rbs"), "mesh:64x64"),
    **dict.fromkeys(("nearly-contiguous", "quasi-contiguous"), "tree:4,6"),
}
NO_GOAL = ("gen-alg+inc", "mm+inc")  # swaps to a local optimum cost more than any stream of jobs should pay
_FILLING = 200  # jobs by which the machine is full
BOXES = ("adaptive-scan", "buddy", "contiguous", "frame-sliding", "iff", "naive", "rbs", "row-jumps", "zff")
SMALL = {"line": "mesh:4096", "optimal": "mesh:4x4"}  # what their searches are for
LEAST = 100_000 / 60  # jobs a second: 10^5 in a minute


def half_held(text: str, topology: Topology, seed: int) -> Partitioner:
    """Return a partitioner on a machine of which half of the nodes, drawn at random, are held."""
    rng = np.random.default_rng(seed)
    partitioner = make_partitioner(text, topology)
    held = rng.choice(topology.nodes, topology.nodes // 2, replace=False)
    partitioner.take(Allocation(np.sort(held)))
    return partitioner


def choose_nodes(quick: bool) -> Iterator[Figure]:
    """Measure how long `mm` and `mc1x1` take to choose 512 nodes."""
    job = Job(0, 0.0, SIZE, 1.0)
    for machine, most in MACHINES.items():
        topology = parse(machine)
        for text in ALGORITHMS:
            half_held(text, topology, 0).find(job)  # compiled, or read from disk
            times = []
            for seed in range(1, 4 if quick else 12):
                times.append(1e3 * cpu_seconds(partial(half_held(text, topology, seed).find, job)))
            yield figure(f"{SIZE} nodes by {text}, half held, {machine}", "CPU ms", times, most=most)


def jobs_per_second(text: str, topology: Topology, count: int, seed: int = 0) -> float:
    """Return how many jobs a second of CPU time a partitioner serves, first come, first served.

    All jobs wait from the beginning: each is requested until it fits, whenever a job has ended. Their sizes
    are spread evenly on a logarithmic scale, from a node to an eighth of the machine, their run times
    exponential. The clock starts when the machine has filled up, `count` jobs before the end.
    """
    rng = np.random.default_rng(seed)
    partitioner = make_partitioner(text, topology)
    partitioner.find(Job(0, 0.0, 1, 1.0))  # compiled, or read from disk
    partitioner.find(Job(0, 0.0, max(1, topology.nodes // 8), 1.0))
    sizes = np.exp(rng.uniform(0, np.log(max(2, topology.nodes // 8)), _FILLING + count)).astype(int)
    if text.partition(":")[0] in BOXES:
        sizes = 1 << np.round(np.log2(sizes)).astype(int)  # boxes of any such size fit
    running: list[tuple[float, int, Allocation]] = []
    now, began = 0.0, 0.0
    for number, size in enumerate(sizes.tolist()):
        if number == _FILLING:
            began = time.process_time()
        job = Job(number, 0.0, size, 1.0)
        while partitioner.free < size or (allocation := partitioner.find(job)) is None:
            now, _, ended = heapq.heappop(running)
            partitioner.release(ended)
        partitioner.take(allocation)
        heapq.heappush(running, (now + rng.exponential(), number, allocation))
    return count / (time.process_time() - began)


def serve_jobs(quick: bool) -> Iterator[Figure]:
    """Measure how many jobs a second every partitioner places on 4,096 nodes."""
    for text in PARTITIONERS:
        machine = ELSEWHERE.get(text) or SMALL.get(text, USUAL)
        topology = parse(machine)
        rule = f"{text}:20" if ELSEWHERE.get(text) == "tree:4,6" else text
        rates = [
            jobs_per_second(rule, topology, 100 if quick else 400, seed) for seed in range(1 if quick else 3)
        ]
        least = None if text in NO_GOAL or text in SMALL else LEAST
        yield figure(f"jobs placed by {text}, {machine}", "jobs/CPU s", rates, least=least)
