"""Memory of a network, in a process of its own."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from netplace.benchmarks.figure import Figure, figure
from netplace.benchmarks.fresh import run_fresh
from netplace.netsim import Network

_SCRIPT = """
import sys
from netplace.benchmarks.memory import growth
from netplace.benchmarks.traffic import uniform_network
uniform_network(sys.argv[2], 1.0, 50)  # the kernel is loaded
network, grown = growth(lambda: uniform_network(sys.argv[1], 1.0, 200))
print(grown / network.topology.nodes)
"""


def growth(make: Callable[[], Network]) -> tuple[Network, int]:
    """Return a network, and by how many bytes the peak of resident memory has grown."""
    with contextlib.suppress(OSError):  # forget the peak that importing has left
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = _peak()
    made = make()
    return made, _peak() - before


def _peak() -> int:
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) * 1024
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


# network, one of its kind whose kernel is the same, bytes of a node wanted
NETWORKS = (
    ("torus:32x32x32", "torus:13x13x13", 1000),
    ("tree:4,6", "tree:4,5", 2000),
    ("thintree:4,2,6", "thintree:3,1,7", 2000),
)


def memory(quick: bool) -> Iterator[Figure]:
    """Measure by how much the peak of resident memory grows per node: topology, engine, saturated traffic."""
    for name, small, most in NETWORKS:
        values = [run_fresh(_SCRIPT, name, small)[0] / 1e3 for _ in range(1 if quick else 3)]
        yield figure(f"memory of a node, {name}", "kB", values, most=most / 1e3)
