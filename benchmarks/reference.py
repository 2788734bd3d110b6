"""How much faster the kernel is than the reference engine."""

from __future__ import annotations

from collections.abc import Iterator

from netplace.benchmarks.figure import Figure, figure
from netplace.benchmarks.traffic import hops_per_second, uniform_network


def reference(quick: bool) -> Iterator[Figure]:
    """Measure packet-hops per second of both engines on the same saturated network."""
    slow = uniform_network("torus:8x8", 1.0, 200, engine="reference")
    fast = uniform_network("torus:8x8", 1.0, 5_000)
    rates, ratios = [], []
    for _ in range(1 if quick else 3):
        rates.append(hops_per_second(slow, 300) * 1e3)
        ratios.append(hops_per_second(fast, 40_000) / rates[-1] * 1e3)
    yield figure("reference engine, uniform, saturated, torus:8x8", "k packet-hops/s", rates)
    yield figure("kernel / reference engine", "ratio", ratios)
