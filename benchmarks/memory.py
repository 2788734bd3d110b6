"""Memory of a network, in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator

from netplace.benchmarks.figure import Figure, figure
from netplace.benchmarks.fresh import run_fresh

__all__ = ["memory"]

_SCRIPT = """
import re, resource, sys

def peak():
    try:
        return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read()).group(1)) * 1024
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

from netplace.netsim import Network, pattern
from netplace.topologies import parse
Network(parse("torus:2x2")).advance(1)
try:
    open("/proc/self/clear_refs", "w").write("5")  # forget the peak that importing has left
except OSError:
    pass
before = peak()
network = Network(parse(sys.argv[1]))
network.generate(pattern("uniform", network.topology, 1 / 16))
network.advance(200)
print((peak() - before) / network.topology.nodes)
"""


def memory(quick: bool) -> Iterator[Figure]:
    """Measure by how much the peak of resident memory grows per node: topology, engine, saturated traffic."""
    name = "torus:16x16x16" if quick else "torus:32x32x32"
    values = [run_fresh(_SCRIPT, name)[0] / 1e3 for _ in range(1 if quick else 3)]
    yield figure(f"memory of a node, {name}", "kB", values, most=1.5)
