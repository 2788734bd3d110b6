"""The general router beside what is known: zero load, grids, theory of saturation, deadlock, mistakes."""

import numpy as np
import pytest
from link_bounds import load_bound
from reference_cases import flow, program

from netplace.apps import Program
from netplace.netsim import Config, DeadlockError, Network, measure_load, pattern, simulate
from netplace.netsim.table_router import verdict_on
from netplace.topologies import Cables, Graph, graph, parse
from netplace.topologies.routing import reach, steps

KINDS = [
    ("torus:4x3,c=2", "default"),
    ("mesh:3x3,c=2", "default"),
    ("hyperx:4x3,c=2", "default"),
    ("dragonfly:a=4,p=2,h=2", "default"),
    ("dragonfly:a=4,p=2,h=2", "up-down"),
    ("dragonfly+:leaves=3,spines=2,p=2,h=2", "default"),
    ("slimfly:5", "default"),
    ("xgft:3;4,3,2;1,2,3", "default"),
    ("torus:5x3", "dor"),
    ("tree:3,2", "d-mod-k"),
]


def one_message(size: int, tasks: int = 2) -> Program:
    return program([("send", 1, size)], *[[]] * (tasks - 1))


def lone(topology, config, nodes, packets=1, engine="kernel"):
    return simulate(topology, one_message(64 * packets), nodes, config=config, engine=engine)


@pytest.mark.parametrize(("network", "routing"), KINDS)
@pytest.mark.parametrize("delays", [(0, 1), (2, 3)])
def test_zero_load_delay_is_exact(network, routing, delays):
    topology = parse(network)
    switches, routes, verdict = verdict_on(topology, routing, "default")
    far = reach(switches, routes.ports, steps(switches, "hop")[0], routes.name).hops
    router_delay, link_delay = delays
    config = Config(routing=routing, vcs=verdict.needed, router_delay=router_delay, link_delay=link_delay)
    rng = np.random.default_rng(1)
    for _ in range(6):
        a, b = rng.choice(topology.nodes, 2, replace=False).tolist()
        hops = int(far[switches.home[a], switches.home[b]]) + (0 if switches.direct else 2)
        if not switches.direct or switches.home[a] != switches.home[b]:
            result = lone(topology, config, [a, b], packets=3)
            assert result.drained_cycles == 3 * 16 + hops * sum(delays)


def test_slow_and_long_links_by_hand():
    # A header waits behind a link of 3 cycles a phit until its phits can follow: 2 x 15 cycles; 5 more of
    # delay.
    topology = graph("slow", Cables(np.array([[0, 1]]), np.array([3]), np.array([5])), [1, 1])
    for engine in ("kernel", "reference"):
        result = lone(topology, Config(), [0, 1], engine=engine)
        assert result.drained_cycles == 3 + 16 + 30 + 5
        # Packets follow each other every 48 cycles.
        assert lone(topology, Config(), [0, 1], 4, engine).drained_cycles == 3 + 16 + 30 + 5 + 3 * 48


def test_packets_behind_each_other_on_a_slow_link_of_a_node():
    topology = graph("slow", Cables(np.array([[0, 1]]), np.array([3])), [1, 1], direct=True)
    for engine in ("kernel", "reference"):
        assert lone(topology, Config(), [0, 1], 3, engine).drained_cycles == 1 + 16 + 30 + 2 * 48


def accepted(topology, traffic, offered, config, seed=0):
    return measure_load(
        topology, offered, traffic=traffic, config=config, seed=seed, warmup=3000, measure=9000
    ).accepted


@pytest.mark.parametrize("network", ["mesh:5x4", "torus:5x3", "mesh:3x3x2"])
@pytest.mark.parametrize("offered", [0.2, 0.6])
def test_dimension_order_in_tables_is_that_of_grids_where_no_bubble_acts(network, offered):
    topology = parse(network)
    found = []
    for settings in ({"vc_policy": "oblivious"}, {"routing": "dor", "vc_discipline": "none"}):
        rings = topology.wraps and "routing" in settings
        config = Config(vcs=1, bubble=0, queue_packets=8, allow_deadlock=rings, **settings)
        point = measure_load(topology, offered, config=config, seed=3, warmup=0, measure=1500)
        found.append((point.packets, point.packet_hops, point.delay.to_dict()))
    assert found[0] == found[1]


def bound(topology, routing, traffic):
    switches, routes, _ = verdict_on(topology, routing, "default")
    target = pattern(traffic, topology, 0.1).target
    at = np.bincount(switches.home, minlength=switches.count).astype(float)
    flow = np.outer(at, at) / (topology.nodes - 1)
    if traffic == "adversarial":
        flow = np.zeros_like(flow)
        np.add.at(flow, (switches.home, switches.home[target]), 1)
    return load_bound(switches, routes, flow, np.ones_like(switches.neighbor))


def test_bounds_of_a_dragonfly_are_the_known_ones():
    # J. Kim et al., ISCA 2008: 1 / (a h) for a group's traffic to the next one, a half by Valiant.
    topology = parse("dragonfly:a=4,p=2,h=2")
    assert bound(topology, "minimal", "adversarial") == pytest.approx(1 / 8)
    assert bound(topology, "valiant", "adversarial") == pytest.approx(1 / 2)
    assert bound(topology, "minimal", "uniform") == pytest.approx(71 / 68)


@pytest.mark.parametrize(
    ("routing", "traffic", "offered", "vcs", "least", "most"),
    [
        ("minimal", "uniform", 1.0, 8, 0.90, 1.0),
        ("minimal", "adversarial", 1.0, 4, 0.120, 0.126),
        ("valiant", "adversarial", 1.0, 6, 0.48, 0.52),
        ("par", "adversarial", 0.5, 8, 0.45, 0.52),
        ("ugal-l", "uniform", 1.0, 6, 0.80, 1.0),
        ("ugal-l", "adversarial", 0.5, 6, 0.47, 0.52),
        ("ugal-g", "adversarial", 1.0, 6, 0.48, 0.56),
    ],
)
def test_saturation_of_a_dragonfly(routing, traffic, offered, vcs, least, most):
    topology = parse("dragonfly:a=4,p=2,h=2")
    config = Config(routing=routing, vcs=vcs, queue_packets=8)
    assert least <= accepted(topology, traffic, offered, config) <= most


def test_saturation_of_a_hyperx():
    topology = parse("hyperx:4x4,c=4")
    assert bound(topology, "dor", "adversarial") == pytest.approx(1 / 4)
    config = Config(routing="dor", vcs=4, queue_packets=8)
    assert accepted(topology, "adversarial", 1.0, config) == pytest.approx(0.25, rel=0.03)
    assert accepted(topology, "uniform", 1.0, config) > 0.8
    aside = Config(routing="ugal-l", vcs=4, queue_packets=8)
    assert accepted(topology, "adversarial", 1.0, aside) > 0.35


def test_too_few_virtual_channels():
    with pytest.raises(ValueError, match=r"vcs: 2 virtual channels are too few for routing ugal-l on .* 3"):
        Network(parse("dragonfly:a=4,p=2,h=2"), Config(routing="ugal-l"))


def ring_of_sends(nodes: int) -> Program:
    size = 64 * 40
    return program(
        *([("send", (task + 2) % nodes, size), ("recv", (task - 2) % nodes, size)] for task in range(nodes))
    )


def test_deadlock_is_refused_or_named(engine):
    topology = parse("torus:5,c=1")
    config = {"routing": "dor", "vc_discipline": "none", "vcs": 1, "queue_packets": 1}
    with pytest.raises(ValueError, match=r"can deadlock in a cycle of 5 channels; .*--allow-deadlock"):
        simulate(topology, ring_of_sends(5), config=Config(**config), engine=engine)
    with pytest.raises(DeadlockError, match=r"network deadlock in cycle \d+: .* in a cycle: router"):
        simulate(topology, ring_of_sends(5), config=Config(**config, allow_deadlock=True), engine=engine)
    done = simulate(topology, ring_of_sends(5), config=Config(routing="dor", queue_packets=1), engine=engine)
    assert done.cycles > 0


def test_adversarial_traffic_needs_groups():
    with pytest.raises(ValueError, match=r"--traffic adversarial: needs groups or switches"):
        pattern("adversarial", parse("torus:4x4"), 0.1)
    topology = parse("dragonfly:a=2,p=2,h=1")
    assert isinstance(topology, Graph)
    assert pattern("adversarial", topology, 0.1).target.tolist() == [4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3]


@pytest.mark.parametrize("seed", range(4))
def test_behind_slow_links_a_full_injector_may_tie_with_an_open_one(seed):
    """All phits have left before there is room: a node draws anew in the next cycle, and does not wait."""
    config = Config(packet_phits=1, queue_packets=1, nic_buffer=1, injectors=2, routing="minimal")
    slow = graph(
        "slow", Cables(np.array([[0, 1]]), np.array([3]), np.array([0])), np.array([1, 1]), direct=True
    )
    kernel, reference = (
        simulate(slow, flow(), np.arange(2), config=config, engine=engine, seed=seed)
        for engine in ("kernel", "reference")
    )
    assert kernel.cycles == reference.cycles
    assert kernel.packet_delay.mean == reference.packet_delay.mean
