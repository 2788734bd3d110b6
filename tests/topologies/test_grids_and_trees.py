"""Meshes, tori, twisted tori and trees: numbering, wiring, records, levels."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from netplace.topologies import Grid, Tree, kary_ntree, mesh, parse, thin_tree, torus, twisted_torus


@st.composite
def grids(draw: st.DrawFn, most: int = 60) -> Grid:
    """Return a small grid of up to five dimensions, short sides likely."""
    kind = draw(st.sampled_from(["mesh", "torus", "twisted"]))
    if kind == "twisted":
        side = st.integers(2, 12)
        sides = draw(st.lists(side, min_size=2, max_size=3).filter(lambda s: math.prod(s) <= most))
        return twisted_torus(sides, draw(st.integers(1, sides[0] - 1)))
    side = st.integers(1, 7)
    sides = draw(st.lists(side, min_size=1, max_size=5).filter(lambda s: math.prod(s) <= most))
    return mesh(sides) if kind == "mesh" else torus(sides)


def walk(network: Grid, node: int, record: tuple[int, ...]) -> int:
    """Return where a packet ends that makes the hops of its record; -1 off the edge of a mesh."""
    for d, hops in enumerate(record):
        for _ in range(abs(hops)):
            if node >= 0:
                node = int(network.neighbor[node, 2 * d + (hops < 0)])
    return node


def test_x_varies_fastest() -> None:
    network = torus((4, 3, 2))
    assert network.coordinates([0, 1, 4, 12, 23]).tolist() == [
        [0, 0, 0],
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
        [3, 2, 1],
    ]
    assert network.node([[1, 2, 0], [3, 0, 1]]).tolist() == [9, 15]
    assert int(network.node((3, 2, 1))) == 23


def test_ports_of_a_torus_go_round() -> None:
    network = torus((3, 2))
    assert network.neighbor.tolist() == [
        [1, 2, 3, 3],
        [2, 0, 4, 4],
        [0, 1, 5, 5],
        [4, 5, 0, 0],
        [5, 3, 1, 1],
        [3, 4, 2, 2],
    ]


def test_a_side_of_two_has_parallel_links() -> None:
    network = torus((2, 3))
    assert network.neighbor[0, :2].tolist() == [1, 1]
    assert network.to_networkx().number_of_edges(0, 1) == 2
    assert len(np.unique(network.link_number[0, :2])) == 2
    assert network.records(0, 1).tolist() == [[-1, 0], [1, 0]]
    assert mesh((2, 3)).records(0, 1).tolist() == [[1, 0]]
    assert mesh((2, 3)).neighbor[0, :2].tolist() == [1, -1]


def test_a_single_node_is_a_network_without_links() -> None:
    for network in (torus((1,)), mesh((1, 1))):
        assert network.links().shape == (0, 4)
        assert network.records(0, 0).tolist() == [[0] * network.dims]
        assert (network.diameter, network.average_distance, network.bisection_width) == (0, 0.0, 0)


@given(grids())
def test_the_way_back_is_the_other_port_of_the_dimension(network: Grid) -> None:
    router, port, end, entry = network.links().T
    assert np.array_equal(entry, port)
    assert np.array_equal(network.neighbor[end, port ^ 1], router)


@given(grids(), st.data())
def test_records_are_all_minimal_walks_and_no_others(network: Grid, data: st.DataObject) -> None:
    a = data.draw(st.integers(0, network.nodes - 1))
    b = data.draw(st.integers(0, network.nodes - 1))
    records = network.records(a, b)
    hops = int(network.distance(a, b))
    steps = itertools.product(range(-hops, hops + 1), repeat=network.dims)
    minimal = [record for record in steps if sum(map(abs, record)) == hops]
    assert records.tolist() == [list(record) for record in minimal if walk(network, a, record) == b]
    assert network.dimension_distances(a, b).tolist() == np.abs(records[0]).tolist()


@given(grids())
def test_coordinates_and_node_are_inverse(network: Grid) -> None:
    nodes = np.arange(network.nodes).reshape(1, -1)
    place = network.coordinates(nodes)
    assert place.shape == (1, network.nodes, network.dims)
    assert np.array_equal(network.node(place), nodes)


@given(grids())
def test_dimension_distances_add_up(network: Grid) -> None:
    nodes = np.arange(network.nodes)
    split = network.dimension_distances(nodes[:, None], nodes)
    assert split.shape == (network.nodes, network.nodes, network.dims)
    assert np.array_equal(split.sum(axis=-1), network.distances())
    assert np.array_equal(network.distances(), network.distances().T)


@given(grids().filter(lambda network: network.wraps), st.data())
def test_records_depend_on_the_difference_alone(network: Grid, data: st.DataObject) -> None:
    a = data.draw(st.integers(0, network.nodes - 1))
    b = data.draw(st.integers(0, network.nodes - 1))
    assert np.array_equal(network.records(a, b), network.records(0, int(network.difference(a, b))))


def test_a_mesh_has_no_differences() -> None:
    with pytest.raises(ValueError, match=r"mesh:3x3: the nodes of a mesh are not equivalent"):
        mesh((3, 3)).difference(0, 1)


@pytest.mark.parametrize(
    ("coordinates", "message"),
    [
        ((3, 0), r"coordinates: \[3, 0\] are not all whole numbers inside torus:3x3"),
        ((0, -1), r"coordinates: \[0, -1\] are not all whole numbers inside torus:3x3"),
    ],
)
def test_places_outside_are_refused(coordinates: ArrayLike, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        torus((3, 3)).node(coordinates)


def test_large_grids_answer_without_a_matrix() -> None:
    network = parse("torus:32x32x32")
    assert (network.nodes, network.diameter, network.bisection_width) == (32768, 48, 2048)
    assert network.average_distance == pytest.approx(24 * 32768 / 32767)
    assert parse("mesh:32x32x32").average_distance == pytest.approx(3 * (32**2 - 1) / 96 * 32768 / 32767)


def test_passing_the_end_of_y_shifts_along_x() -> None:
    network = twisted_torus((8, 4), 3)
    assert int(network.neighbor[network.node((1, 3)), 2]) == int(network.node((4, 0)))
    assert int(network.neighbor[network.node((6, 3)), 2]) == int(network.node((1, 0)))
    assert int(network.neighbor[network.node((1, 0)), 3]) == int(network.node((6, 3)))
    assert int(network.neighbor[network.node((7, 2)), 0]) == int(network.node((0, 2)))
    inside = network.coordinates(np.arange(32))[:, 1] < 3
    assert np.array_equal(network.neighbor[inside, 2], np.flatnonzero(inside) + 8)


def test_x_is_shifted_even_if_it_is_the_shorter_side() -> None:
    network = twisted_torus((4, 8), 3)
    assert int(network.neighbor[network.node((2, 7)), 2]) == int(network.node((1, 0)))
    assert int(network.neighbor[network.node((3, 1)), 0]) == int(network.node((0, 1)))


def test_the_default_twist_is_the_shorter_side_and_not_written() -> None:
    assert twisted_torus((8, 4)).twist == 4
    assert str(twisted_torus((8, 4))) == "twisted:8x4"
    assert str(twisted_torus((8, 4), 4)) == "twisted:8x4"
    assert str(twisted_torus((8, 4), 3)) == "twisted:8x4+3"


def link_loads(network: Grid) -> np.ndarray:
    """Return the mean hops in each dimension over all destinations, minimal routes alike."""
    routes = [np.abs(network.records(0, b)).mean(axis=0) for b in range(1, network.nodes)]
    return np.asarray(np.sum(routes, axis=0))


@pytest.mark.parametrize(("a", "diameter"), [(2, 3), (3, 4), (4, 6)])
def test_the_prismatic_doubly_twisted_torus_balances_its_links(a: int, diameter: int) -> None:
    network = twisted_torus((2 * a, a, a))
    assert network.diameter == diameter < torus((2 * a, a, a)).diameter
    assert link_loads(network) == pytest.approx(link_loads(network)[[1, 2, 0]])
    assert int(network.neighbor[network.node((1, 0, a - 1)), 4]) == int(network.node((1 + a, 0, 0)))


@pytest.mark.parametrize("a", [2, 3, 4, 5, 8])
def test_twice_as_long_as_wide_it_balances_its_links(a: int) -> None:
    # Cámara et al. 2010: the rectangular twisted torus of 2a x a nodes is edge-symmetric, of diameter a.
    network = twisted_torus((2 * a, a))
    plain = torus((2 * a, a))
    assert network.diameter == a < plain.diameter
    assert network.average_distance < plain.average_distance
    x, y = link_loads(network)
    assert x == pytest.approx(y)
    assert network.bisection_width >= 2 * plain.bisection_width * (a % 2 == 0)


@pytest.mark.parametrize(
    ("sides", "twist", "message"),
    [
        ((8,), 3, r"twisted:8: 1 side given, expected at least two for a twisted torus"),
        ((8, 1), 3, r"twisted:8x1: a side of 1 has no ring"),
        ((8, 8), None, r"twisted:8x8: .* needs X longer than Y, expected a twist such as twisted:8x8\+4"),
        ((8, 4), 8, r"twisted:8x4: twist 8 is too large, expected less than the 8 nodes along X"),
    ],
)
def test_what_cannot_be_twisted_is_refused(sides: tuple[int, ...], twist: int | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        twisted_torus(sides, twist)


@pytest.mark.parametrize("sides", [(2, 2), (3, 3), (8, 8), (2, 9), (5, 8)])
def test_the_twist_offered_instead_of_the_default_is_accepted(sides: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="expected a twist such as ") as caught:
        twisted_torus(sides)
    offered = str(caught.value).split(" such as ")[1]
    assert str(parse(offered)) == offered


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Return a small k-ary n-tree or thin tree."""
    down, stages = draw(st.integers(2, 5)), draw(st.integers(1, 4))
    stages = min(stages, 3) if down > 3 else stages
    up = draw(st.integers(1, down))
    return kary_ntree(down, stages) if up == down else thin_tree(down, up, stages)


@given(trees())
def test_links_join_the_switches_that_the_rule_names(network: Tree) -> None:
    D, U = network.down, network.up
    first = network.first_switches
    for i in range(network.nodes):
        assert network.neighbor[i].tolist() == [first[0] + i // D] + [-1] * (D + U - 1)
        assert network.entry[i, 0] == U + i % D
    for s in range(network.stages):
        for r in range(network.switches_per_stage[s]):
            for p in range(U):
                end, entry = network.neighbor[first[s] + r, p], network.entry[first[s] + r, p]
                if s == network.stages - 1:
                    assert end == entry == -1
                    continue
                assert end == first[s + 1] + U ** (s + 1) * (r // (D * U**s)) + p * U**s + r % U**s
                assert entry == U + (r // U**s) % D


@given(trees())
def test_following_a_link_and_its_reverse_leads_back(network: Tree) -> None:
    router, port, end, entry = network.links().T
    assert np.array_equal(network.neighbor[end, entry], router)
    assert np.array_equal(network.entry[end, entry], port)
    wired = network.nodes * 2 + 2 * network.up * sum(network.switches_per_stage[:-1])
    assert len(router) == wired


@given(trees(), st.data())
def test_any_way_up_to_the_common_level_and_the_forced_ports_lead_down(
    network: Tree, data: st.DataObject
) -> None:
    a = data.draw(st.integers(0, network.nodes - 1))
    b = data.draw(st.integers(0, network.nodes - 1))
    level = int(network.level(a, b))
    assert int(network.distance(a, b)) == 2 * level
    place = a
    for stage in range(level):
        place = int(network.neighbor[place, data.draw(st.integers(0, network.up - 1)) if stage else 0])
        assert int(network.stage_of(place)) == stage
    for stage in reversed(range(level)):
        place = int(network.neighbor[place, network.up + b // network.down**stage % network.down])
    assert place == b


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        (
            (4, 4, 3),
            r"thintree:4,4,3: 4 ports up are too many, .* fewer than the 4 down \(as many: tree:4,3\)",
        ),
        ((2, 4, 3), r"thintree:2,4,3: 4 ports up are too many"),
    ],
)
def test_wrong_numbers_of_a_thin_tree(numbers: tuple[int, int, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        thin_tree(*numbers)


@pytest.mark.parametrize(("k", "n"), [(2, 1), (2, 4), (3, 3), (4, 2)])
def test_a_butterfly_has_one_route_between_nodes_through_each_stage(k, n):
    network = parse(f"fly:{k},{n}")
    ways, wide = network.ways, k ** (n - 1)
    assert network.routers == k**n + n * wide
    for source, target in itertools.product(range(k**n), repeat=2):
        at, stages = source, []
        while at != target:
            at = network.neighbor[at, ways[at, target]]
            stages.append((at - k**n) // wide)
        assert source == target or stages[:-1] == list(range(n))
    wired = network.neighbor >= 0
    ports = set(zip(network.neighbor[wired].tolist(), network.entry[wired].tolist(), strict=True))
    assert len(ports) == wired.sum() == k**n + n * k**n  # one link for each input
