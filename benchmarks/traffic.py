"""Open-loop uniform traffic: packet-hops per second at saturation, and what idle cycles cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from netplace.benchmarks.figure import Figure, cpu_seconds, figure
from netplace.netsim import Config, Network, pattern
from netplace.topologies import parse

# network: (cycles of warm-up, cycles of a repeat, packet-hops a second wanted, in millions)
SATURATED = {
    "torus:8x8": (5_000, 40_000, 12.0),
    "torus:16x16x16": (1_500, 800, 9.0),
    "torus:32x32x32": (1_000, 100, 7.0),
    "torus:64x64x64": (400, 12, 3.5),
    "torus:8x8x8x8x8": (400, 60, 3.0),
    "tree:4,6": (600, 200, 4.0),
    "thintree:4,2,6": (1_500, 800, 5.0),
}


def uniform_network(
    name: str,
    offered: float,
    warmup: int,
    engine: str = "kernel",
    config: Config | None = None,
    threads: int = 1,
) -> Network:
    """Return a network under uniform traffic of `offered` phits per node and cycle, warmed up."""
    network = Network(parse(name), config, engine=engine, threads=threads)
    network.generate(pattern("uniform", network.topology, offered / network.config.packet_phits))
    network.advance(warmup)
    return network


def hops_per_second(network: Network, cycles: int, clock: Callable[[], float] = time.process_time) -> float:
    """Return the millions of packet-hops that the next `cycles` cycles simulate in a second of a clock."""
    network.reset_counters()
    seconds = cpu_seconds(lambda: network.advance(network.now + cycles), clock)
    return float(network.counters().link_packets.sum()) / seconds / 1e6


def saturated(quick: bool) -> Iterator[Figure]:
    """Measure saturated uniform traffic with the default settings."""
    for name, (warmup, cycles, least) in SATURATED.items():
        network = uniform_network(name, 1.0, warmup)
        values = [hops_per_second(network, cycles) for _ in range(3 if quick else 7)]
        yield figure(f"uniform traffic, saturated, {name}", "M packet-hops/s", values, least=least)


def general(quick: bool) -> Iterator[Figure]:
    """Measure saturated uniform traffic in the table router: a dragonfly of 1,056 nodes with UGAL."""
    network = uniform_network("dragonfly:a=8,p=4,h=4", 1.0, 1_000, config=Config(routing="ugal-l", vcs=3))
    values = [hops_per_second(network, 4_000) for _ in range(3 if quick else 7)]
    yield figure(
        "uniform traffic, saturated, dragonfly:a=8,p=4,h=4, ugal-l", "M packet-hops/s", values, least=3.0
    )


def idle(quick: bool) -> Iterator[Figure]:
    """Measure the time of a simulated cycle at offered load 0.05 over that at saturation."""
    low, high = (uniform_network("torus:8x8", offered, 5_000) for offered in (0.05, 1.0))
    values = []
    for _ in range(3 if quick else 7):
        light = cpu_seconds(lambda: low.advance(low.now + 200_000)) / 200_000
        heavy = cpu_seconds(lambda: high.advance(high.now + 40_000)) / 40_000
        values.append(light / heavy)
    yield figure("time of a cycle, offered 0.05 / saturated, torus:8x8", "ratio", values, most=0.1)
