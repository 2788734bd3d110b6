"""What holds for every network, whatever its kind, and its text form."""

import pickle
import time
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from numpy.typing import ArrayLike

from netplace.topologies import TOPOLOGIES, Topology, kary_ntree, mesh, parse, thin_tree, torus, twisted_torus

SMALL = [
    "mesh:1", "mesh:4x3", "mesh:1x4x1", "mesh:2x3x2x2x2", "torus:1", "torus:1x1", "torus:2x2", "torus:5x4",
    "torus:1x6", "torus:4x1x3", "torus:3x2x2x3x2", "twisted:2x2+1", "twisted:3x2+1", "twisted:8x4",
    "twisted:4x8+3", "tree:2,1", "tree:2,3", "tree:4,2", "thintree:3,2,3", "thintree:4,2,2", "thintree:4,1,1",
    "torus:4x3,c=2", "mesh:3x3x2,c=3", "hyperx:4x3,c=2", "dragonfly:a=4,p=2,h=2,links=relative",
    "dragonfly:a=3,p=1,h=2,g=5,links=circulant", "dragonfly+:leaves=3,spines=2,p=2,h=2", "slimfly:5,p=1",
    "xgft:3;4,3,2;1,2,3",
]  # fmt: skip


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


MADE: list[tuple[str, Callable[[], Topology]]] = [
    ("mesh:5", lambda: mesh((5,))),
    ("torus:1x2x3x1x2", lambda: torus((1, 2, 3, 1, 2))),
    ("twisted:8x4+3", lambda: twisted_torus((8, 4), 3)),
    ("tree:4,3", lambda: kary_ntree(4, 3)),
    ("thintree:4,2,3", lambda: thin_tree(4, 2, 3)),
]


@pytest.mark.parametrize(("text", "make"), MADE)
def test_text_and_constructor_agree(text: str, make: Callable[[], Topology]) -> None:
    assert str(make()) == text
    assert str(parse(text)) == text
    assert (parse(text).neighbor == make().neighbor).all()


@pytest.mark.parametrize("kind", TOPOLOGIES)
def test_every_kind_has_an_example_that_reads_back(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = TOPOLOGIES[kind]
    monkeypatch.chdir(tmp_path)
    nx.write_graphml(nx.cycle_graph(4), "machine.graphml")
    Path("machine.tree").write_text("n0 s0\nn1 s0\n")
    Path("fabric.txt").write_text(
        'Switch\t36 "S-a1"\t# "leaf"\n[1]\t"H-c1"[1](c2)\t# "node" lid 4 4xQDR\nCa\t1 "H-c1"\t# "node"\n'
    )
    Path("topology.conf").write_text("SwitchName=s0 Nodes=n[0-3]\n")
    assert entry.description
    assert str(parse(entry.example)) == entry.example
    assert entry.example.startswith(f"{kind}:")


def test_one_network_has_one_text() -> None:
    assert str(parse("twisted:8x4+4")) == "twisted:8x4"
    assert str(parse("torus: 8x08")) == "torus:8x8"
    assert str(parse("tree:04,3")) == "tree:4,3"
    assert str(mesh(np.array([3, 2]))) == "mesh:3x2"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tours:8x8", r"network 'tours:8x8': unknown name 'tours'; did you mean torus\?"),
        ("torus", r"network 'torus': no numbers given, expected a form such as torus:8x8x8"),
        ("torus:8x0", r"torus:8x0: side 2: 0 is too small, expected at least 1"),
        ("mesh:8,8", r"mesh:8,8: side 1: '8,8' is not a whole number"),
        ("twisted:8x4+9", r"twisted:8x4: twist 9 is too large, expected less than the 8 nodes along X"),
        ("tree:4", r"tree:4: 1 numbers given, expected 2 \(k,n\)"),
        ("thintree:4,2", r"thintree:4,2: 2 numbers given, expected 3 \(ports down,ports up,stages\)"),
    ],
)
def test_what_is_wrong_is_named(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(text)


@pytest.mark.parametrize("text", ["torus:32x32x32", "tree:10,5", "thintree:10,5,5", "twisted:512x256"])
def test_large_networks_are_wired_at_once(text: str) -> None:
    start = time.process_time()
    parse(text)
    assert time.process_time() - start < 1.0
