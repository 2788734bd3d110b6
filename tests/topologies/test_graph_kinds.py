"""Networks beyond grids and trees: counts and distances by hand, and what every wiring must keep."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from netplace.apps import application
from netplace.netsim import simulate
from netplace.topologies import Graph, Grid, from_networkx, parse
from netplace.topologies.cables import Cables, graph
from netplace.topologies.compute_nodes import marked

EVERY = [
    "torus:4x3,c=2", "mesh:3x3x2,c=3", "hyperx:4x3,c=2", "dragonfly:a=4,p=2,h=2",
    "dragonfly:a=4,p=2,h=2,links=relative", "dragonfly:a=4,p=2,h=2,links=circulant",
    "dragonfly:a=4,p=2,h=2,g=5", "dragonfly:a=3,p=1,h=2,g=4,links=relative",
    "dragonfly+:leaves=3,spines=2,p=2,h=2", "slimfly:5", "slimfly:7,p=2", "xgft:3;4,3,2;1,2,3",
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "nodes", "switches", "diameter"),
    [
        ("torus:8x8,c=4", 256, 64, 10),
        ("hyperx:8x8,c=8", 512, 64, 4),
        ("dragonfly:a=8,p=4,h=4", 1056, 264, 5),
        ("slimfly:5", 200, 50, 4),
        ("slimfly:7", 588, 98, 4),
        ("slimfly:13,p=1", 338, 338, 4),
        ("slimfly:4", 96, 32, 4),
        ("slimfly:8,p=1", 128, 128, 4),
        ("slimfly:9,p=1", 162, 162, 4),
        ("xgft:3;4,4,4;1,2,2", 64, 28, 6),
        ("dragonfly+:leaves=4,spines=4,p=4,h=4", 272, 136, 5),
    ],
)
def test_published_sizes(text: str, nodes: int, switches: int, diameter: int) -> None:
    network = parse(text)
    assert isinstance(network, Graph)
    assert (network.nodes, network.switches, network.diameter) == (nodes, switches, diameter)


@pytest.mark.parametrize("links", ["absolute", "relative", "circulant"])
def test_every_two_groups_of_a_dragonfly_are_joined_once(links: str) -> None:
    network = parse(f"dragonfly:a=4,p=1,h=2,links={links}")
    assert isinstance(network, Graph)
    assert network.group is not None
    router, _, end, _ = network.links().T
    first = network.first_switch
    between = (router >= first) & (end >= first)
    pairs = np.zeros((9, 9), int)
    np.add.at(pairs, (network.group[router[between] - first], network.group[end[between] - first]), 1)
    assert (pairs == np.where(np.eye(9, dtype=bool), 12, 1)).all()
    degree = (network.neighbor[first:] >= 0).sum(axis=1)
    assert (degree == 3 + 2 + 1).all()


@pytest.mark.parametrize(
    "shape", ["a=4,p=2,h=2,g=2", "a=4,p=1,h=2,g=3", "a=3,p=1,h=3,g=2", "a=1,p=2,h=3,g=3"]
)
@pytest.mark.parametrize("links", ["absolute", "relative"])
def test_distances_between_few_groups(shape: str, links: str) -> None:
    """Cables are parallel where groups are few; distances are those of a breadth-first search."""
    network = parse(f"dragonfly:{shape},links={links}")
    assert isinstance(network, Graph)
    far = dict(nx.all_pairs_shortest_path_length(nx.Graph(network.to_networkx())))
    nodes = range(network.nodes)
    expected = np.array([[far[one][other] for other in nodes] for one in nodes])
    assert (network.distance(*np.ix_(nodes, nodes)) == expected).all()
    assert network.diameter == expected.max()
    assert network.average_distance == pytest.approx(expected.sum() / (len(nodes) * (len(nodes) - 1)))
    every = application("all-to-all", len(nodes), bytes=16)
    assert simulate(network, every, np.arange(len(nodes))).packet_hops == expected.sum()


def test_absolute_arrangement_by_hand() -> None:
    # a=2, h=1: group 0's links lead to groups 1 and 2, group 1's to 0 and 2, group 2's to 0 and 1.
    network = parse("dragonfly:a=2,p=1,h=1")
    assert isinstance(network, Graph)
    ends = [
        set(row[(row >= 6) & (row // 2 != router // 2)].tolist())
        for router, row in enumerate(network.neighbor)
    ]
    assert ends[6:] == [{8}, {10}, {6}, {11}, {7}, {9}]


def test_hypercube_is_a_mesh_of_twos() -> None:
    network = parse("hypercube:4")
    assert network.nodes == 16
    assert network.distance(0, 15) == 4
    assert network.bisection_width == 8


@pytest.mark.parametrize(
    ("text", "width"),
    [("torus:8x8,c=4", 16), ("hyperx:4x4,c=2", 16), ("mesh:8x3,c=1", 3), ("xgft:2;4,4;1,4", 8)],
)
def test_the_cut_found_is_the_known_one(text: str, width: int) -> None:
    assert parse(text).bisection_width == width


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dragonfly:a=4,p=2", r"dragonfly:a=4,p=2: h is missing, expected a=..,p=..,h=.."),
        (
            "dragonfly:a=4,p=2,h=2,g=12",
            r"12 groups are more than 8 global links per group can connect, expected at most g=9",
        ),
        ("dragonfly:a=4,p=2,h=2,g=6,links=circulant", r"odd number of groups, not 6; nearest: g=5 or g=7"),
        ("slimfly:6", r"slimfly:6: q is not a prime power of at least 3"),
        ("xgft:2;4,4;2,2", r"w1 is 2, expected 1"),
        ("xgft:4,4", r"expected height;m1"),
        ("hypercube:99", r"network too large"),
    ],
)
def test_bad_parameters_are_named(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(text)


@pytest.mark.parametrize("text", ["torus:4x3", "mesh:3x2", "mesh:1", "tree:2,3"])
def test_networkx_there_and_back(text: str) -> None:
    network = parse(text)
    again = from_networkx(network.to_networkx())
    assert (again.neighbor == network.neighbor).all()
    assert (again.entry == network.entry).all()
    assert (again.distances() == network.distances()).all()
    assert (again.nodes, again.routers) == (network.nodes, network.routers)
    if isinstance(network, Grid):
        assert (again.places == network.coordinates(np.arange(network.nodes))).all()  # type: ignore[comparison-overlap]


FIELDS = ("neighbor", "entry", "home", "cycles", "delay", "group", "places", "closes", "axis", "service")


def same(one: Graph, other: Graph) -> None:
    assert (one.nodes, one.routers, one.first_switch) == (other.nodes, other.routers, other.first_switch)
    assert (one.default_routing, one.names) == (other.default_routing, other.names)
    for name in FIELDS:
        a, b = getattr(one, name), getattr(other, name)
        assert (a is None) == (b is None), name
        assert a is None or (np.array_equal(a, b) and a.dtype == b.dtype), name


@st.composite
def machines(draw: st.DrawFn) -> Graph:
    """Return a network of some kind, or of cables drawn at will, some nodes of which may not compute."""
    if draw(st.booleans()):
        made = parse(draw(st.sampled_from(["", "faulty:slow=0.3,seed=1/"])) + draw(st.sampled_from(EVERY)))
    else:
        switches = draw(st.integers(1, 6))
        pairs = [(draw(st.integers(0, end - 1)), end) for end in range(1, switches)]
        pairs += [pair for pair in draw(st.lists(st.sampled_from(pairs or [(0, 0)]))) if pair[0] < pair[1]]

        def some(least: int, most: int, count: int) -> list[int]:
            return draw(st.lists(st.integers(least, most), min_size=count, max_size=count))

        direct = draw(st.booleans())
        nodes_at = [1, *some(0, 1 if direct else 3, switches - 1)]
        made = graph(
            "graph:drawn",
            Cables(
                np.array(pairs, np.int64).reshape(-1, 2),
                np.array(some(1, 4, len(pairs)), np.int64),
                np.array(some(0, 9, len(pairs)), np.int64),
            ),
            nodes_at,
            direct=direct,
            group=draw(st.none() | st.just(np.array(some(0, 3, switches), np.int64))),
            places=draw(st.none() | st.just(np.array([some(0, 9, 2) for _ in range(switches)], np.int64))),
            names=draw(st.sampled_from([[], [f"s{number}" for number in range(switches)]])),
        )
    assert isinstance(made, Graph)
    if made.nodes > 1 and draw(st.booleans()):
        made = marked(made, made.text, sorted(draw(st.sets(st.integers(0, made.nodes - 2), min_size=1))))
    return made


@given(machines(), st.booleans())
def test_all_survives_networkx_and_graphml(network: Graph, by_file: bool) -> None:
    given_graph = network.to_networkx()
    if by_file:
        given_graph = nx.parse_graphml("\n".join(nx.generate_graphml(given_graph)))
    same(network, from_networkx(given_graph))


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([(0, 1), (2, 3)], r"not connected, 2 of 4 nodes cannot be reached from node 0: 2, 3"),
        ([(0, 1), (1, 1)], r"from vertex 1 to itself"),
    ],
)
def test_graphs_that_are_no_network(edges: list[tuple[int, int]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        from_networkx(nx.Graph(edges))


def test_directed_graphs_need_both_directions() -> None:
    with pytest.raises(ValueError, match=r"asymmetric, 1 links lead from 0 to 1 and 0 back"):
        from_networkx(nx.DiGraph([(0, 1)]))
    there = nx.DiGraph()
    there.add_edge(0, 1, cycles=2)
    there.add_edge(1, 0)
    with pytest.raises(ValueError, match=r"asymmetric, cycles is 2 from 0 to 1 and None back"):
        from_networkx(there)
    wrong = nx.Graph()
    wrong.add_edge(0, 1, width=0)
    with pytest.raises(ValueError, match=r"width: 0 is too small"):
        from_networkx(wrong)


def test_a_megafly_is_a_dragonfly_plus():
    assert parse("megafly:leaves=2,spines=2,p=2,h=2").text == "dragonfly+:leaves=2,spines=2,p=2,h=2"
