"""Every job ends as finished, stopped or deadlocked; a run that cannot end says why."""

import itertools
import re

import numpy as np
import pytest
from reference_cases import program as writers

from netplace.apps import APPLICATIONS
from netplace.netsim import (
    ENGINES,
    Config,
    CycleLimitError,
    Deadlocked,
    DeadlockError,
    Finished,
    LostJobError,
    Network,
    SimulationError,
    Stopped,
    simulate,
)
from netplace.netsim.critical_path import critical_path
from netplace.netsim.simulation import replay
from netplace.runs import resolve, run_or_failure
from netplace.runs.placing import run_time_of
from netplace.topologies import parse

MESH = parse("mesh:4x4")
EXCHANGE = APPLICATIONS["all-to-all"].make(tasks=16)
HALF = APPLICATIONS["all-to-all"].make(tasks=8)


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


def test_a_job_that_has_not_begun_when_a_fault_cuts_its_nodes_is_stopped(engine):
    programs, places = [HALF, HALF], [np.arange(8), np.arange(8, 16)]
    result = simulate(
        MESH, programs, places, config=Config(faults="at=20,router=5"), engine=engine, starts=[100, 0]
    )
    first, second = result.jobs
    assert first.outcome == Stopped(20, by_fault=True)
    assert isinstance(second.outcome, Finished)
    assert second.cycles == second.end


def test_a_job_that_waits_for_lost_packets_is_deadlocked_and_its_neighbour_finishes(engine):
    config = Config(faults="at=20,link=0-1")
    network = Network(MESH, config, engine=engine)
    result = replay(network, [(HALF, np.arange(8), 0, 1), (HALF, np.arange(8, 16), 0, 1)])
    waiting, finished = result.jobs
    assert isinstance(waiting.outcome, Deadlocked)
    assert waiting.end == waiting.outcome.at
    assert "waits for task" in waiting.outcome.why
    assert finished.finished


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
    first, second = ([("recv", other, 64), ("send", other, 64), ("send", 2, 64, 1)] for other in (1, 0))
    circle = writers(first, second, [])  # each of two waits for the other before it sends
    config = Config(faults="at=20,link=14-15")
    network = Network(MESH, config, record_messages=True)
    network.start(circle, [0, 1, 2])
    with pytest.raises(DeadlockError):
        network.finish()
    (job,) = network.result().jobs
    assert critical_path(MESH, config, circle, job).cycles == job.end


def test_a_lost_job_is_a_failure_in_a_store_and_no_time_of_a_mapping():
    run = resolve("mesh:4x4", {"app": "all-to-all", "tasks": 16}, config=Config(faults="at=20,router=5"))
    for _ in range(2):  # the second is not simulated
        ended = run_or_failure(run)
        assert ended.outcome is None
        assert ended.failure == (
            "job 0 all-to-all: stopped in cycle 20, a fault cut off at least one of its nodes"
        )
    config = Config(faults="at=20,router=5")
    assert run_time_of(MESH, EXCHANGE, config)(np.arange(16), None) is None


def test_who_waits_for_whom(engine):
    program = writers([("recv", 1, 64, 7)], [("compute", 3), ("recv", 0, 128)])
    with pytest.raises(DeadlockError) as raised:
        simulate(parse("torus:4"), program, engine=engine)
    text = str(raised.value)
    assert "task 0 waits for task 1 to send 64 bytes with tag 7 at its operation 0" in text
    assert "task 1 waits for task 0 to send 128 bytes with tag 0 at its operation 1" in text
    assert sorted(raised.value.blocked.tasks) == [(0, 0, 0, "receive"), (0, 1, 2, "receive")]


@pytest.mark.parametrize("network", ["torus:4", "tree:2,2", "dragonfly:a=2,p=1,h=1"])
def test_the_first_cycle_in_which_nothing_moves(network):
    sends = [[("send", 2, 64), ("send", 2, 64)], [("send", 0, 64)], [("recv", 1, 64), ("recv", 1, 64)]]
    hops = {"torus:4": 2, "tree:2,2": 4, "dragonfly:a=2,p=1,h=1": 3}[network]
    for engine in ENGINES:
        with pytest.raises(DeadlockError) as raised:
            simulate(parse(network), writers(*sends), engine=engine)
        assert raised.value.cycle == 2 * 16 + hops
        assert f"deadlock in cycle {2 * 16 + hops}:" in str(raised.value)


def test_a_computation_is_something_that_happens(engine):
    program = writers([("compute", 7), ("recv", 1, 64)], [])
    with pytest.raises(DeadlockError) as raised:
        simulate(parse("torus:4"), program, engine=engine)
    assert raised.value.cycle == 7


def test_the_wait_of_a_receive_names_its_message(engine):
    with pytest.raises(DeadlockError, match=r"task 0 waits for task 1 to send 64 bytes with tag 5"):
        simulate(parse("torus:4"), writers([("irecv", 1, 64, 5), ("wait", 0)], []), engine=engine)


def test_sends_by_rendezvous_that_wait_for_each_other(engine):
    program = writers([("send", 1, 64), ("recv", 1, 64)], [("send", 0, 64), ("recv", 0, 64)])
    simulate(parse("torus:4"), program, engine=engine)
    with pytest.raises(DeadlockError, match="task 0 waits for task 1 to take 64 bytes") as raised:
        simulate(parse("torus:4"), program, config=Config(eager_limit=0), engine=engine)
    assert [task[3] for task in raised.value.blocked.tasks] == ["rendezvous"] * 2


def test_many_waiting_tasks_are_counted(engine):
    program = writers(*[[("recv", (i + 1) % 16, 64)] for i in range(16)])
    with pytest.raises(DeadlockError, match="and 10 more tasks wait"):
        simulate(parse("torus:4x4"), program, engine=engine)


def test_of_several_jobs_the_right_one_is_named(engine):
    network = Network(parse("torus:4"), engine=engine)
    network.start(writers([("compute", 5)]), [0])
    network.start(writers([("recv", 1, 64)], []), [2, 1], at=9)
    assert network.advance() == [0]
    with pytest.raises(DeadlockError, match="job 1 task 0 waits for task 1"):
        network.advance()


def test_a_ring_without_a_bubble_locks_and_names_the_circle(engine):
    tasks = [[("send", (i + 3) % 7, 1280), ("recv", (i - 3) % 7, 1280)] for i in range(7)]
    config = Config(vcs=1, vc_policy="oblivious", bubble=0)
    with pytest.raises(DeadlockError, match="network deadlock in cycle") as raised:
        simulate(parse("torus:7"), writers(*tasks), config=config, engine=engine)
    text = str(raised.value)
    shown = re.search(r"wait in a cycle: ([^;]*)", text)
    circle = [int(router) for router in re.findall(r"router (\d+) input 0", shown[1])]
    assert circle[0] == circle[-1]
    assert sorted(circle[:-1]) == list(range(7))
    assert all(b == (a + 1) % 7 for a, b in itertools.pairwise(circle))
    simulate(parse("torus:7"), writers(*tasks), config=Config(vcs=1, vc_policy="oblivious"), engine=engine)


def test_a_limit_on_cycles(engine):
    program = writers([("compute", 1000)], [("recv", 0, 64)], [("send", 0, 64)])
    with pytest.raises(
        CycleLimitError, match="not finished after 100 cycles: 1 job runs or waits, 0 packets"
    ):
        simulate(parse("torus:4"), program, engine=engine, max_cycles=100)
    one = writers([("compute", 1000)])
    assert simulate(parse("torus:4"), one, engine=engine, max_cycles=1001).cycles == 1000


def test_both_are_simulation_errors():
    assert issubclass(DeadlockError, SimulationError)
    assert issubclass(CycleLimitError, SimulationError)


def test_a_wait_of_long_computation_is_no_standstill(engine):
    program = writers([("compute", 10**9), ("send", 1, 64)], [("recv", 0, 64)])
    assert simulate(parse("torus:4"), program, engine=engine).cycles == 10**9 + 18
