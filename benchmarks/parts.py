"""What a second process gains for a run whose jobs can share no router."""

from __future__ import annotations

import time
from collections.abc import Iterator

from netplace.apps import APPLICATIONS, Program
from netplace.benchmarks.figure import Figure, figure
from netplace.netsim import simulate
from netplace.topologies import Topology, parse

__all__ = ["parts"]


def parts(quick: bool) -> Iterator[Figure]:
    """Measure the time that passes over a run in two parts, with two processes over one."""
    side = 16 if quick else 32
    topology = parse(f"mesh:{side}x{2 * side}")
    half = side * side
    jobs = [APPLICATIONS["2d-torus"].make(half, bytes=4096, rounds=10 if quick else 50)] * 2
    places = [range(half), range(half, 2 * half)]
    _seconds(topology, jobs, places, 1)  # the kernel is loaded
    ratios = []
    for _ in range(1 if quick else 5):
        single, two = (_seconds(topology, jobs, places, workers) for workers in (1, 2))
        ratios.append(two / single)
    yield figure(f"time of a run in two parts, mesh:{side}x{2 * side}, two processes / one", "ratio", ratios)


def _seconds(topology: Topology, jobs: list[Program], places: list[range], workers: int) -> float:
    """Return the seconds that pass while a run is simulated."""
    began = time.perf_counter()
    simulate(topology, jobs, places, part_processes=workers)
    return time.perf_counter() - began
