"""Bisection widths against the best of all cuts."""

import itertools
from collections.abc import Sequence

import networkx as nx
import numpy as np
import pytest

from netplace.topologies import Topology, Tree, parse

GRIDS = [
    "mesh:2", "mesh:7", "mesh:3x3", "mesh:5x2", "mesh:4x4", "mesh:5x3", "mesh:3x3x2", "mesh:3x1x3",
    "mesh:2x2x2x2", "torus:2", "torus:3", "torus:1x5", "torus:2x2", "torus:3x2", "torus:3x3", "torus:4x3",
    "torus:5x3", "torus:4x4", "torus:2x2x2", "torus:2x3x3", "torus:4x2x2", "torus:1x3x1x3",
]  # fmt: skip
TWISTED = [
    f"twisted:{x}x{y}+{twist}"
    for x, y in itertools.product(range(2, 9), repeat=2)
    if x * y <= 16
    for twist in range(1, x)
]

TREES = ["tree:2,1", "tree:3,1", "tree:2,2", "tree:2,3", "tree:3,2", "tree:4,2", "tree:5,2", "thintree:4,1,1"]
TREES += [f"thintree:{down},{up},2" for down in range(2, 6) for up in range(1, down)]
TREES += ["thintree:2,1,3", "thintree:3,1,3", "thintree:3,2,3", "thintree:2,1,4"]


def best_cut(network: Topology) -> int:
    """Return the fewest links one way between two halves, over all halves."""
    halves = itertools.combinations(range(network.nodes), network.nodes // 2)
    chosen = np.array(list(halves))
    inside = np.zeros((len(chosen), network.nodes), bool)
    inside[np.arange(len(chosen))[:, None], chosen] = True
    leaving = np.zeros(len(chosen), int)
    for start, _, end, _ in network.links():
        leaving += inside[:, start] & ~inside[:, end]
    return int(leaving.min())


@pytest.mark.parametrize("text", GRIDS + TWISTED)
def test_no_half_of_a_grid_has_fewer_links(text: str) -> None:
    network = parse(text)
    assert network.bisection_width == best_cut(network)


@pytest.mark.parametrize("text", ["twisted:4x2x2", "twisted:3x2x2+1", "twisted:3x2x2+2"])
def test_the_width_of_a_twisted_torus_of_three_sides_is_an_upper_bound(text: str) -> None:
    network = parse(text)
    assert best_cut(network) <= network.bisection_width <= parse(f"torus:{text[8:13]}").links().shape[0] // 4


def test_known_widths() -> None:
    # Dally and Towles 2004, section 3.1 and 5.2: 2 N / k links one way for an even-sided k-ary n-cube.
    assert parse("torus:8x8").bisection_width == 16
    assert parse("torus:16x16x16").bisection_width == 512
    assert parse("mesh:8x8").bisection_width == 8
    # Leighton 1992: (k^n - 1) / (k - 1) for an odd-sided mesh.
    assert parse("mesh:5x5x5").bisection_width == 31
    assert parse("tree:4,3").bisection_width == 32
    assert parse("thintree:4,2,3").bisection_width == 8


def halves_of(tree: Tree) -> list[tuple[int, ...]]:
    """Return how many nodes of each leaf switch fall in one half, all that differ by more than a renaming."""

    def groups(level: int) -> list[tuple[int, ...]]:
        if level == 0:
            return [(count,) for count in range(tree.down + 1)]
        below = itertools.combinations_with_replacement(groups(level - 1), tree.down)
        return [tuple(itertools.chain(*parts)) for parts in below]

    return [counts for counts in groups(tree.stages - 1) if sum(counts) == tree.nodes // 2]


@pytest.mark.parametrize("text", TREES)
def test_no_half_of_a_tree_has_fewer_links(text: str) -> None:
    tree = parse(text)
    assert isinstance(tree, Tree)
    widths = []
    for counts in halves_of(tree):
        flow = nx.DiGraph()
        flow.add_edges_from(((a, b) for a, _, b, _ in tree.links().tolist()), capacity=1)
        for node in range(tree.nodes):
            one_half = node % tree.down < counts[node // tree.down]
            flow.add_edge(*(("one", node) if one_half else (node, "other")), capacity=tree.ports)
        widths.append(nx.maximum_flow_value(flow, "one", "other"))
    assert tree.bisection_width == min(widths)


SMALL = ["hyperx:3,c=2", "mesh:3,c=2", "mesh:5,c=1", "torus:4,c=2", "dragonfly:a=2,p=1,h=1",
         "dragonfly:a=4,p=1,h=2,g=2", "xgft:2;3,2;1,3", "dragonfly+:leaves=2,spines=1,p=2,h=1",
         "faulty:links=0.2,seed=3/torus:3x3,c=1"]  # fmt: skip


@pytest.mark.parametrize("text", SMALL)
def test_no_cut_is_smaller_than_the_smallest(text):
    """Of all halves of the nodes, switches on the side where they cost least, by maximum flow."""
    network = parse(text)
    halves = itertools.combinations(range(network.nodes), network.nodes // 2)
    least = min(cut_between(network, half) for half in halves)
    assert least <= network.bisection_width


def cut_between(network: Topology, half: Sequence[int]) -> int:
    flow = nx.DiGraph()
    for a, _, b, _ in network.links().tolist():
        more = flow.get_edge_data(a, b, {"capacity": 0})["capacity"]
        flow.add_edge(a, b, capacity=more + 1)
    for node in range(network.nodes):
        flow.add_edge(*(("one", node) if node in half else (node, "other")), capacity=10**6)
    return int(nx.maximum_flow_value(flow, "one", "other"))
