"""Empty networks: a message takes the time of the formulas, and every switch costs its stages and a cycle."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import configs, networks

from netplace.apps import Program, TaskWriter
from netplace.netsim import ENGINES, Config, simulate
from netplace.topologies import parse


def one_message(size, compute=0):
    sender, receiver = TaskWriter(0, 2), TaskWriter(1, 2)
    sender.compute(compute)
    sender.send(1, size)
    receiver.recv(0, size)
    return Program.of([sender, receiver])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("node", "cycles"), [(1, 18), (2, 19), (4, 21), (36, 25)])
def test_one_packet_on_an_8x8_torus(engine, node, cycles):
    result = simulate(parse("torus:8x8"), one_message(64), [0, node], engine=engine)
    assert result.cycles == cycles
    assert result.packet_delay.mean == cycles - 2  # consumed, looked at, counted


@settings(derandomize=True, deadline=None, database=None, max_examples=60, report_multiple_bugs=False)
@given(st.data())
def test_any_pair_of_any_network(data):
    topology = parse(data.draw(networks()))
    config = data.draw(configs(eager_limit=(None,)))
    pair = data.draw(st.permutations(range(topology.nodes)))[:2]
    compute = data.draw(st.integers(0, 9))
    result = simulate(
        topology,
        one_message(1, compute),
        pair,
        config=config,
        seed=data.draw(st.integers(0, 9)),
        record_messages=True,
    )
    delay = int(topology.distance(*pair)) * config.hop_delay + config.packet_phits - 1
    (job,) = result.jobs
    assert job.message_start.tolist() == [compute]
    assert job.message_end.tolist() == [compute + delay]
    assert result.packet_delay.mean == result.message_delay.mean == delay
    assert job.task_cycles.tolist() == [compute + 1, compute + delay + 2]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("router", "link"), [(0, 1), (2, 1), (0, 3), (1, 2)])
def test_delays_add_up_hop_by_hop(engine, router, link):
    config = Config(router_delay=router, link_delay=link)
    result = simulate(parse("mesh:6"), one_message(640), [0, 5], config=config, engine=engine)
    # Ten packets of 16 phits follow each other: buffers of four packets are deeper than the delay.
    assert result.message_delay.mean == 5 * (router + link) + 10 * 16 - 1


@pytest.mark.parametrize("engine", ENGINES)
def test_rendezvous_costs_a_packet_each_way(engine):
    config = Config(eager_limit=63)
    result = simulate(parse("mesh:6"), one_message(64), [0, 5], config=config, engine=engine)
    one_way = 5 + 16 - 1
    # A reply or data is due in the cycle after a control packet was consumed.
    assert result.message_delay.mean == 3 * one_way + 2
    assert result.packets == 3


NETWORKS = {
    "dragonfly:a=4,p=2,h=2": ("minimal", 2),
    "hyperx:4x4,c=4": ("dor", 4),
    "mesh:4x4,c=4": ("dor", 4),
    "torus:8x8,c=1": ("dor", 4),
    "tree:4,3": ("ecmp", 4),
}


@pytest.mark.parametrize("text", NETWORKS)
@pytest.mark.parametrize("stages", [2, 4])
def test_a_switch_costs_its_stages_and_a_cycle(text, stages):
    """The formula of docs/background/booksim.md: channels, stages of switches, 15 phits behind the header."""
    network, (routing, vcs) = parse(text), NETWORKS[text]
    config = Config(vcs=vcs, routing=routing, pipeline=stages, credit_delay=1, crossbar_speedup=1)
    writers = [TaskWriter(task, 2) for task in range(2)]
    writers[0].send(1, 64, 0)
    packet = Program.of(writers, "packet")
    for ends in ((0, 1), (0, network.nodes // 2), (3, network.nodes - 1)):
        switches = int(network.distance(*ends)) - 1
        delay = simulate(network, packet, ends, config=config).packet_delay.mean
        assert delay == (stages + 1) * switches + 1 + 15
