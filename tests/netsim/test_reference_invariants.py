"""What holds in every cycle of the reference engine, and what it says when nothing can move."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_cases import FOR_EVER, engine, program
from strategies import configs, programs

from netplace.netsim.engine import Exit, Traffic
from netplace.netsim.reference import ReferenceEngine
from netplace.netsim.validation import check_traffic
from netplace.topologies import parse

GRIDS = [
    "torus:4x4",
    "torus:2x3",
    "torus:1x5",
    "mesh:3x4",
    "torus:3x2x3",
    "twisted:4x2",
    "twisted:6x3+1",
    "mesh:6",
]
TREES = ["tree:2,3", "tree:4,2", "thintree:4,2,2", "thintree:3,2,3"]


def check(network):
    """Check the state between two cycles."""
    fabric = network._fabric
    packets = set()
    present = ready = 0
    for router in fabric.routers:
        for fifo in router.fifos:
            assert 0 <= fifo.ready <= fifo.present <= fifo.capacity
            assert 0 <= fifo.sent < fabric._packet_phits
            assert (fifo.output is None) or (fifo.packets and fifo not in fabric.waiting)
            packets.update(fifo.packets)
            present += fifo.present
            ready += fifo.ready
        for output in router.outputs:
            assert output.holder is None or output.holder.output is output
    for node in network._nodes:
        for injector in node.injectors:
            assert len(injector.buffer) <= injector.depth
            packets.update(injector.buffer)
    assert present - ready == sum(map(len, fabric.wires.values()))
    assert len(packets) == network.in_flight


@given(st.data())
def test_every_cycle(data):
    text = data.draw(st.sampled_from(GRIDS + TREES))
    config = data.draw(configs())
    network = ReferenceEngine(parse(text), config, data.draw(st.integers(0, 3)))
    topology = network._topology
    tasks = data.draw(st.integers(2, min(5, topology.nodes)))
    work = data.draw(programs(tasks, most=6))
    nodes = data.draw(st.permutations(range(topology.nodes)))[:tasks]
    network.install(work, np.array(nodes))
    exit = Exit.REACHED
    while exit == Exit.REACHED:
        exit = network.run(network.now + 1)
        check(network)
    if exit == Exit.IDLE and network.in_flight:
        assert config.bubble < 2
        assert network.blocked().fifos
        return
    if exit == Exit.IDLE:
        # Sends that wait for each other are the program's fault.
        assert config.eager_limit is not None
        assert any(task[3] == "rendezvous" for task in network.blocked().tasks)
    else:
        while network.run(network.now + 1) != Exit.IDLE:
            check(network)
    assert network.in_flight == 0
    assert network.blocked().fifos == []
    counters = network.counters()
    phits = config.packet_phits
    assert counters.created == counters.delivered == counters.packet_delays.sum()
    assert counters.events == phits * (counters.link_packets.sum() + counters.delivered)
    if exit == Exit.JOB_ENDED:
        assert counters.link_packets.sum() == _hops(work, nodes, topology, config)
        check_record(network, work, nodes)


def _hops(work, nodes, topology, config):
    """Return the hops of all packets of a program by minimal routes, those of control packets included."""
    total = 0
    for task in range(work.tasks):
        for operation in work.operations(task):
            if operation.kind.name in ("SEND", "ISEND") and operation.peer != task:
                distance = int(topology.distance(nodes[task], nodes[operation.peer]))
                packets = max(1, -(-operation.size // config.packet_bytes))
                waits = config.eager_limit is not None and operation.size > config.eager_limit
                total += distance * (packets + 2 * waits)
    return total


def check_record(network, work, nodes):
    record = network.job(0)
    assert record.end == record.task_end.max()
    delays = record.message_end - record.message_start
    assert (record.message_start >= 0).all()
    assert (delays > 0).all()
    assert delays.sum() == network.counters().message_delay_sum
    assert len(delays) == network.counters().message_delays.sum()


class Backwards(dict):
    """A dict that is gone through from its end."""

    def __iter__(self):
        return reversed(list(super().keys()))


@pytest.mark.all
@given(st.data())
def test_the_order_of_visits_cannot_matter(data):
    text = data.draw(st.sampled_from(GRIDS + TREES))
    config = data.draw(configs())
    work = data.draw(programs(5, most=6))
    outcomes = []
    for container in (dict, Backwards):
        network = ReferenceEngine(parse(text), config, 1)
        network._active = container()
        for name in ("waiting", "busy", "consuming"):
            setattr(network._fabric, name, container())
        network.generate(Traffic(0.2 / config.packet_phits, np.full(network._topology.nodes, -1, np.int32)))
        network.install(work, np.arange(5))
        network.run(300)
        record, counters = network.job(0), network.counters()
        outcomes.append(
            (record.task_end, record.message_end, record.injection_blocked, counters.link_packets)
        )
        outcomes.append((counters.packet_delays,))
    for one, other in zip(outcomes[:2], outcomes[2:], strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("text", ["torus:4x4", "torus:2x2", "twisted:4x2"])
def test_the_seed_decides(text):
    def delays(seed):
        network = engine(text, seed)
        nodes = network._topology.nodes
        network.generate(Traffic(0.04, np.full(nodes, -1, np.int32)))
        network.run(400)
        network.generate(None)
        network.run(FOR_EVER)
        return network.counters().packet_delays

    np.testing.assert_array_equal(delays(1), delays(1))
    assert (delays(1) != delays(2)).any()


def test_either_way_round_half_a_ring():
    def links(seed):
        network = engine("torus:4x4", seed)
        network.install(program([("send", 1, 64)], [("recv", 0, 64)]), np.array([0, 10]))
        network.run(FOR_EVER)
        return tuple(np.flatnonzero(network.counters().link_packets.sum(axis=0)))

    assert {links(seed) for seed in range(30)} == {(0, 2), (0, 3), (1, 2), (1, 3)}


def test_both_ways_of_a_twisted_torus():
    network = engine("twisted:4x2")
    several = next(b for b in range(8) if len(network._topology.records(0, b)) > 1)

    def links(seed):
        network = engine("twisted:4x2", seed)
        network.install(program([("send", 1, 64)], [("recv", 0, 64)]), np.array([0, several]))
        network.run(FOR_EVER)
        return tuple(network.counters().link_packets.sum(axis=0))

    assert len({links(seed) for seed in range(30)}) == len(network._topology.records(0, several))


def _round_the_ring(network, bytes):
    """Let each of seven nodes send three hops X+."""
    tasks = [[("send", (i + 3) % 7, bytes), ("recv", (i - 3) % 7, bytes)] for i in range(7)]
    network.install(program(*tasks), np.arange(7))
    return network.run(FOR_EVER)


def test_a_locked_network_wakes_for_another_job_and_counts_the_time():
    network = engine("torus:7x2", vcs=1, vc_policy="oblivious", bubble=0)
    assert _round_the_ring(network, 20 * 64) == Exit.IDLE
    before = network.job(0).injection_blocked.copy()
    stuck = network.now
    network.now += 1000
    other = network.install(program([("send", 1, 64)], [("recv", 0, 64)]), np.array([7, 8]))
    assert network.run(FOR_EVER) == Exit.JOB_ENDED
    assert network.job(other).end == stuck + 1000 + 18
    grown = network.job(0).injection_blocked - before
    waits = [task[3] == "injector" for task in network.blocked().tasks]
    assert grown.tolist() == [1018 if wait else 0 for wait in waits]
    assert any(waits)


def test_traffic_out_of_range():
    with pytest.raises(ValueError, match=r"traffic chance: 1.5 is not a probability, expected 0 to 1"):
        check_traffic(Traffic(1.5, np.full(8, -1)), 8)
