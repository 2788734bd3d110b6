"""What the demonstration has compiled, on all processors at once; it is kept, so this takes time but once."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Mapping
from functools import partial

from netplace.cosim import cosimulate
from netplace.experiments.demo.results import NETWORKS
from netplace.experiments.demo.shared_machine import MACHINE, PARTITIONS, plan_of
from netplace.netsim import Config
from netplace.netsim.domains import cores
from netplace.report.terminal.quiet import QUIET
from netplace.report.terminal.screen import with_progress
from netplace.runs.execute import warm_up
from netplace.runs.executors import run_each
from netplace.scheduling import Job
from netplace.scheduling.partitioner import make_partitioner
from netplace.topologies import parse

__all__ = ["PARTS", "compile_all"]


def _shared() -> None:
    cosimulate(plan_of("random", jobs=2))


def _partitioners() -> None:
    for name in PARTITIONS:
        partitioner = make_partitioner(name, parse(MACHINE))
        place = partitioner.find(Job(1, 0.0, 4, 1.0))
        if place is not None:
            partitioner.take(place)
            partitioner.release(place)


# Each by itself takes about as long; what is compiled in a process is there for all that come after. The last
# one needs what the first ones compile.
PARTS: Mapping[str, Callable[[], None]] = {
    "partitioners": _partitioners,
    **{network: partial(warm_up, network, Config(vcs=vcs)) for network, (vcs, _) in NETWORKS.items()},
    "jobs side by side": _shared,
}


def compile_all() -> None:
    """Have all that the demonstration needs compiled and kept, unless it is."""
    with_progress(run_each(_compile, list(PARTS), cores()), len(PARTS), "parts ready")


def _compile(name: str) -> None:
    if multiprocessing.parent_process() is not None:
        os.environ[QUIET] = "1"  # several processes would say the same
    PARTS[name]()
