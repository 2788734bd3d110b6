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
small = Network(parse(sys.argv[2]))
small.generate(pattern("uniform", small.topology, 1 / 16))
small.advance(50)  # the kernel is loaded
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
