"""Every job ends as finished, stopped or deadlocked, and only a finished one has a run time."""

import numpy as np
import pytest

from netplace.apps import APPLICATIONS, Program, TaskWriter
from netplace.netsim import (
    Config,
    Deadlocked,
    DeadlockError,
    Finished,
    LostJobError,
    Network,
    Stopped,
    simulate,
)
from netplace.netsim.critical_path import critical_path
from netplace.netsim.simulation import replay
from netplace.runs import attempt, resolve
from netplace.runs.placing import run_time_of
from netplace.topologies import parse

ENGINES = ["kernel", "reference"]
MESH = parse("mesh:4x4")
EXCHANGE = APPLICATIONS["all-to-all"].make(tasks=16)
HALF = APPLICATIONS["all-to-all"].make(tasks=8)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_job_that_a_fault_stops_has_no_run_time(engine):
    result = simulate(MESH, EXCHANGE, config=Config(faults="at=20,router=5"), engine=engine)
    (job,) = result.jobs
    assert job.outcome == Stopped(20, by_fault=True)
    assert (job.end, result.ended, result.finished) == (20, 20, False)
    assert (job.task_cycles >= 0).all()
    for lost in (job, result):
        with pytest.raises(LostJobError, match=r"no run time: .*stopped in cycle 20, a fault cut off"):
            _ = lost.cycles
    figures = result.figures()
    assert (figures["cycles"], figures["seconds"], figures["jobs"][0]["cycles"]) == (None, None, None)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_job_that_has_not_begun_when_a_fault_cuts_its_nodes_is_stopped(engine):
    programs, places = [HALF, HALF], [np.arange(8), np.arange(8, 16)]
    result = simulate(
        MESH, programs, places, config=Config(faults="at=20,router=5"), engine=engine, starts=[100, 0]
    )
    first, second = result.jobs
    assert first.outcome == Stopped(20, by_fault=True)
    assert isinstance(second.outcome, Finished)
    assert second.cycles == second.end


@pytest.mark.parametrize("engine", ENGINES)
def test_a_job_that_waits_for_lost_packets_is_deadlocked_and_its_neighbour_finishes(engine):
    config = Config(faults="at=20,link=0-1")
    network = Network(MESH, config, engine=engine)
    result = replay(network, [(HALF, np.arange(8), 0, 1), (HALF, np.arange(8, 16), 0, 1)])
    waiting, finished = result.jobs
    assert isinstance(waiting.outcome, Deadlocked)
    assert waiting.end == waiting.outcome.at
    assert "waits for task" in waiting.outcome.why
    assert finished.finished


@pytest.mark.parametrize("engine", ENGINES)
def test_a_job_that_its_owner_stops_is_stopped_on_request(engine):
    network = Network(MESH, engine=engine)
    job = network.start(EXCHANGE)
    assert network.outcome(job) is None
    network.advance(10)
    network.stop(job)
    assert network.outcome(job) == Stopped(10, by_fault=False)
    network.finish()
    assert not network.result().finished


@pytest.mark.parametrize("faults", ["at=20,router=5", "at=20,link=0-1", "at=1,router=5"])
@pytest.mark.parametrize("settings", [{}, {"eager_limit": 0}, {"nonblocking_sends": "interleaved"}])
def test_the_critical_path_of_a_lost_job_ends_where_the_job_did(faults, settings):
    config = Config(faults=faults, **settings)
    program = APPLICATIONS["waterfall"].make(tasks=16) if settings.get("eager_limit") == 0 else EXCHANGE
    network = Network(MESH, config, record_messages=True)
    result = replay(network, [(program, None, 0, 1)])
    (job,) = result.jobs
    assert not job.finished
    assert critical_path(MESH, config, program, job).cycles == job.end


def test_a_circle_of_tasks_has_a_critical_path():
    writers = [TaskWriter(task, 3) for task in range(3)]
    for task in (0, 1):  # each waits for the other before it sends
        writers[task].recv(1 - task, 64, 0)
        writers[task].send(1 - task, 64, 0)
    writers[0].send(2, 64, 1)
    writers[1].send(2, 64, 1)
    program = Program.of(writers, "circle")
    config = Config(faults="at=20,link=14-15")
    network = Network(MESH, config, record_messages=True)
    network.start(program, [0, 1, 2])
    with pytest.raises(DeadlockError):
        network.finish()
    (job,) = network.result().jobs
    assert critical_path(MESH, config, program, job).cycles == job.end


def test_a_lost_job_is_a_failure_in_a_store_and_no_time_of_a_mapping():
    run = resolve("mesh:4x4", {"app": "all-to-all", "tasks": 16}, config=Config(faults="at=20,router=5"))
    for _ in range(2):  # the second is not simulated
        ended = attempt(run)
        assert ended.outcome is None
        assert ended.failure == (
            "job 0 all-to-all: stopped in cycle 20, a fault cut off at least one of its nodes"
        )
    config = Config(faults="at=20,router=5")
    assert run_time_of(MESH, EXCHANGE, config)(np.arange(16), None) is None
