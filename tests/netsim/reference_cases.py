"""Programs, golden rows and runs for the tests of the reference engine."""

import csv
import gzip
from pathlib import Path

import numpy as np

from netplace.apps import Program, TaskWriter
from netplace.netsim.config import Config
from netplace.netsim.engine import Exit, JobRecord
from netplace.netsim.reference import ReferenceEngine
from netplace.topologies import parse

GOLDEN = Path(__file__).parents[1] / "golden"
FOR_EVER = 10**9

_NETWORKS = {"torus": "torus:", "mesh": "mesh:", "fattree": "tree:", "thintree": "thintree:"}
_OPTIONS = {
    "nchan": "vcs",
    "rmode": "vc_policy",
    "amode": "arbiter",
    "cmode": "ejection",
    "tql": "queue_packets",
    "iql": "nic_buffer",
    "bsize": "bubble",
    "routing": "tree_routing",
    "ninj": "injectors",
}


def program(*tasks):
    """Return a program from one list of operations a task, such as ``("send", 1, 64)``."""
    writers = [TaskWriter(number, len(tasks)) for number in range(len(tasks))]
    for writer, operations in zip(writers, tasks, strict=True):
        for name, *arguments in operations:
            getattr(writer, name)(*arguments)
    return Program.of(writers)


def engine(network: str, seed: int = 1, **config) -> ReferenceEngine:
    return ReferenceEngine(parse(network), Config(**config), seed)


def finished(network: str, *tasks, nodes=None, seed: int = 1, **config) -> JobRecord:
    """Return the record of one job run to its end on an empty network and drained."""
    network_engine = engine(network, seed, **config)
    network_engine.install(program(*tasks), np.arange(len(tasks)) if nodes is None else np.array(nodes))
    assert network_engine.run(FOR_EVER) == Exit.JOB_ENDED
    assert network_engine.run(FOR_EVER) == Exit.IDLE
    assert network_engine.in_flight == 0
    return network_engine.job(0)


def golden_rows(name: str) -> list[dict[str, str]]:
    with (GOLDEN / f"{name}.csv").open() as file:
        return list(csv.DictReader(file))


def golden_engine(row: dict[str, str], seed: int = 1) -> ReferenceEngine:
    """Return an engine with the job of a golden run."""
    kind, *sizes = row["network"].split("_")
    network = _NETWORKS[kind] + ("," if "tree" in kind else "x").join(sizes)
    pairs = (option.split("=") for option in row["insee_options"].split())
    config = {_OPTIONS[name]: int(value) if value.isdigit() else value for name, value in pairs}
    network_engine = engine(network, seed, **config)
    trace = _trace(row["trace"])
    network_engine.install(trace, np.arange(trace.tasks))
    return network_engine


def golden_clock(row: dict[str, str], seed: int = 1) -> int:
    """Return the final clock of a golden run: that of INSEE is one more than the job's end."""
    network_engine = golden_engine(row, seed)
    assert network_engine.run(FOR_EVER) == Exit.JOB_ENDED
    return network_engine.job(0).end + 1


def _trace(name: str) -> Program:
    operations: dict[int, list[tuple[object, ...]]] = {}
    with gzip.open(GOLDEN / "traces" / f"{name}.trc.gz", "rt") as file:
        for line in file:
            kind, *numbers = line.split()
            if kind == "c":
                task, cycles = map(int, numbers)
                operations.setdefault(task, []).append(("compute", cycles))
                continue
            source, destination, tag, size = map(int, numbers)
            sends = kind == "s"
            here, there = (source, destination) if sends else (destination, source)
            operations.setdefault(there, [])
            operations.setdefault(here, []).append(("send" if sends else "recv", there, size, tag))
    return program(*(operations.get(task, []) for task in range(max(operations) + 1)))
