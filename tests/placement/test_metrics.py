"""Partition metrics and link loads, on cases worked out by hand."""

import itertools
import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from netplace.placement import map_tasks, partition
from netplace.placement.compactness import bounding_box, compactness, components, pairwise_sum
from netplace.placement.metrics import average_pairwise_distance, link_loads, metrics
from netplace.topologies import parse


def ring(tasks: int) -> np.ndarray:
    """Traffic of 8 bytes from each task to the next."""
    W = np.zeros((tasks, tasks), np.int64)
    W[np.arange(tasks), (np.arange(tasks) + 1) % tasks] = 8
    return W


def test_a_square_of_a_mesh():
    # The four ordered pairs along each side are 1 apart, the diagonals 2: (8 * 1 + 4 * 2) / 12.
    found = metrics(parse("mesh:4x4"), [5, 6, 9, 10])
    assert (found.NA, found.LA, found.LA_sum, found.Diam) == (4, 4, 4, 2)  # (1 * 2) * (1 * 2), and their sum
    assert pytest.approx(16 / 12) == found.AD
    assert found.DFC == 4  # 1 + 1 + 2 from any of them
    assert (found.routed_nodes, found.routed_links) == (4, 8)
    assert found.centroid_distance == 1.0  # half a hop in either dimension
    assert found.TAD is found.pair_hops is None


def test_opposite_corners_affect_the_box_between_them():
    # Minimal routes from (0, 0) to (2, 1) and back cover a box of 6 nodes, 7 wires, both ways.
    found = metrics(parse("mesh:4x4"), [0, 6])
    assert (found.NA, found.LA, found.LA_sum) == (6, 8, 6)  # (2 * 2) * (1 * 2)
    assert (found.AD, found.Diam, found.DFC) == (3.0, 3, 3)
    assert (found.routed_nodes, found.routed_links, found.centroid_distance) == (6, 14, 1.5)


def test_on_a_torus_routes_go_round():
    mesh, torus = (metrics(parse(f"{kind}:8x8"), [0, 7]) for kind in ("mesh", "torus"))
    assert (mesh.NA, mesh.LA_sum, mesh.AD, mesh.DFC) == (8, 7, 7.0, 7)
    assert (mesh.routed_nodes, mesh.routed_links, mesh.centroid_distance) == (8, 14, 3.5)
    assert (torus.NA, torus.LA_sum, torus.AD, torus.DFC) == (2, 1, 1.0, 1)
    assert (torus.routed_nodes, torus.routed_links, torus.centroid_distance) == (2, 2, 0.5)


def test_half_a_ring_away_both_ways_are_affected():
    found = metrics(parse("torus:6"), [0, 3])
    assert (found.routed_nodes, found.routed_links, found.Diam) == (6, 12, 3)
    assert (found.NA, found.LA) == (4, 3)


def test_one_node():
    found = metrics(parse("mesh:4x4"), [3], [[7]])
    assert (found.NA, found.LA, found.AD, found.DFC, found.Diam) == (1, 0, 0.0, 0.0, 0)
    assert (found.TAD, found.WTAD_AL, found.byte_hops) == (0.0, 0.0, 0.0)


def test_application_aware_metrics():
    # mesh 4x4, tasks on (0,0), (3,0), (1,1): 0 -> 1 is 3 + 0 hops, AL 3; 0 -> 2 is 1 + 1, AL 0.
    W = np.zeros((3, 3))
    W[0, 1], W[0, 2], W[1, 1] = 100, 300, 999
    found = metrics(parse("mesh:4x4"), [0, 3, 5], W)
    assert (found.TAD, found.pair_hops) == (5 / 6, 2.5)
    assert (found.WTAD, found.byte_hops) == (900 / 6, 900 / 400)
    assert (found.TAD_AL, found.pair_hops_al) == (8 / 6, 8 / 2)
    assert (found.WTAD_AL, found.byte_hops_al) == (1200 / 6, 1200 / 400)


def test_a_partition_with_nodes_to_spare():
    found = metrics(parse("mesh:4x4"), [0, 1, 2, 3], [[0, 1], [1, 0]], mapping=[3, 2])
    assert (found.NA, found.Diam, found.TAD) == (4, 3, 1.0)


def test_the_mapping_matters_to_the_application_only():
    torus, W = parse("torus:8x8"), ring(16)
    [part] = partition("boxes:4x4", torus, [16])
    near, far = (
        metrics(torus, part, W, mapping=map_tasks(rule, torus, 16, nodes=part, seed=1))
        for rule in ("consecutive", "random")
    )
    assert (near.NA, near.LA, near.AD, near.DFC) == (far.NA, far.LA, far.AD, far.DFC)
    assert near.WTAD < far.WTAD


def test_average_pairwise_distance_of_whole_networks():
    for text in ("torus:4x4x2", "mesh:5x3", "tree:4,2", "thintree:3,2,3"):
        network = parse(text)
        whole = average_pairwise_distance(network, np.arange(network.nodes))
        assert whole == pytest.approx(network.average_distance)


def loads(text: str, nodes: list[int], W) -> dict[tuple[int, int], float]:
    network = parse(text)
    ends = network.links()[:, [0, 2]].tolist()
    found: dict[tuple[int, int], float] = {}
    for (start, end), load in zip(ends, link_loads(network, nodes, W).tolist(), strict=True):
        if load:
            found[start, end] = found.get((start, end), 0.0) + load
    return found


def test_a_tree_spreads_over_its_top():
    # Nodes 0 and 3 of a 2-ary 2-tree: leaf switches 4 and 5, top switches 6 and 7.
    assert loads("tree:2,2", [0, 3], [[0, 8], [0, 0]]) == {
        (0, 4): 8, (4, 6): 4, (4, 7): 4, (6, 5): 4, (7, 5): 4, (5, 3): 8,
    }  # fmt: skip


@pytest.mark.parametrize("text", ["torus:4x4", "mesh:3x3x2", "twisted:4x2+1", "torus:2x4", "thintree:4,2,2"])
def test_loads_add_up_to_bytes_times_hops(text):
    network, rng = parse(text), np.random.default_rng(3)
    nodes = rng.permutation(network.nodes)[:7]
    W = rng.integers(0, 50, (7, 7))
    np.fill_diagonal(W, 0)
    found = link_loads(network, nodes, W)
    assert found.sum() == pytest.approx((W * network.distances(nodes)).sum())
    assert np.allclose(found, link_loads(network, nodes, sparse.csr_array(W)))


@pytest.mark.parametrize("text", ["torus:20x11", "mesh:20x11"])
def test_loads_of_many_sources_are_the_sum_of_those_of_each(text):
    grid, nodes = parse(text), np.random.default_rng(2).permutation(220)
    W = np.random.default_rng(5).integers(0, 9, (220, 220))
    each = [link_loads(grid, nodes, W * (np.arange(220)[:, None] == task)) for task in range(220)]
    assert link_loads(grid, nodes, W) == pytest.approx(sum(each))


def test_off_grids_what_is_not_defined_is_none():
    # Both nodes at one switch: there and back, and nothing else is affected.
    found = metrics(parse("dragonfly:a=4,p=2,h=2"), [0, 1], [[0, 8], [0, 0]])
    assert (found.routed_nodes, found.routed_links, found.AD, found.Diam, found.DFC) == (3, 4, 2.0, 2, 2)
    assert (found.TAD, found.pair_hops, found.byte_hops) == (1.0, 2.0, 2.0)
    assert (found.NA, found.LA, found.LA_sum, found.centroid_distance) == (None,) * 4
    assert (found.TAD_AL, found.WTAD_AL, found.pair_hops_al) == (None,) * 3
    on_switches = metrics(parse("hyperx:4x4,c=2"), [0, 2], [[0, 8], [0, 0]])
    assert on_switches.pair_hops_al == 3 + 1
    assert metrics(parse("tree:4,2"), [0, 4]).routed_nodes == 2 + 2 + 4


@pytest.mark.parametrize(
    ("network", "nodes", "W", "message"),
    [
        ("mesh:4x4", [1, 2, 1], None, "node 1 appears twice"),
        ("mesh:4x4", [1, 16], None, r"node: 16 is not in 0\.\.15"),
        ("mesh:4x4", [1, 2], np.ones((3, 3)), r"traffic W: shape \(3, 3\) does not fit the 2 nodes"),
    ],
)
def test_refusals(network, nodes, W, message):
    with pytest.raises(ValueError, match=message):
        metrics(parse(network), nodes, W)


NETWORKS = ("mesh:7x5", "torus:7x5", "torus:4x3x2", "mesh:23", "torus:2x2x2x2", "twisted:6x3", "tree:3,3")


@pytest.mark.parametrize("text", NETWORKS)
@given(data=st.data())
def test_pairwise_sum_is_that_over_all_pairs(text, data):
    network = parse(text)
    nodes = data.draw(st.lists(st.integers(0, network.nodes - 1), unique=True, min_size=1))
    wanted = sum(int(network.distance(a, b)) for a, b in itertools.combinations(nodes, 2))
    assert pairwise_sum(network, nodes) == wanted
    pairs = math.comb(len(nodes), 2)
    assert compactness(network, nodes).mean_hops == (wanted / pairs if pairs else 0)


@pytest.mark.parametrize("text", ["mesh:7x5", "torus:7x5", "torus:4x3x2"])
@given(data=st.data())
def test_no_smaller_box_holds_the_nodes(text, data):
    grid = parse(text)
    nodes = data.draw(st.lists(st.integers(0, grid.nodes - 1), unique=True, min_size=1))
    places = grid.coordinates(nodes)
    for d, (side, size) in enumerate(zip(bounding_box(grid, nodes), grid.sizes, strict=True)):
        starts = range(size) if grid.wraps else [0]
        spans = [int(((places[:, d] - start) % size).max()) + 1 for start in starts]
        if not grid.wraps:
            spans = [int(np.ptp(places[:, d])) + 1]
        assert side == min(spans)


@pytest.mark.parametrize("text", ["mesh:7x5", "torus:4x3x2", "twisted:6x3"])
@given(data=st.data())
def test_components_of_grids(text, data):
    grid = parse(text)
    nodes = data.draw(st.lists(st.integers(0, grid.nodes - 1), unique=True, min_size=1))
    graph = nx.Graph(grid.to_networkx()).subgraph(nodes)
    assert components(grid, nodes) == nx.number_connected_components(graph)


def test_components_of_a_tree_are_its_leaf_switches():
    assert components(parse("tree:4,3"), [0, 1, 3, 8, 9, 60]) == 3


def test_boxes_and_cubes():
    found = compactness(parse("torus:8x8"), [7, 0, 8, 56])
    assert (found.box, found.box_ratio, found.cube_ratio) == ((2, 3), 6 / 4, 9 / 4)
    assert found.box_sum == 5
    tree = compactness(parse("tree:4,2"), [0, 5])
    assert (tree.box, tree.box_sum) == (None, None)
