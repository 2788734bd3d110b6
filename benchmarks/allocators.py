"""How long it takes to choose nodes for a job where half of the machine is held at random."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from netplace.benchmarks.figure import Figure, cpu_seconds, figure
from netplace.scheduling import Allocation, Job, Partitioner, make_partitioner
from netplace.topologies import Topology, parse

__all__ = ["choose_nodes", "half_held"]

SIZE = 512
MACHINES: dict[str, float] = {  # most milliseconds
    "mesh:64x64": 10,
    "torus:16x16x16": 10,
    "mesh:256x128": 100,
    "torus:32x32x32": 100,
}
ALGORITHMS = ("mm", "mc1x1")


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
