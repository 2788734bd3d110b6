"""Applications: a halo exchange, and recorded NPB programs."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from netplace.apps import APPLICATIONS, Program
from netplace.apps.carried import carried
from netplace.apps.formats import read
from netplace.benchmarks.figure import Figure, figure
from netplace.benchmarks.traffic import hops_per_second, uniform_network
from netplace.netsim import simulate
from netplace.topologies import Topology, parse


def halo(quick: bool) -> Iterator[Figure]:
    """Measure the time of a packet-hop of a halo exchange over that of saturated uniform traffic."""
    topology = parse("torus:8x8")
    program = APPLICATIONS["2d-torus"].make(64, bytes=1024, rounds=100)
    network = uniform_network("torus:8x8", 1.0, 5_000)
    rates, ratios = [], []
    for _ in range(3 if quick else 7):
        result = simulate(topology, program)
        rates.append(result.packet_hops / result.cpu_seconds / 1e6)
        ratios.append(hops_per_second(network, 40_000) / rates[-1])
    yield figure("halo exchange, torus:8x8", "M packet-hops/s", rates)
    yield figure("time of a hop, halo exchange / uniform traffic", "ratio", ratios, most=1.0)


def application(quick: bool) -> Iterator[Figure]:
    """Measure recorded NPB programs of class A: 64 tasks on an 8x8 torus, in order and at random.

    The time includes everything after the program has been read.
    """
    topology = parse("torus:8x8")
    for name in ("LU", "CG", "FT"):
        path = carried(f"{name}.A.64")
        assert path is not None
        program = read(path)
        for mapping, nodes in (("consecutive", None), ("random", np.random.default_rng(1).permutation(64))):
            rates = [_rate(topology, program, nodes) for _ in range(1 if quick else 3)]
            yield figure(f"NPB {name}, class A, torus:8x8, {mapping}", "M packet-hops/s", rates)


def _rate(topology: Topology, program: Program, nodes: NDArray[np.int64] | None) -> float:
    """Return the millions of packet-hops that a run of a program simulates in a second of CPU time."""
    began = time.process_time()
    result = simulate(topology, program, nodes)
    return result.packet_hops / (time.process_time() - began) / 1e6
