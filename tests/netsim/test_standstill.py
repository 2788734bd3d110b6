"""A run that cannot end says why: who waits for whom, which FIFOs wait in a circle, that it is too long."""

import itertools
import re

import pytest
from reference_cases import program as writers

from netplace.netsim import (
    ENGINES,
    Config,
    CycleLimitError,
    DeadlockError,
    Network,
    SimulationError,
    simulate,
)
from netplace.topologies import parse

BOTH = pytest.mark.parametrize("engine", ENGINES)


@BOTH
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


@BOTH
def test_a_computation_is_something_that_happens(engine):
    program = writers([("compute", 7), ("recv", 1, 64)], [])
    with pytest.raises(DeadlockError) as raised:
        simulate(parse("torus:4"), program, engine=engine)
    assert raised.value.cycle == 7


@BOTH
def test_the_wait_of_a_receive_names_its_message(engine):
    with pytest.raises(DeadlockError, match=r"task 0 waits for task 1 to send 64 bytes with tag 5"):
        simulate(parse("torus:4"), writers([("irecv", 1, 64, 5), ("wait", 0)], []), engine=engine)


@BOTH
def test_sends_by_rendezvous_that_wait_for_each_other(engine):
    program = writers([("send", 1, 64), ("recv", 1, 64)], [("send", 0, 64), ("recv", 0, 64)])
    simulate(parse("torus:4"), program, engine=engine)
    with pytest.raises(DeadlockError, match="task 0 waits for task 1 to take 64 bytes") as raised:
        simulate(parse("torus:4"), program, config=Config(eager_limit=0), engine=engine)
    assert [task[3] for task in raised.value.blocked.tasks] == ["rendezvous"] * 2


@BOTH
def test_many_waiting_tasks_are_counted(engine):
    program = writers(*[[("recv", (i + 1) % 16, 64)] for i in range(16)])
    with pytest.raises(DeadlockError, match="and 10 more tasks wait"):
        simulate(parse("torus:4x4"), program, engine=engine)


@BOTH
def test_of_several_jobs_the_right_one_is_named(engine):
    network = Network(parse("torus:4"), engine=engine)
    network.start(writers([("compute", 5)]), [0])
    network.start(writers([("recv", 1, 64)], []), [2, 1], at=9)
    assert network.advance() == [0]
    with pytest.raises(DeadlockError, match="job 1 task 0 waits for task 1"):
        network.advance()


@BOTH
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


@BOTH
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


@BOTH
def test_a_wait_of_long_computation_is_no_standstill(engine):
    program = writers([("compute", 10**9), ("send", 1, 64)], [("recv", 0, 64)])
    assert simulate(parse("torus:4"), program, engine=engine).cycles == 10**9 + 18
