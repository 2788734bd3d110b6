"""Placements and starts that cannot be are refused; engines are listed and answer alike."""

from functools import partial

import pytest

import netplace.netsim.network
from netplace.apps import APPLICATIONS, Program, TaskWriter
from netplace.netsim import ENGINES, Network, simulate
from netplace.topologies import parse


def computing(cycles, tasks=2):
    made = [TaskWriter(task, tasks) for task in range(tasks)]
    for writer in made:
        writer.compute(cycles)
    return Program.of(made, "computing")


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([0], r"placement: \(1,\) nodes given for 2 tasks, expected one per task"),
        ([0, 16], r"placement: node 16 is not in 0..15 of torus:4x4"),
        ([3, 3], "placement: node 3 is assigned to more than one task"),
        ([0.0, 1.0], "placement: nodes are whole numbers, not float64"),
    ],
)
def test_placements_that_cannot_be(engine, nodes, message):
    with pytest.raises(ValueError, match=message):
        simulate(parse("torus:4x4"), computing(3), nodes, engine=engine)


def test_more_tasks_than_nodes(engine):
    with pytest.raises(ValueError, match="computing: 17 tasks are more than the 16 nodes of torus:4x4"):
        simulate(parse("torus:4x4"), computing(3, 17), engine=engine)


def test_several_jobs_need_nodes_of_their_own(engine):
    topology, job = parse("torus:4x4"), computing(3)
    with pytest.raises(ValueError, match="placement: node 1 is still used by job 0"):
        simulate(topology, [job, job], [[0, 1], [1, 2]], engine=engine)
    with pytest.raises(ValueError, match="placement: 1 given for 2 jobs"):
        simulate(topology, [job, job], [[0, 1]], engine=engine)
    result = simulate(topology, [job, job], engine=engine)
    assert [job.nodes.tolist() for job in result.jobs] == [[0, 1], [2, 3]]


def test_no_job_starts_in_the_past(engine):
    network = Network(parse("torus:4x4"), engine=engine)
    assert network.advance(10) == []
    assert network.now == 10
    with pytest.raises(ValueError, match="start cycle: 9 is in the past, the network is at cycle 10"):
        network.start(computing(1), at=9)
    network.start(computing(7), at=20)
    network.finish()
    assert (network.job(0).start, network.job(0).end) == (20, 27)


def test_jobs_that_do_nothing(engine):
    network = Network(parse("torus:4x4"), engine=engine)
    network.start(Program.of([TaskWriter(task, 3) for task in range(3)]), at=4)
    network.finish()
    record = network.job(0)
    assert (record.start, record.end, record.task_end.tolist()) == (4, 4, [4, 4, 4])


def test_engines_are_listed():
    assert list(ENGINES) == ["kernel", "reference"]
    with pytest.raises(ValueError, match="engine: unknown name 'kernl'; did you mean kernel"):
        Network(parse("torus:4x4"), engine="kernl")


def test_windows_of_link_loads(engine):
    topology, program = parse("torus:4x4"), APPLICATIONS["all-to-all"].make(tasks=16)
    result = simulate(topology, program, engine=engine, window=50)
    plain = simulate(topology, program, engine=engine)
    assert result.cycles == plain.cycles
    assert len(result.window_loads) == -(-result.drained_cycles // 50)
    assert (result.window_loads[-1] == 16 * plain.link_packets).all()
    assert (result.window_load() <= 1).all()


@pytest.mark.parametrize(
    "network", ["torus:4x4", "tree:4,2", "faulty:slow=0.5,cycles=3,seed=1/dragonfly:a=4,p=1,h=1"]
)
def test_links_carry_phits_as_they_cross(engine, network):
    topology, program = parse(network), APPLICATIONS["butterfly"].make(tasks=16, bytes=640)
    network = Network(topology, engine=engine, seed=3)
    network.start(program)
    last = network.counters().link_cycles
    while network.now < 60:
        network.advance(network.now + 1)
        now = network.counters().link_cycles
        assert ((last <= now) & (now <= last + 1)).all()
        last = now
    network.reset_counters()
    assert network.counters().link_cycles.sum() == 0
    network.finish()
    whole = Network(topology, engine=engine, seed=3)
    whole.start(program)
    whole.finish()
    assert (network.counters().link_cycles == whole.counters().link_cycles - last).all()


def test_a_slow_link_is_loaded_while_it_is_in_use(engine):
    topology, program = (
        parse("faulty:slow=1,cycles=3,seed=1/mesh:2"),
        APPLICATIONS["all-to-all"].make(tasks=2, bytes=1024),
    )
    result = simulate(topology, program, engine=engine)
    assert result.link_load.max() == pytest.approx(3 * 16 * 16 / result.drained_cycles)


def test_a_later_job_has_the_nodes_of_an_earlier_one(engine):
    topology, job = parse("torus:4x4"), APPLICATIONS["all-to-all"].make(tasks=4)
    alone = simulate(topology, job, engine=engine).cycles
    result = simulate(topology, [job, job], [range(4), range(4)], starts=[0, alone], engine=engine)
    assert [job.start for job in result.jobs] == [0, alone]
    live = Network(topology, engine=engine)
    for _ in range(2):
        live.start(job, range(4))
        live.advance()
    live.finish()
    assert [job.end for job in result.jobs] == [job.end for job in live.result().jobs]
    said = f"job 1 begins in cycle {alone - 1}, but node 0 is still used by job 0"
    with pytest.raises(ValueError, match=said):
        simulate(topology, [job] * 2, [range(4)] * 2, starts=[0, alone - 1], engine=engine)


def test_windows_put_together_are_those_of_twice_the_length(monkeypatch):
    asked = partial(simulate, parse("torus:4x4"), APPLICATIONS["butterfly"].make(tasks=16))
    expected = asked(window=40)
    monkeypatch.setattr(netplace.netsim.network, "_MOST_WINDOWS", len(expected.window_loads) + 1)
    found = asked(window=10)
    assert (expected.window, found.window) == (40, 40)
    assert (found.window_load() == expected.window_load()).all()


def test_time_does_not_go_back(engine):
    network = Network(parse("torus:4x4"), engine=engine)
    network.start(computing(3000), [0, 1])
    network.advance(100)
    assert network.advance(5) == []
    assert network.now == 100
    assert network.advance() == [0]
    assert network.now == 3000
