"""Figures of sets of nodes against sums over all pairs, boxes by trial and parts by flooding."""

import itertools
import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netplace.placement.compactness import bounding_box, compactness, components, limit_shape, pairwise_sum
from netplace.topologies import parse

NETWORKS = ("mesh:7x5", "torus:7x5", "torus:4x3x2", "mesh:23", "torus:2x2x2x2", "twisted:6x3", "tree:3,3")
SETS = settings(max_examples=25, deadline=None, derandomize=True, database=None)


@pytest.mark.parametrize("text", NETWORKS)
@SETS
@given(data=st.data())
def test_pairwise_sum_is_that_over_all_pairs(text, data):
    network = parse(text)
    nodes = data.draw(st.lists(st.integers(0, network.nodes - 1), unique=True, min_size=1))
    wanted = sum(int(network.distance(a, b)) for a, b in itertools.combinations(nodes, 2))
    assert pairwise_sum(network, nodes) == wanted
    pairs = math.comb(len(nodes), 2)
    assert compactness(network, nodes).mean_hops == (wanted / pairs if pairs else 0)


@pytest.mark.parametrize("text", ["mesh:7x5", "torus:7x5", "torus:4x3x2"])
@SETS
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
@SETS
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


@pytest.mark.parametrize("nodes", [[], [1, 1], [16], [0.5]])
def test_mistakes(nodes):
    with pytest.raises(ValueError, match="node"):
        compactness(parse("mesh:4x4"), nodes)


def test_the_limit_shape():
    """Its mean distance is the one that is known, its area 1; it mirrors itself; the best few come near."""
    x, height, mean = limit_shape()
    assert mean == pytest.approx(0.650245952951, rel=2e-6)
    area = 4 * float(((height[1:] + height[:-1]) / 2 * np.diff(x)).sum())
    assert area == pytest.approx(1, abs=1e-6)
    assert (np.diff(height) <= 1e-12).all()
    twice = np.interp(np.interp(x, x, height), x, height)
    assert np.abs(twice - x)[x > 0.1].max() < 5e-4  # near 0 the border is flat, and the way back steep
    square, diamond = 2 / 3, 0.6600  # mean distances of other shapes of area 1, the latter rounded
    assert mean < diamond < square
    # Least sums over pairs of 11, 15 and 17 nodes on an empty plane, by exhaustive search.
    for nodes, least in ((11, 124), (15, 272), (17, 374)):
        assert 0.9 < least / math.comb(nodes, 2) / math.sqrt(nodes) / mean < 1.1
    with pytest.raises(ValueError, match="points"):
        limit_shape(3)
