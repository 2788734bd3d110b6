"""Applications: a halo exchange, and NPB FT."""

from __future__ import annotations

from collections.abc import Iterator

from netplace.apps import APPLICATIONS
from netplace.apps.carried import carried
from netplace.apps.formats import read
from netplace.benchmarks.figure import Figure, cpu_seconds, figure
from netplace.benchmarks.traffic import hops_per_second, uniform_network
from netplace.netsim import simulate
from netplace.topologies import parse

__all__ = ["application", "halo"]


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
    """Measure NPB FT class A: 64 tasks on an 8x8 torus, the recorded run."""
    if quick:
        return
    path = carried("FT.A.64")
    assert path is not None
    program, topology = read(path), parse("torus:8x8")
    values = [cpu_seconds(lambda: simulate(topology, program)) for _ in range(3)]
    yield figure("NPB FT, class A, 64 tasks, torus:8x8", "CPU s", values, most=20)
