"""Mappings of thousands of tasks: costs computed and tabulated agree, blocks are compact, halos find home."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from netplace.placement.mapping import cost_between, cost_locations, cost_matrix, optimise, solve_qap
from netplace.placement.mapping.qap.large import annealing, place_many
from netplace.placement.mapping.qap.large.multilevel import Machine, bisected, clustered, merged, nearest
from netplace.placement.mapping.qap.locations import Locations
from netplace.placement.mapping.qap.problem import Budget
from netplace.topologies import parse

DEFINED = [
    ("torus:6x5x4", "classic"),
    ("torus:6x5x4", "td"),
    ("mesh:9x7", "classic"),
    ("mesh:9x7", "td"),
    ("mesh:3x3x3x3", "td"),
    ("torus:11", "td"),
    ("tree:3,3", "classic"),
    ("tree:2,5", "oversubscription"),
    ("thintree:4,2,3", "classic"),
    ("thintree:4,2,3", "oversubscription"),
    ("dragonfly:a=4,p=2,h=2", "classic"),
    ("hyperx:4x4,c=2", "classic"),
    ("hypercube:5", "classic"),
    ("twisted:10x5", "classic"),
    ("twisted:10x5", "td"),
    ("twisted:7x9+3", "classic"),
    ("torus:5x4,c=4", "classic"),
    ("torus:5x4,c=4", "td"),
    ("torus:2x3x4,c=2", "td"),
    ("mesh:4x5,c=3", "td"),
    ("hyperx:4x4,c=2", "classic"),
    ("faulty:links=0.1,seed=1/torus:5x4,c=3", "classic"),
]


def halo(text: str, seed: int = 0):
    """Return the traffic of neighbours on a network, with the labels of the tasks shuffled."""
    network = parse(text)
    links, names = network.links(), np.random.default_rng(seed).permutation(network.nodes)
    ends = (names[links[:, 0]], names[links[:, 2]])
    return sparse.csr_array((np.full(len(links), 1000), ends), (network.nodes, network.nodes))


@pytest.mark.parametrize(("text", "criterion"), DEFINED)
def test_computed_costs_are_those_of_the_table(text, criterion):
    network = parse(text)
    nodes = np.random.default_rng(1).permutation(network.nodes)[:50]
    wanted = cost_matrix(network, nodes, criterion)
    computed = cost_locations(network, nodes, criterion)
    assert computed is not None
    assert (computed.matrix() == wanted).all()
    assert computed.matrix().dtype.kind == ("i" if computed.integral else "f")
    off = wanted[~np.eye(len(nodes), dtype=bool)]
    assert 0 < computed.minimum <= off.min()
    assert off.max() <= computed.maximum
    a, b = np.random.default_rng(2).integers(0, len(nodes), (2, 99))
    assert (cost_between(network, nodes[a], nodes[b], criterion) == wanted[a, b]).all()


def test_what_is_not_computed_is_tabulated():
    for text, criterion in (("hyperx:4x4,c=2", "td"), ("twisted:7x9+3", "td")):
        network = parse(text)
        assert cost_locations(network, None, criterion) is None
        wanted = cost_matrix(network, None, criterion)
        assert cost_between(network, [0, 5], [7, 5], criterion).tolist() == [wanted[0, 7], 0]
    with pytest.raises(ValueError, match="criterion"):
        cost_locations(parse("mesh:4"), None, "none")


@pytest.mark.parametrize(
    "text",
    [
        "torus:8x8x8",
        "mesh:15x15",
        "mesh:100",
        "tree:3,4",
        "dragonfly:a=4,p=2,h=2",
        "twisted:24x12",
        "torus:8x8,c=4",
    ],
)
def test_blocks_of_the_order_are_compact(text):
    """Members of a block of eight are nearer each other than any eight are on average."""
    network = parse(text)
    locations = cost_locations(network)
    order = bisected(locations)
    assert sorted(order.tolist()) == list(range(network.nodes))
    distance = network.distances()
    blocks = [order[first : first + 8] for first in range(0, network.nodes - 7, 8)]
    inside = np.mean([distance[np.ix_(block, block)].mean() for block in blocks])
    assert inside < 0.75 * distance.mean()
    near = nearest(locations.take(order))
    assert (near != np.arange(network.nodes)[:, None]).all()
    assert all(len(set(row)) == len(row) for row in near.tolist())


@pytest.mark.parametrize("count", [64, 65, 96, 99, 127])
def test_clusters_hold_as_many_tasks_as_their_blocks(count):
    flows = sparse.random_array((count, count), density=0.05, rng=np.random.default_rng(3), format="csr")
    numbers = clustered(merged(flows + flows.T, np.arange(count), count), 8, np.random.default_rng(4))
    assert sorted(numbers.tolist()) == list(range(count))


def test_who_speaks_most_shares_a_cluster():
    flows = np.zeros((16, 16))
    one, other = np.random.default_rng(5).permutation(16).reshape(2, 8)
    flows[one, other] = flows[other, one] = 9
    flows += 1 - np.eye(16)
    numbers = clustered(merged(sparse.csr_array(flows), np.arange(16), 16), 4, np.random.default_rng(6))
    assert (numbers[one] >> 1 == numbers[other] >> 1).all()


@pytest.mark.parametrize(("text", "criterion"), [*DEFINED[:4], DEFINED[7], DEFINED[10]])
def test_annealing_knows_what_a_move_changes(text, criterion):
    network, rng = parse(text), np.random.default_rng(7)
    locations, count = cost_locations(network, None, criterion), network.nodes
    flows = rng.integers(0, 9, (count, count)) * (rng.random((count, count)) < 0.2)
    flows = flows + flows.T
    np.fill_diagonal(flows, 0)
    level = Machine(locations, count).problem(0, merged(sparse.csr_array(flows), np.arange(count), count))
    # A third of the tasks have no location yet, so there are holes to move into.
    place, holder = np.full(count, -1, np.int32), np.full(count, -1, np.int32)
    active = rng.permutation(count)[: 2 * count // 3].astype(np.int32)
    place[active] = rng.permutation(count)[: len(active)]
    holder[place[active]] = active
    costs = cost_matrix(network, None, criterion)

    def priced() -> float:
        return (flows[np.ix_(active, active)] * costs[np.ix_(place[active], place[active])]).sum() / 2

    before = priced()
    assert annealing.cost(level, place) == pytest.approx(before)
    change, size = level.compiled.propose(place, holder, active, 50.0, 5000, rng)
    assert priced() == pytest.approx(before + change, rel=1e-5)
    assert size >= abs(change)
    assert (holder[place[active]] == active).all()
    assert (holder >= 0).sum() == len(active)


@pytest.mark.parametrize("text", ["torus:12x12x12", "mesh:12x12x12", "torus:40x40", "mesh:45x30"])
@pytest.mark.parametrize("criterion", ["classic", "td"])
def test_a_large_halo_finds_its_network(text, criterion):
    W, network = halo(text), parse(text)
    found = optimise(W, network, criterion=criterion, iterations=200)
    dims = 1 if criterion == "classic" else len(network.sizes)
    assert found.cost == dims * W.sum()
    assert found.iterations <= 200


@pytest.mark.parametrize(
    ("text", "traffic", "criterion", "most"),
    [
        ("twisted:128x64", "twisted:128x64", "classic", 1),
        ("twisted:128x64", "twisted:128x64", "td", 2),
        ("torus:16x16x8,c=4", "torus:16x16x32", "classic", 4.3),  # by chance 12
        ("torus:16x16x8,c=4", "torus:16x16x32", "td", 6.8),
    ],
)
def test_what_is_computed_is_not_tabulated(text, traffic, criterion, most):
    """A table of the costs among 8,192 nodes would take 134 MB, in two bytes each."""
    network, W = parse(text), halo(traffic)
    tracemalloc.start()
    found = optimise(W, network, criterion=criterion, iterations=100)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6
    assert found.cost <= most * W.sum()


def test_a_table_does_as_well():
    W = halo("torus:12x12x12", 1)
    found = solve_qap(W, parse("torus:12x12x12").distances(), iterations=200)
    assert found.cost <= 1.3 * W.sum()


@pytest.mark.parametrize(
    ("machine", "traffic", "ratio"),
    [
        ("torus:12x12x12", "mesh:38x38", 0.4),
        ("tree:12,3", "torus:12x12x12", 0.8),
        ("mesh:40x40", "torus:11x11x11", 0.5),
        ("dragonfly:a=8,p=4,h=4", "torus:10x10x10", 0.9),
        ("torus:37x31", "torus:33x33", 0.5),
    ],
)
def test_where_no_halo_fits_it_is_better_than_chance(machine, traffic, ratio):
    network, W = parse(machine), halo(traffic)
    source, target = W.tocoo().coords
    drawn = np.random.default_rng(8).permutation(network.nodes)
    is_random = 1000 * cost_between(network, drawn[source], drawn[target]).sum()
    found = optimise(W, network, iterations=300, seed=2)
    assert len(set(found.mapping.tolist())) == W.shape[0]
    assert found.cost == 1000 * cost_between(network, found.mapping[source], found.mapping[target]).sum()
    assert found.cost < ratio * is_random
    again = optimise(W, network, iterations=300, seed=2)
    assert (again.mapping == found.mapping).all()


@pytest.mark.all
def test_time_ends_a_large_search():
    network, W = parse("torus:12x12x12"), halo("mesh:38x38")
    found = optimise(W, network, seconds=0.5)
    assert 0.5 <= found.seconds < 1.0


def test_one_task_and_tasks_that_say_nothing():
    network = parse("mesh:40x40")
    locations = cost_locations(network)
    for tasks in (1, 2, 300):
        silent = sparse.csr_array((tasks, tasks), dtype=np.int64)
        assert solve_qap(silent, locations, iterations=5).cost == 0
    rng = np.random.default_rng(9)
    assert len(set(place_many(silent, locations, rng, Budget(iterations=2)).tolist())) == 300


def test_methods_that_need_a_table_make_one():
    locations = cost_locations(parse("torus:4x4"))
    W = halo("torus:4x4")
    for method in ("grasp", "2opt", "faq"):
        assert solve_qap(W, locations, method=method, iterations=2).cost >= W.sum()
    assert isinstance(locations, Locations)
