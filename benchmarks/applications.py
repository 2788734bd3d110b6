"""Applications: a halo exchange, and recorded NPB programs."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from netplace.apps import APPLICATIONS
from netplace.apps.carried import carried
from netplace.apps.formats import read
from netplace.benchmarks.figure import Figure, figure
from netplace.benchmarks.traffic import hops_per_second, uniform_network
from netplace.netsim import simulate
from netplace.topologies import parse


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
            rates = []
            for _ in range(1 if quick else 3):
                began = time.process_time()
                hops = simulate(topology, program, nodes).packet_hops
                rates.append(hops / (time.process_time() - began) / 1e6)
            yield figure(f"NPB {name}, class A, torus:8x8, {mapping}", "M packet-hops/s", rates)
