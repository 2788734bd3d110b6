"""Sets and costs of nodes that are given beside the levels of a topology."""

import numpy as np
import pytest
from lives import a_job

from netplace.scheduling import Job
from netplace.scheduling.partitioner import make_partitioner
from netplace.scheduling.partitioner.pss.derive import levels, node_costs, plain_levels, wiring_levels
from netplace.scheduling.partitioner.pss.sets import given_sets
from netplace.topologies import Graph, parse


def test_line_cards_are_consecutive():
    assert given_sets("cards:3", 8) == [([0, 1, 2], 1), ([3, 4, 5], 1), ([6, 7], 1)]


def test_sets_of_a_file(tmp_path):
    path = tmp_path / "racks.txt"
    path.write_text("# two racks\n0-2, 7\n\n4 3 # the other\n")
    assert given_sets(str(path), 8) == [([0, 1, 2, 7], 1), ([3, 4], 1)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "has no sets, expected lines such as 0-11, 24"),
        ("0-3\n4-x", ":2: node: 'x' is not a whole number"),
        ("0-3\n\n4-8", ":3: node: 8 is too large, expected at most 7"),
        ("3-1", ":1: node: range '3-1' is decreasing"),
        ("0-3, 2", ":1: node 2 appears twice"),
    ],
)
def test_mistakes_in_a_file_of_sets(tmp_path, text, told):
    path = tmp_path / "racks.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"racks\.txt") as error:
        given_sets(str(path), 8)
    assert told in str(error.value)


@pytest.mark.parametrize("text", ["cards:", "cards:0", "cards:x", "cards:-2"])
def test_mistakes_in_cards(text):
    with pytest.raises(ValueError, match="expected a form such as cards:12"):
        given_sets(text, 8)


def test_other_hierarchies_are_components_of_their_own():
    machine, cards = parse("tree:2,3"), given_sets("cards:3", 8)
    sets = levels(machine, front=[cards], behind=[given_sets("cards:8", 8)])
    # Cards, halves, leaf switches, the whole machine, nodes.
    assert sets.vectors.shape == (3 + 2 + 4 + 1 + 8, 5)
    assert sets.cost([0, 1]) == (1, 1, 1, 1, 2)
    assert sets.cost([2, 3]) == (2, 1, 1, 1, 2)


def test_hops_to_input_and_output():
    machine = parse("mesh:4x4")
    costs = node_costs(machine, "io:0+15")
    places = machine.coordinates(np.arange(16))
    assert costs.tolist() == [1 + min(x + y, 6 - x - y) for x, y in places.tolist()]
    assert node_costs(machine, "io:4-6").tolist()[4:7] == [1, 1, 1]
    assert make_partitioner("pss:levels,io:15", machine).find(a_job(1)).nodes.tolist() == [15]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("io", "expected uniform, centre or a form such as io:0[+]63"),
        ("io:16", "node: 16 is too large, expected at most 15"),
        ("oi:0", "unknown name 'oi'; did you mean io"),
    ],
)
def test_mistakes_in_costs_of_nodes(text, told):
    with pytest.raises(ValueError, match=told):
        node_costs(parse("mesh:4x4"), text)


def test_a_hypercube_has_sub_cubes():
    machine = parse("hypercube:4")
    found = plain_levels(machine)
    assert [len(level) for level in found] == [2, 4, 8]
    for dims, level in zip((3, 2, 1), found, strict=True):
        for members, weight in level:
            assert weight == 1
            assert machine.distances(np.array(members)).max() == dims
            assert len(members) == 2**dims
    assert make_partitioner("pss:levels", machine).find(a_job(8)).nodes.tolist() in (
        list(range(8)),
        list(range(8, 16)),
    )


def test_groups_come_before_switches() -> None:
    network = parse("dragonfly:a=2,p=2,h=1")
    assert isinstance(network, Graph)
    groups, switches = wiring_levels(network)
    assert groups == [([0, 1, 2, 3], 1), ([4, 5, 6, 7], 1), ([8, 9, 10, 11], 1)]
    assert [members for members, _ in switches] == [[2 * n, 2 * n + 1] for n in range(6)]


def test_a_job_gets_one_group_where_it_fits() -> None:
    network = parse("dragonfly:a=4,p=2,h=2")
    partitioner = make_partitioner("pss:levels", network)
    first = partitioner.find(Job(0, 0, 4, 10.0))
    assert first is not None
    partitioner.take(first)
    second = partitioner.find(Job(1, 0, 8, 10.0))
    assert second is not None
    assert len({int(node) // 8 for node in second.nodes}) == 1
    assert not set(second.nodes.tolist()) & set(first.nodes.tolist())
