"""A process that measures one version of the simulator, as it is told line by line; see `against`.

Runs as a script, with the folder of the version as its argument, or with none for the installed one. Versions
from before the packages stood under ``netplace.`` are measured too.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import math
import re
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


def traffic(
    modules: dict[str, Any], name: str, settings: str, offered: str, warmup: str, cycles: str, small: str
) -> tuple[Callable[[], float], float]:
    """Warm up a network under uniform traffic; return what measures the next cycles, and the kB of a node."""
    netsim, parse = modules["netsim"], modules["topologies"].parse
    config = netsim.Config(**json.loads(settings))

    def loaded(name: str, cycles: int) -> Any:
        network = netsim.Network(parse(name), config)
        chance = float(offered) / config.packet_phits
        network.generate(netsim.pattern("uniform", network.topology, chance))
        network.advance(cycles)
        return network

    if small:
        loaded(small, 50)  # the code is in memory now, so that what grows belongs to nodes
    before = _peak()
    network = loaded(name, int(warmup))
    kept = (_peak() - before) / network.topology.nodes if small else math.nan

    def measure() -> float:
        network.reset_counters()
        began = time.process_time()
        network.advance(network.now + int(cycles))
        seconds = time.process_time() - began
        return float(network.counters().link_packets.sum()) / seconds / 1e6

    return measure, kept


def _peak() -> float:
    """Return the peak of resident memory since the last call, in kB."""
    status = Path("/proc/self/status")
    peak = int(re.findall(r"VmHWM:\s+(\d+)", status.read_text())[0]) if status.exists() else math.nan
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return peak * 1.024


def program(modules: dict[str, Any], name: str, path: str, seed: str) -> tuple[Callable[[], float], float]:
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

    return measure, math.nan


_MAKERS = {"program": program, "traffic": traffic}


def serve(prefix: str) -> None:
    """Answer each line of standard input by a line: the kB per node when prepared, else the figure."""
    modules = {
        name: importlib.import_module(prefix + name) for name in ("apps.formats", "netsim", "topologies")
    }
    measure: Callable[[], float] = float
    for line in sys.stdin:
        what, *arguments = line.rstrip("\n").split("\t")
        if what == "measure":
            print(measure(), flush=True)
        else:
            measure, kept = _MAKERS[what](modules, *arguments)
            print(kept, flush=True)


if __name__ == "__main__":
    serve(prepare(Path(sys.argv[1])) if len(sys.argv) > 1 else f"{_ONE_NAME}.")
