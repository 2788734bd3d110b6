"""Times of the formulas in empty networks, and bounds on run time that hold under every mapping."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_cases import flow, program
from strategies import configs, networks, programs

from netplace.apps import application
from netplace.apps.program import Repeated
from netplace.netsim import Config, simulate
from netplace.netsim.bounds import bounds
from netplace.placement import map_tasks
from netplace.topologies import parse
from netplace.topologies.cables import Cables, graph


def one_message(size, compute=0):
    return program([("compute", compute), ("send", 1, size)], [("recv", 0, size)])


@pytest.mark.parametrize(("node", "cycles"), [(1, 18), (2, 19), (4, 21), (36, 25)])
def test_one_packet_on_an_8x8_torus(engine, node, cycles):
    result = simulate(parse("torus:8x8"), one_message(64), [0, node], engine=engine)
    assert result.cycles == cycles
    assert result.packet_delay.mean == cycles - 2  # consumed, looked at, counted


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


@pytest.mark.parametrize(("router", "link"), [(0, 1), (2, 1), (0, 3), (1, 2)])
def test_delays_add_up_hop_by_hop(engine, router, link):
    config = Config(router_delay=router, link_delay=link)
    result = simulate(parse("mesh:6"), one_message(640), [0, 5], config=config, engine=engine)
    # Ten packets of 16 phits follow each other: buffers of four packets are deeper than the delay.
    assert result.message_delay.mean == 5 * (router + link) + 10 * 16 - 1


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
    for ends in ((0, 1), (0, network.nodes // 2), (3, network.nodes - 1)):
        switches = int(network.distance(*ends)) - 1
        delay = simulate(network, flow(received=False), ends, config=config).packet_delay.mean
        assert delay == (stages + 1) * switches + 1 + 15


@given(st.data())
def test_no_mapping_is_faster(data):
    topology = parse(data.draw(networks()))
    drawn = data.draw(programs(tasks=min(topology.nodes, 6)))
    config = data.draw(configs(bubbles=(2, 3), queues=(4, 8)))
    nodes = data.draw(st.permutations(range(topology.nodes)))[: drawn.tasks]
    least = bounds(drawn, topology, config).minimum
    assert simulate(topology, drawn, nodes, config=config).cycles >= least


@pytest.mark.parametrize("network", ["dragonfly:a=4,p=2,h=2", "hyperx:4x4,c=2", "torus:3x3,c=2"])
@pytest.mark.parametrize("name", ["butterfly", "2d-torus", "all-to-all", "waterfall"])
def test_no_mapping_is_faster_at_switches(network, name):
    topology, program = parse(network), application(name, 8, bytes=1000)
    for seed in range(3):
        nodes = map_tasks("random", topology, 8, seed=seed)
        cycles = simulate(topology, program, nodes, config=Config(vcs=3)).cycles
        assert cycles >= bounds(program, topology, Config(vcs=3)).minimum


@pytest.mark.parametrize(
    ("name", "binding"),
    [("one-to-all", "injection"), ("all-to-one", "ejection"), ("2d-sweep", "dependencies")],
)
def test_what_binds_a_pattern(name, binding):
    program = application(name, 64, bytes=6400)
    assert bounds(program, parse("tree:4,3")).binding == binding


def test_a_bound_is_met_where_nothing_else_delays():
    there, back = (
        [("send", 1, 640), ("recv", 1, 640)],
        [("recv", 0, 640), ("compute", 10_000), ("send", 0, 640)],
    )
    both = program(there * 5, back * 5)
    found = bounds(both, parse("torus:4x4"))
    took = simulate(parse("torus:4x4"), both, [0, 1]).cycles
    assert found.binding == "computation"
    assert found.computation.cycles == 50_000
    assert found.dependencies.cycles == 5 * (10_000 + 2 * 160)
    assert found.minimum <= took <= found.minimum + 5 * 6


def test_slow_cables_bind():
    topology = graph("slow", Cables(np.array([[0, 1]]), cycles=np.array([5])), [1, 1], direct=True)
    least = bounds(one_message(64_000), topology).minimum
    assert least == 5 * (1000 * 16 - 1) + 1  # the last phit takes a cycle
    assert least <= simulate(topology, one_message(64_000)).cycles <= 1.01 * least


def test_iterations_that_are_repeated_count_every_time():
    once = application("is", 16, problem_class="S", iterations=1)
    several = bounds(Repeated(once, 10), parse("torus:4x4"))
    written = bounds(once.repeat(10), parse("torus:4x4"))
    for name in ("injection", "ejection", "computation"):
        assert getattr(several, name) == getattr(written, name)
    assert several.dependencies.cycles <= written.dependencies.cycles
