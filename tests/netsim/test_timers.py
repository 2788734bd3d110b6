"""Timers of computations, near and far: as the reference engine has them, also when jobs are stopped."""

import pytest

from netplace.apps import Program, TaskWriter
from netplace.netsim import Network, pattern
from netplace.topologies import parse

LENGTHS = (1, 2, 1022, 1023, 1024, 1025, 2047, 2048, 5000, 70_000)


def computing(lengths):
    writers = []
    for task, cycles in enumerate(lengths):
        writer = TaskWriter(task, len(lengths))
        for part in (cycles, 3, cycles):
            writer.compute(part)
            writer.send((task + 1) % len(lengths), 64)
            writer.recv((task - 1) % len(lengths), 64)
        writer.compute(cycles)
        writers.append(writer)
    return Program.of(writers)


@pytest.mark.parametrize("network", ["torus:4x4", "dragonfly:a=2,p=2,h=1"])
def test_computations_of_all_lengths(network):
    ends = []
    for engine in ("kernel", "reference"):
        run = Network(parse(network), engine=engine)
        run.start(computing(LENGTHS[:8]))
        run.finish()
        record = run.job(0)
        ends.append((record.end, record.task_end.tolist()))
    assert ends[0] == ends[1]


@pytest.mark.parametrize("stopped_at", [1, 500, 1500, 4000])
def test_a_stopped_job_leaves_no_timer(stopped_at):
    found = []
    for engine in ("kernel", "reference"):
        run = Network(parse("torus:4x4"), engine=engine, seed=3)
        first = run.start(computing(LENGTHS[:8]))
        second = run.start(computing(LENGTHS[1:9]), range(8, 16))
        run.generate(pattern("uniform", run.topology, 0.001))
        run.advance(stopped_at)
        run.stop(first)
        run.start(computing(LENGTHS[:8]), at=stopped_at + 10)
        while not run.job(second).end >= 0:
            run.advance(40_000)
            if run.now >= 40_000:
                break
        run.generate(None)
        found.append([run.counters().created, run.counters().delivered, run.job(second).task_end.tolist()])
    assert found[0] == found[1]
