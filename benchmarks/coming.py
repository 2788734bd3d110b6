"""Jobs that come to a network and leave it: what starting and ending one costs."""

from __future__ import annotations

from collections.abc import Iterator

from netplace.apps import Program, TaskWriter
from netplace.benchmarks.figure import Figure, cpu_seconds, figure
from netplace.netsim import Network
from netplace.topologies import parse

_TASKS = 64


def come_and_go(quick: bool) -> Iterator[Figure]:
    """Measure jobs of 64 tasks that compute for a cycle: started, ended, asked for and forgotten in turn."""
    network, program = Network(parse("torus:8x8")), _short_program()
    count = 200 if quick else 2_000

    def serve() -> None:
        for _ in range(count):
            job = network.start(program)
            network.advance()
            network.job(job)
            network.forget(job)

    serve()
    values = [cpu_seconds(serve) / count * 1e3 for _ in range(3 if quick else 7)]
    yield figure(f"start and end of a job of {_TASKS} tasks", "ms", values, most=1)


def _short_program() -> Program:
    writers = [TaskWriter(task, _TASKS) for task in range(_TASKS)]
    for writer in writers:
        writer.compute(1)
    return Program.of(writers)
