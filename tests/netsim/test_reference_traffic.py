"""Open-loop traffic in the reference engine."""

import numpy as np
import pytest
from reference_cases import FOR_EVER, engine, program

from netplace.netsim.engine import Exit, Traffic

# Accepted load (phits a node and cycle) and mean delay (cycles) of INSEE's own simulator.
UNIFORM = [
    ("torus:8x8", 0.4, {}, 0.402, 37.5),
    pytest.param("torus:8x8", 0.7, {}, 0.680, 122, marks=pytest.mark.nightly),
    pytest.param("torus:8x8", 1.0, {}, 0.731, 204, marks=pytest.mark.nightly),
    pytest.param(
        "tree:4,3", 1.0, {"vcs": 1, "tree_routing": "adaptive"}, 0.572, None, marks=pytest.mark.nightly
    ),
    pytest.param(
        "tree:4,3", 1.0, {"vcs": 1, "tree_routing": "static"}, 0.571, None, marks=pytest.mark.nightly
    ),
    pytest.param(
        "tree:4,3", 1.0, {"vcs": 2, "tree_routing": "adaptive"}, 0.766, None, marks=pytest.mark.nightly
    ),
    pytest.param(
        "tree:4,3", 1.0, {"vcs": 2, "tree_routing": "static"}, 0.748, None, marks=pytest.mark.nightly
    ),
]


def uniform(nodes, load):
    return Traffic(load / 16, np.full(nodes, -1, np.int32))


@pytest.mark.parametrize(("network_text", "load", "config", "accepted", "delay"), UNIFORM)
def test_uniform_traffic(network_text, load, config, accepted, delay):
    warm_up, measured = (1000, 3000) if load < 0.5 else (2000, 3000 if config else 7000)
    network = engine(network_text, **config)
    network.generate(uniform(64, load))
    network.run(warm_up)
    network.reset_counters()
    assert network.run(warm_up + measured) == Exit.REACHED
    counters = network.counters()
    assert counters.delivered * 16 / 64 / measured == pytest.approx(accepted, rel=0.05 if config else 0.02)
    if delay is not None:
        assert counters.packet_delay_sum / counters.delivered == pytest.approx(delay, rel=0.05)


def test_a_source_that_always_succeeds_keeps_the_injector_full():
    network = engine("torus:8")
    target = np.arange(8, dtype=np.int32)
    target[0] = 1
    network.generate(Traffic(1.0, target))
    network.run(1600)
    counters = network.counters()
    assert counters.link_packets[0, 0] == 100
    # One that leaves the injection FIFO, one a cycle later taken into the buffer: 8 are always waiting.
    assert counters.created == 100 + 8 - 1
    assert counters.link_packets.sum() == 100


def test_creation_is_when_the_injector_takes_the_packet():
    network = engine("torus:8")
    target = np.arange(8, dtype=np.int32)
    target[0] = 1
    network.generate(Traffic(1.0, target))
    network.run(1000)
    # Seven or eight packets in front of a new one, 16 cycles each.
    assert np.flatnonzero(network.counters().packet_delays).max() <= 8 * 16 + 16


def test_hot_spot():
    network = engine("torus:4x4")
    deliver = network._fabric._deliver
    destinations = []

    def note(packet, now):
        assert packet.source != packet.destination
        destinations.append(packet.destination)
        deliver(packet, now)

    network._fabric._deliver = note
    network.generate(Traffic(0.001, np.full(16, -1, np.int32), hot_node=5, hot_share=0.5))
    network.run(100_000)
    assert len(destinations) == pytest.approx(1600, rel=0.1)
    # Fifteen of sixteen nodes send half of theirs there, and a fifteenth of the other half.
    expected = 15 / 16 * (0.5 + 0.5 / 15)
    assert destinations.count(5) / len(destinations) == pytest.approx(expected, abs=0.05)


def test_stopping_drains_the_network():
    network = engine("torus:4x4")
    network.generate(uniform(16, 0.9))
    network.run(500)
    network.generate(None)
    assert network.run(FOR_EVER) == Exit.IDLE
    counters = network.counters()
    assert network.in_flight == 0
    assert counters.created == counters.delivered > 0
    assert network.now == counters.last_delivery + 1
    now = network.now
    assert network.run(FOR_EVER) == Exit.IDLE
    assert network.now == now


def test_new_traffic_takes_the_place_of_the_old():
    nodes = np.arange(8, dtype=np.int32)
    network = engine("torus:8")
    network.generate(Traffic(1.0, (nodes + 1) % 8))
    network.run(100)
    network.generate(Traffic(1.0, (nodes - 1) % 8))
    network.run(400)
    network.reset_counters()
    network.run(700)
    links = network.counters().link_packets
    assert links[:, 0].sum() == 0
    assert links[:, 1].min() >= 18


@pytest.mark.parametrize("chance", [0.0, 1.0])
def test_nodes_that_are_their_own_target_create_nothing(chance):
    network = engine("torus:8")
    network.generate(Traffic(chance, np.arange(8, dtype=np.int32) if chance else np.full(8, -1, np.int32)))
    assert network.run(1000) == Exit.IDLE
    assert network.counters().created == 0


def test_traffic_starts_when_it_is_told_to():
    def created(start):
        network = engine("torus:8")
        network.now = start
        network.generate(uniform(8, 0.2))
        network.run(start + 300)
        return network.counters().created

    assert created(0) > 0
    assert created(5000) > 0


def test_a_task_goes_before_open_loop_traffic():
    network = engine("torus:8")
    target = np.arange(8, dtype=np.int32)
    target[0] = 7
    network.generate(Traffic(1.0, target))
    network.install(program([("send", 1, 5 * 64)], [("recv", 0, 5 * 64)]), np.array([0, 1]))
    assert network.run(FOR_EVER) == Exit.JOB_ENDED
    # The five packets are the first that the node creates; the injection FIFO is theirs.
    assert network.job(0).injection_blocked[0] == 0
    assert network.job(0).message_end.tolist() == [5 * 16]
