"""What holds for every network, whatever its kind."""

import pickle

import networkx as nx
import numpy as np
import pytest
from numpy.typing import ArrayLike

from netplace.topologies import Topology, parse

SMALL = [
    "mesh:1",
    "mesh:5",
    "mesh:4x3",
    "mesh:1x4x1",
    "mesh:2x3x2x2x2",
    "torus:1",
    "torus:1x1",
    "torus:2",
    "torus:3",
    "torus:2x2",
    "torus:5x4",
    "torus:1x6",
    "torus:4x1x3",
    "torus:3x2x2x3x2",
    "twisted:2x2+1",
    "twisted:3x2",
    "twisted:3x2+1",
    "twisted:2x3+1",
    "twisted:8x4",
    "twisted:4x8+3",
    "twisted:5x5+2",
    "twisted:12x2+5",
    "twisted:9x2+1",
    "tree:2,1",
    "tree:2,3",
    "tree:3,2",
    "tree:4,2",
    "thintree:2,1,3",
    "thintree:3,2,3",
    "thintree:4,2,2",
    "thintree:4,1,1",
]


@pytest.fixture(params=SMALL)
def network(request: pytest.FixtureRequest) -> Topology:
    return parse(request.param)


def shortest_paths(network: Topology) -> np.ndarray:
    hops = dict(nx.all_pairs_shortest_path_length(network.to_networkx()))
    return np.array([[hops[a][b] for b in range(network.nodes)] for a in range(network.nodes)])


def test_links_lead_where_their_ports_do_and_are_numbered_in_order(network: Topology) -> None:
    links = network.links()
    assert links.dtype == np.int32
    assert links.shape == (np.count_nonzero(network.neighbor >= 0), 4)
    keys = links[:, 0].astype(np.int64) * network.ports + links[:, 1]
    assert (np.diff(keys) > 0).all()
    for number, (router, port, end, entry) in enumerate(links.tolist()):
        assert network.link_number[router, port] == number
        assert network.neighbor[router, port] == end != router
        assert network.entry[router, port] == entry
    assert np.array_equal(network.link_number < 0, network.neighbor < 0)
    assert np.array_equal(network.entry < 0, network.neighbor < 0)


def test_every_link_has_its_reverse_and_no_input_has_two_links(network: Topology) -> None:
    links = network.links()
    there = sorted((int(a), int(b)) for a, b in links[:, [0, 2]])
    back = sorted((int(b), int(a)) for a, b in links[:, [0, 2]])
    assert there == back
    inputs = {(int(end), int(entry)) for end, entry in links[:, 2:]}
    assert len(inputs) == len(links)


def test_distances_are_those_of_the_graph(network: Topology) -> None:
    expected = shortest_paths(network)
    matrix = network.distances()
    assert matrix.dtype == np.int16
    assert np.array_equal(matrix, expected)
    assert network.diameter == expected.max()
    pairs = network.nodes * (network.nodes - 1)
    assert network.average_distance == pytest.approx(expected.sum() / pairs if pairs else 0.0)
    last = network.nodes - 1
    assert int(network.distance(0, last)) == expected[0, last]


def test_distances_of_a_subset_keep_its_order(network: Topology) -> None:
    chosen = np.random.default_rng(3).permutation(network.nodes)[: max(1, network.nodes // 2)]
    assert np.array_equal(network.distances(chosen), network.distances()[np.ix_(chosen, chosen)])


def test_distances_do_not_depend_on_the_block(network: Topology, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = network.distances()
    monkeypatch.setattr("netplace.topologies.topology._BLOCK", 3)
    assert np.array_equal(network.distances(), whole)


def test_graph_carries_ports_entries_and_links(network: Topology) -> None:
    graph = network.to_networkx()
    assert sorted(graph) == list(range(network.routers))
    edges = [(a, d["port"], b, d["entry"], d["link"]) for a, b, d in graph.edges(data=True)]
    expected = [(*row, number) for number, row in enumerate(network.links().tolist())]
    assert sorted(edges, key=lambda edge: edge[-1]) == expected


def test_neighbours_are_the_graph_s(network: Topology) -> None:
    graph = network.to_networkx()
    for router in range(network.routers):
        assert network.neighbours(router).tolist() == sorted(graph.successors(router))


def test_arrays_cannot_be_written(network: Topology) -> None:
    for array in (network.neighbor, network.entry, network.link_number):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 0


def test_networks_survive_a_trip_to_another_process(network: Topology) -> None:
    copy = pickle.loads(pickle.dumps(network))
    assert str(copy) == str(network)
    assert np.array_equal(copy.neighbor, network.neighbor)
    assert np.array_equal(copy.distances(), network.distances())


def test_names() -> None:
    network = parse("torus:4x4")
    assert str(network) == "torus:4x4"
    assert repr(network) == "<Grid torus:4x4>"
    assert network.ports == 4


def test_long_distances_take_the_wider_type() -> None:
    ring = parse("torus:70000")
    assert ring.distances([0, 35000]).dtype == np.int32
    assert ring.distances([0, 35000])[0, 1] == 35000
    assert ring.distances([]).shape == (0, 0)


@pytest.mark.parametrize("node", [-1, 12, [0, 12], np.array([3, -2])])
def test_nodes_outside_are_refused(node: ArrayLike) -> None:
    network = parse("torus:4x3")
    with pytest.raises(ValueError, match=r"node: (-1|12|-2) is not in 0\.\.11 of torus:4x3"):
        network.distance(0, node)
    with pytest.raises(ValueError, match="is not in 0"):
        network.distances(np.atleast_1d(node))


def test_nodes_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match=r"node: .*1\.5.* is not a whole number"):
        parse("tree:2,2").distance(0, 1.5)


@pytest.mark.parametrize("router", [-1, 12])
def test_neighbours_of_an_unknown_router_are_refused(router: int) -> None:
    with pytest.raises(ValueError, match=rf"router: {router} is not in 0\.\.11 of mesh:4x3"):
        parse("mesh:4x3").neighbours(router)
