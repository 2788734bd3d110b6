"""What a second thread gains for one network: saturated uniform traffic on one thread and on two, in turn.

It measures the time that passes, so nothing else should run: on a busy machine threads wait for each other
whenever one of them has no core.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from netplace.benchmarks.figure import Figure, figure
from netplace.benchmarks.traffic import hops_per_second, uniform_network
from netplace.netsim import Config

_UGAL = Config(routing="ugal-l", vcs=3)
# network: (settings, cycles of warm-up, cycles of a repeat, gain of two threads wanted)
NETWORKS: dict[str, tuple[Config, int, int, float | None]] = {
    "torus:8x8": (Config(), 5_000, 40_000, None),
    "torus:8x8x8": (Config(), 2_000, 6_000, None),
    "torus:16x16x16": (Config(), 1_500, 1_000, 1.5),
    "torus:32x32x32": (Config(), 600, 120, 1.7),
    "torus:64x64x64": (Config(), 200, 14, 1.7),
    "tree:4,6": (Config(), 600, 250, None),
    "tree:4,8": (Config(), 250, 15, 1.7),
    "dragonfly:a=14,p=7,h=7": (_UGAL, 300, 100, 1.6),
}
COUNT = 2  # threads
_QUICK = ("torus:8x8", "torus:16x16x16", "tree:4,6")


def threads(quick: bool) -> Iterator[Figure]:
    """Measure packet-hops per second of time with one thread, with two, and the ratio, pair by pair."""
    for name in _QUICK if quick else NETWORKS:
        config, warmup, cycles, least = NETWORKS[name]
        alone, together = (
            uniform_network(name, 1.0, warmup, config=config, threads=number) for number in (1, COUNT)
        )
        pairs = [
            tuple(hops_per_second(network, cycles, time.perf_counter) for network in (alone, together))
            for _ in range(3 if quick else 5)
        ]
        single, several = zip(*pairs, strict=True)
        yield figure(f"one thread, {name}", "M packet-hops/s", single)
        yield figure(f"{COUNT} threads, {name}", "M packet-hops/s", several)
        ratios = [after / before for before, after in pairs]
        yield figure(f"{COUNT} threads over one, {name}", "ratio", ratios, least=least)
