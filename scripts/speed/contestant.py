"""A process that measures one version of the simulator, as it is told line by line; see `against`.

Runs as a script, with the folder of the version as its argument, or with none for the installed one. Versions
from before the packages stood under ``netplace.`` are measured too.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_ONE_NAME = "netplace"


def prepare(folder: Path) -> str:
    """Make a version's folders importable instead of those installed; return what its names begin with."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
    sys.path.insert(0, str(folder))
    package = folder / _ONE_NAME
    if not package.exists():
        return ""
    for inner in sorted(folder.iterdir()):
        if (inner / "__init__.py").exists() and inner != package and not (package / inner.name).exists():
            (package / inner.name).symlink_to(inner)
    return f"{_ONE_NAME}."


def saturated(modules: dict[str, Any], name: str, warmup: str, cycles: str) -> Callable[[], float]:
    """Warm up a network under saturated uniform traffic; return what measures the next cycles."""
    network = modules["netsim"].Network(modules["topologies"].parse(name))
    chance = 1 / network.config.packet_phits
    network.generate(modules["netsim"].pattern("uniform", network.topology, chance))
    network.advance(int(warmup))

    def measure() -> float:
        network.reset_counters()
        began = time.process_time()
        network.advance(network.now + int(cycles))
        seconds = time.process_time() - began
        return float(network.counters().link_packets.sum()) / seconds / 1e6

    return measure


def program(modules: dict[str, Any], name: str, path: str, seed: str) -> Callable[[], float]:
    """Read a program; return what measures a run, in order or (with a seed) at random."""
    import numpy as np

    topology = modules["topologies"].parse(name)
    read = modules["apps.formats"].read(path)
    nodes = None
    if seed != "none":
        nodes = np.random.default_rng(int(seed)).permutation(topology.nodes)[: read.tasks]

    def measure() -> float:
        began = time.process_time()
        result = modules["netsim"].simulate(topology, read, nodes)
        return float(result.packet_hops) / (time.process_time() - began) / 1e6

    return measure


_MAKERS = {"program": program, "saturated": saturated}


def serve(prefix: str) -> None:
    """Answer each line of standard input by a line: ``ok`` when prepared, else the figure measured."""
    modules = {
        name: importlib.import_module(prefix + name) for name in ("apps.formats", "netsim", "topologies")
    }
    measure: Callable[[], float] = float
    for line in sys.stdin:
        what, *arguments = line.rstrip("\n").split("\t")
        if what == "measure":
            print(measure(), flush=True)
        else:
            measure = float  # what was measured before need not stay in memory
            measure = _MAKERS[what](modules, *arguments)
            print("ok", flush=True)


if __name__ == "__main__":
    serve(prepare(Path(sys.argv[1])) if len(sys.argv) > 1 else f"{_ONE_NAME}.")
