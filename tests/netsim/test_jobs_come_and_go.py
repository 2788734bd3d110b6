"""Jobs that start, end, are stopped and forgotten on one network; programs that are kept once."""

import gc
import resource
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_cases import program
from strategies import configs, networks, placements, programs

from netplace.apps import APPLICATIONS
from netplace.netsim import ENGINES, Config, DeadlockError, Network, simulate
from netplace.topologies import parse

TORUS = parse("torus:8x4")


def exchange(tasks=4, packets=3):
    return APPLICATIONS["all-to-all"].make(tasks=tasks, bytes=64 * packets)


def ring(tasks, packets):
    """Return a program in which every task sends to the next, and no order of messages can lock."""
    waits = [("wait", 0), ("wait", 1)]
    return program(
        *(
            [("irecv", (task - 1) % tasks, 64 * packets), ("isend", (task + 1) % tasks, 64 * packets), *waits]
            for task in range(tasks)
        )
    )


@pytest.fixture(params=list(ENGINES))
def network(request):
    return Network(TORUS, engine=request.param)


def test_a_stopped_job_leaves_its_nodes_and_its_packets_are_delivered(network):
    job = network.start(exchange(16, 8), range(16))
    assert network.advance(60) == []
    assert network.in_flight > 0
    network.stop(job)
    assert not network.drained(job)
    record = network.job(job)
    assert (record.end, record.stopped) == (60, True)
    assert (record.task_end == 60).all()
    after = network.start(exchange(16), range(16))
    network.finish()
    counters = network.counters()
    assert network.in_flight == 0
    assert counters.created == counters.delivered
    assert network.drained(job)
    assert network.job(after).end > 60
    assert not network.job(after).stopped


def test_messages_of_a_stopped_job_never_complete(network):
    job = network.start(exchange(4, 1))
    network.advance(8)
    network.stop(job)
    network.advance()
    assert network.counters().delivered > 0
    assert network.counters().message_delays.sum() == 0


def test_nobody_waits_for_a_stopped_job(network):
    job = network.start(program([], [("recv", 0, 64)]), [3, 4])
    other = network.start(exchange(), range(8, 12))
    assert network.advance() == [other]
    with pytest.raises(DeadlockError):
        network.advance()
    network.stop(job)
    network.finish()


def test_a_job_that_has_not_begun_is_called_off(network):
    job = network.start(exchange(), at=100)
    network.stop(job)
    assert network.advance() == []
    for ask in (network.job, network.stop, network.drained, network.forget):
        with pytest.raises(ValueError, match=f"job {job}: is forgotten"):
            ask(job)
    assert network.result().jobs == []


def test_what_is_refused(network):
    job = network.start(exchange())
    with pytest.raises(ValueError, match="job 0: has not begun"):
        network.job(job)
    with pytest.raises(ValueError, match="job 0: has not ended"):
        network.forget(job)
    network.finish()
    with pytest.raises(ValueError, match="job 0: has ended and cannot be stopped"):
        network.stop(job)
    with pytest.raises(ValueError, match="job 7: no such job, 1 were started"):
        network.job(7)
    network.forget(job)
    with pytest.raises(ValueError, match="job 0: is forgotten"):
        network.job(job)
    with pytest.raises(ValueError, match=r"times of .*: 0 is too small"):
        network.start(exchange(), times=0)


def test_a_job_does_not_feel_one_that_was_stopped_far_away(network):
    row = np.arange(8)  # minimal routes stay in their row
    there = network.start(exchange(8, 20), row + 16)
    here = network.start(exchange(8, 5), row)
    network.advance(200)
    network.stop(there)
    network.finish()
    alone = simulate(TORUS, exchange(8, 5), row, engine=network.engine_name)
    assert network.job(here).task_end.tolist() == alone.jobs[0].task_cycles.tolist()


def resident():
    """Return the bytes of this process that are in memory."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@LINUX
def test_a_program_is_kept_once():
    program = exchange(64, 1)
    network = Network(parse("torus:16x16"))
    network.start(program, range(64), times=1000)  # copies of iterations would take a hundred megabytes
    network.advance(100)
    before = resident()
    for job in range(1, 4):
        network.start(program, range(64 * job, 64 * job + 64), times=1000)
    network.advance(200)
    assert resident() - before < 20e6


@pytest.mark.all
@LINUX
@pytest.mark.parametrize(("record", "rendezvous"), [(False, 0), (True, None)])
def test_memory_stays_flat(record, rendezvous):
    network = Network(parse("torus:4x4"), Config(eager_limit=rendezvous), record_messages=record)
    sizes = []
    for job in range(1500):
        number = network.start(ring(8, 1 + job % 3), np.arange(8) + 8 * (job % 2))
        if job % 5 == 4:
            network.advance(network.now + 10)
            network.stop(number)
        else:
            assert network.advance() == [number]
        network.forget(number)
        if job in (500, 1499):
            sizes.append(resident())
    assert sizes[1] - sizes[0] < 200e3  # 200 bytes a job
    assert len(network._engine._codes) < 4
    network.advance()
    assert network.counters().created == network.counters().delivered


@LINUX
def test_many_messages_across_a_border_take_no_more_memory_than_are_open():
    """Entries of messages come back to the domain that sends."""
    program = APPLICATIONS["all-to-all"].make(tasks=2, bytes=16)
    network = Network(parse("mesh:4"), threads=2)
    network.start(program, np.array([0, 3]), times=20_000)
    network.advance(100)
    before = resident()
    network.advance()
    assert resident() - before < 1e6


@pytest.mark.nightly
def test_a_hundred_thousand_jobs_are_exact():
    network = Network(parse("torus:8x8"))
    program = exchange(4)
    nodes = np.arange(4)
    sizes = []
    for job in range(100_000):
        number = network.start(program, (nodes + 4 * job) % 64)
        assert network.advance() == [number]
        record = network.job(number)
        assert record.task_end.max() == record.end
        network.forget(number)
        if job in (10_000, 99_999):
            sizes.append(resident())
    assert sizes[1] - sizes[0] < 1e6
    assert network.counters().created == network.counters().delivered == 100_000 * 4 * 3 * 3


def story(network, job):
    return {name: np.asarray(value).tolist() for name, value in vars(network.job(job)).items()}


@given(st.data())
def test_a_job_runs_as_after_the_others(data):
    topology = parse(data.draw(networks()))
    config = data.draw(configs(bubbles=(2, 3), eager_limit=(None, 0, 100)))
    engine = data.draw(st.sampled_from([*ENGINES]))
    most = min(6, topology.nodes)
    before, program = (data.draw(programs(data.draw(st.integers(1, most)))) for _ in range(2))
    explain = data.draw(st.booleans())  # by another router, which leaves the same behind
    used = Network(topology, config, engine=engine, seed=5, record_messages=True, explain=explain)
    used.start(before, data.draw(placements(before.tasks, range(topology.nodes))))
    used.finish()
    used.advance(used.now + data.draw(st.integers(0, 40)))
    restored = Network(topology, config, engine=engine, seed=5, record_messages=True)
    restored.restore(used.residue())
    assert restored.now == used.now
    nodes = data.draw(placements(program.tasks, range(topology.nodes)))
    jobs = [network.start(program, nodes) for network in (used, restored)]
    for network in (used, restored):
        network.finish()
    assert story(used, jobs[0]) == story(restored, jobs[1])


def test_pointers_matter(engine):
    """A used network is another than a new one, or there would be nothing to restore."""
    topology, program = parse("torus:4x4"), APPLICATIONS["all-to-all"].make(tasks=16)
    used, new = (Network(topology, engine=engine, seed=1) for _ in range(2))
    used.start(program)
    used.finish()
    assert any((a != b).any() for a, b in zip(used.residue().pointers, new.residue().pointers, strict=True))


def test_only_a_new_network_is_restored(engine):
    network = Network(parse("torus:4x4"), engine=engine)
    network.start(APPLICATIONS["butterfly"].make(tasks=4))
    with pytest.raises(ValueError, match="at cycle 0, expected a new one"):
        network.restore(network.residue())


KINDS = (
    "torus:4x4",
    "mesh:3x3",
    "twisted:4x2",
    "tree:2,3",
    "thintree:3,2,2",
    "dragonfly:a=2,p=2,h=1",
    "hyperx:3x2,c=2",
)


@pytest.mark.parametrize("vcs", [2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_states_in_mid_packet_are_the_same_on_both_engines(kind, vcs):
    topology = parse(kind)
    config = Config(vcs=max(vcs, 3 if "dragonfly" in kind else vcs))
    program = APPLICATIONS["all-to-all"].make(tasks=topology.nodes, bytes=150)
    for cycle in (37, 61, 90):
        ends = []
        for engine in ENGINES:
            used, restored = (Network(topology, config, engine=engine, seed=5) for _ in range(2))
            used.start(program)
            used.advance(cycle)
            assert used.in_flight > 0
            restored.restore(used.residue())
            job = restored.start(program)
            restored.finish()
            ends.append((restored.job(job).task_end.tolist(), restored.counters().link_packets.tolist()))
        assert ends[0] == ends[1]
