"""Mapping by routed link load: loads by hand, optimum by enumeration, never worse than its start."""

import itertools

import numpy as np
import pytest

from netplace.apps import APPLICATIONS
from netplace.netsim import Config, simulate
from netplace.placement.expected_loads import link_loads
from netplace.placement.mapping import find_mapping, map_tasks
from netplace.placement.mapping.link_load import routed_links
from netplace.topologies import Cables, graph, parse, with_faults

TINY = (
    "mesh:2x3",
    "torus:5",
    "twisted:4x2",
    "tree:2,2",
    "dragonfly:a=2,p=1,h=1",
    "hyperx:3x2,c=1",
    "xgft:2;2,3;1,2",
)
KINDS = (*TINY, "torus:4x4,c=2", "slimfly:5,p=2", "faulty:links=0.1,slow=0.2,seed=2/torus:4x4", "hypercube:4")


def traffic(tasks, seed):
    rng = np.random.default_rng(seed)
    W = rng.integers(0, 100, (tasks, tasks)) * (rng.random((tasks, tasks)) < 0.6)
    np.fill_diagonal(W, 0)
    return W


def value(routed, places, W, objective):
    loads = routed.loads(np.asarray(places), W)
    return loads.max() if objective == "max" else loads @ loads


@pytest.mark.parametrize("network", TINY)
@pytest.mark.parametrize("objective", ["squares", "max"])
def test_optimum_by_enumeration(network, objective):
    topology = parse(network)
    nodes = np.arange(min(6, topology.nodes))
    tasks = min(5, len(nodes))
    W = traffic(tasks, 1)
    routed = routed_links(topology, nodes)
    every = itertools.permutations(range(len(nodes)), tasks)
    best = min(value(routed, places, W, objective) for places in every)
    option = f"link-load:{objective},iterations=1000"
    found = find_mapping(option, topology, tasks, nodes=nodes, W=W)
    assert found.cost == pytest.approx(best)
    assert found.cost == pytest.approx(value(routed, found.mapping, W, objective))


@pytest.mark.parametrize("network", KINDS)
@pytest.mark.parametrize("objective", ["squares", "max"])
def test_never_worse_than_the_order_of_the_nodes(network, objective):
    topology = parse(network)
    nodes = np.random.default_rng(3).permutation(topology.nodes)
    tasks = max(2, topology.nodes - 2)
    routed = routed_links(topology, nodes)
    for seed in range(3):
        W = traffic(tasks, seed)
        found = find_mapping(
            f"link-load:{objective},iterations=2", topology, tasks, nodes=nodes, W=W, seed=seed
        )
        assert found.cost <= value(routed, np.arange(tasks), W, objective) * (1 + 1e-12)
        assert found.iterations == 2


def test_loads_by_hand():
    W = np.array([[0, 8, 0], [0, 0, 0], [4, 0, 0]])
    line = parse("mesh:4")
    routed = routed_links(line, np.arange(4))
    loads = routed.loads(np.array([0, 2, 3]), W).reshape(line.neighbor.shape)
    assert loads[:, 0].tolist() == [8, 8, 0, 0]  # up the line: task 0 to 1
    assert loads[:, 1].tolist() == [0, 4, 4, 4]  # down: task 2 to 0
    square = parse("mesh:2x2")
    routed = routed_links(square, np.arange(4))  # two shortest ways, half each
    assert sorted(routed.loads(np.array([0, 3]), W[:2, :2]))[-4:] == [4, 4, 4, 4]
    by_dimension = routed_links(square, np.arange(4), "dor")
    assert sorted(by_dimension.loads(np.array([0, 3]), W[:2, :2]))[-3:] == [0, 8, 8]


def test_slow_links_count_by_their_cycles():
    ring = graph("ring", Cables.of([(0, 1), (1, 2), (2, 0)]), [1] * 3, direct=True)
    hurt = with_faults(ring, slow=[(0, 1)], cycles=5)
    W = np.array([[0, 10], [0, 0]])
    assert routed_links(hurt, np.arange(3), "minimal").loads(np.array([0, 1]), W).max() == 50
    found = find_mapping("link-load:iterations=50,routing=minimal", hurt, 2, W=W)
    assert found.cost == 100


@pytest.mark.parametrize("network", ["dragonfly:a=4,p=2,h=2", "torus:8x8", "tree:4,3"])
def test_even_links_make_runs_shorter(network):
    topology = parse(network)
    program = APPLICATIONS["2d-torus"].make(tasks=16, bytes=2048)
    shuffled = np.random.default_rng(2).permutation(topology.nodes)[:16]
    nodes = map_tasks("link-load:iterations=500", topology, 16, nodes=shuffled, program=program)
    before, after = (
        simulate(topology, program, where, config=Config(vcs=3)).cycles for where in (shuffled, nodes)
    )
    assert after < before


def test_the_same_seed_gives_the_same_mapping():
    W = traffic(16, 5)
    one, other = (
        find_mapping("link-load:max,iterations=100", parse("torus:4x4"), 16, W=W, seed=7) for _ in range(2)
    )
    assert one.mapping.tolist() == other.mapping.tolist()


@pytest.mark.parametrize(
    ("option", "words"),
    [("most", r"mapping link-load: objective: unknown name 'most'.*max"), ("routing=d-mod-k", r"d-mod-k")],
)
def test_bad_options(option, words):
    with pytest.raises(ValueError, match=words):
        find_mapping(f"link-load:{option}", parse("torus:4x4"), 4, W=traffic(4, 1))


def test_without_traffic_nothing_is_searched():
    with pytest.raises(ValueError, match="mapping link-load: needs the traffic of a program"):
        find_mapping("link-load", parse("torus:4x4"), 4)
    for tasks in (1, 4):
        found = find_mapping("link-load", parse("torus:4x4"), tasks, W=np.zeros((tasks, tasks)))
        assert found.mapping.tolist() == list(range(tasks))


def test_too_many_switches():
    with pytest.raises(ValueError, match=r"4096 switches of torus:64x64 are more than 2048; set a partition"):
        find_mapping("link-load", parse("torus:64x64"), 4, W=traffic(4, 1))
    nodes = np.arange(16)
    assert (
        find_mapping("link-load:iterations=9", parse("torus:16x16"), 4, nodes=nodes, W=traffic(4, 1)).cost > 0
    )


@pytest.mark.parametrize(
    "text", ["torus:6x5", "mesh:4x3x2", "torus:4x4x2", "torus:2x3x1", "mesh:9", "torus:8"]
)
def test_loads_are_those_of_all_minimal_routes(text):
    """The definition, word by word: each minimal route counted, as a power of the links has them."""
    network, rng = parse(text), np.random.default_rng(1)
    every, ends = np.arange(network.nodes), network.links()[:, [0, 2]]
    W = rng.integers(0, 100, (network.nodes, network.nodes)) * (rng.random((network.nodes,) * 2) < 0.3)
    np.fill_diagonal(W, 0)
    joined, distance = np.zeros_like(W), network.distances(every)
    np.add.at(joined, tuple(ends.T), 1)
    powers = np.array([np.linalg.matrix_power(joined, hops) for hops in range(distance.max() + 1)])
    routes = np.take_along_axis(powers, distance[None], axis=0)[0]
    expected = []
    for u, w in ends.tolist():
        on_the_way = distance[:, u, None] + 1 + distance[w] == distance
        expected.append((W * on_the_way * routes[:, u, None] * routes[w] / routes).sum())
    nodes = rng.permutation(network.nodes)
    assert link_loads(network, every, W) == pytest.approx(expected)
    assert link_loads(network, nodes, W[np.ix_(nodes, nodes)]) == pytest.approx(expected)


def test_a_long_line():
    network = parse("mesh:400")
    W = np.zeros((400, 400))
    W[0, 399] = 3.0
    assert link_loads(network, range(400), W).max() == 3
