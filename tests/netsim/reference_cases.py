"""Programs, golden rows and runs for the tests of the reference engine."""

import numpy as np

from netplace.apps import Program, TaskWriter
from netplace.netsim.config import Config
from netplace.netsim.engine import Exit, JobRecord
from netplace.netsim.reference import ReferenceEngine
from netplace.topologies import parse

FOR_EVER = 10**9


def program(*tasks):
    """Return a program from one list of operations a task, such as ``("send", 1, 64)``."""
    writers = [TaskWriter(number, len(tasks)) for number in range(len(tasks))]
    for writer, operations in zip(writers, tasks, strict=True):
        for name, *arguments in operations:
            getattr(writer, name)(*arguments)
    return Program.of(writers)


def flow(packets: int = 1, size: int = 64, received: bool = True) -> Program:
    """Return a program of two tasks, the first of which sends the other one so many packets of a message."""
    return program([("send", 1, size * packets)], [("recv", 0, size * packets)] * received)


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
