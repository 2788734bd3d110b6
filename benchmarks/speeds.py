"""The table of speeds in docs/background/kernel.md: ``python -m netplace.benchmarks.speeds FILE`` renews it.

Each row is measured in a process of its own.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from netplace.benchmarks.applications import application
from netplace.benchmarks.fresh import run_fresh
from netplace.benchmarks.memory import growth
from netplace.benchmarks.traffic import hops_per_second, uniform_network
from netplace.checks.writing import write_atomically
from netplace.netsim import Config
from netplace.topologies import parse

_FULL, _LOW = 1.0, 0.2

# network, settings, their name, offered load, cycles of warm-up, cycles of a repeat
ROWS: tuple[tuple[str, dict[str, Any], str, float, int, int], ...] = (
    ("torus:8x8", {}, "", _FULL, 5_000, 40_000),
    ("torus:8x8", {}, "", _LOW, 5_000, 100_000),
    ("torus:16x16x16", {}, "", _FULL, 1_500, 800),
    ("torus:16x16x16", {}, "", _LOW, 1_500, 2_000),
    ("torus:32x32x32", {}, "", _FULL, 1_000, 100),
    ("torus:64x64x64", {}, "", _FULL, 400, 12),
    ("torus:8x8x8x8x8", {}, "", _FULL, 400, 60),
    ("tree:4,6", {}, "", _FULL, 600, 200),
    ("tree:4,6", {}, "", _LOW, 600, 400),
    ("tree:4,8", {}, "", _FULL, 400, 15),
    ("thintree:4,2,6", {}, "", _FULL, 1_500, 800),
    ("dragonfly:a=8,p=4,h=4", {"routing": "ugal-l", "vcs": 3}, "`ugal-l`", _FULL, 1_000, 2_000),
    ("dragonfly:a=14,p=7,h=7", {"routing": "ugal-l", "vcs": 3}, "`ugal-l`", _FULL, 1_000, 200),
    ("dragonfly:a=14,p=7,h=7", {"routing": "minimal"}, "`minimal`", _FULL, 1_000, 200),
    ("torus:8x8", {"queue_packets": 5}, "five packets in a FIFO", _FULL, 5_000, 40_000),
    ("torus:8x8", {"injectors": 2}, "two injectors", _FULL, 5_000, 40_000),
    ("torus:8x8", {"routing": "adaptive"}, "`--routing adaptive`", _LOW, 5_000, 100_000),
    ("torus:8x8x8", {"routing": "adaptive"}, "`--routing adaptive`", _LOW, 2_000, 10_000),
)

_SCRIPT = """
import json, sys
from netplace.benchmarks.speeds import measure
print(*measure(*json.loads(sys.argv[1])))
"""
_HEAD = "| network | offered | M packet-hops/s | kB per node |"


def measure(
    network: str, settings: dict[str, Any], offered: float, warmup: int, cycles: int
) -> tuple[float, float]:
    """Return the millions of packet-hops per second of CPU time, and the kB of memory per node."""
    config = Config(**settings)
    uniform_network("torus:4x4", offered, 50, config=Config())  # the kernel is loaded
    made, grown = growth(lambda: uniform_network(network, offered, warmup, config=config))
    rates = [hops_per_second(made, cycles) for _ in range(5)]
    return statistics.median(rates), grown / made.topology.nodes / 1e3


def table() -> Iterator[str]:
    """Yield the lines of the table, as they are measured."""
    yield _HEAD
    yield "|---|---|---|---|"
    for network, settings, note, offered, warmup, cycles in ROWS:
        rate, memory = run_fresh(_SCRIPT, json.dumps([network, settings, offered, warmup, cycles]))
        # Most of a small network is not of its nodes.
        kept = f"{memory:.2f}" if parse(network).nodes > 1000 else ""
        yield f"| {network}{', ' * bool(note)}{note} | {offered:g} | {rate:.1f} | {kept} |"
    for figure in application(quick=False):
        yield f"| {figure.name} | | {figure.value:.1f} | |"


def main() -> None:
    """Measure, and replace the table in a document."""
    (path,) = map(Path, sys.argv[1:])
    text = path.read_text(encoding="utf-8")
    before, head, rest = text.partition(_HEAD)
    if not head:
        sys.exit(f"{path}: no table that begins with {_HEAD}")
    lines = []
    for line in table():
        print(line, flush=True)
        lines.append(line)
    after = rest.partition("\n\n")[2]
    write_atomically(path, f"{before}{chr(10).join(lines)}\n\n{after}")


if __name__ == "__main__":
    main()
