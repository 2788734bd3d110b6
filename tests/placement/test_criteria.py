"""Cost criteria, and the mappings that minimise them."""

import numpy as np
import pytest

from netplace.apps import application
from netplace.placement import map_tasks, partition
from netplace.placement.mapping import CRITERIA, cost_matrix, find_mapping, optimise
from netplace.topologies import parse


def test_classic_is_the_distance_in_hops():
    torus = parse("torus:4x4")
    assert (cost_matrix(torus) == torus.distances()).all()
    assert cost_matrix(torus, [0, 3, 10]).tolist() == [[0, 1, 4], [1, 0, 3], [4, 3, 0]]


def test_td_adds_the_asymmetry_of_two_dimensions():
    # From (0, 0): (1, 1) costs 2 + 0, (2, 0) costs 2 + 2, (3, 1) on a torus is (1, 1) away.
    assert cost_matrix(parse("torus:4x4"), [0, 5, 2, 7], "td")[0].tolist() == [0, 2, 4, 2]
    assert cost_matrix(parse("mesh:4x4"), [0, 7], "td")[0, 1] == 4 + 2


def test_td_adds_every_pair_of_dimensions():
    # (3, 1, 0): 4 hops and |3 - 1| + |3 - 0| + |1 - 0|; in four dimensions (1, 1, 1, 0): 3 hops and 3.
    mesh = parse("mesh:4x4x4")
    assert cost_matrix(mesh, mesh.node([[0, 0, 0], [3, 1, 0]]), "td")[0, 1] == 10
    four = parse("torus:3x3x3x3")
    assert cost_matrix(four, four.node([[0, 0, 0, 0], [2, 1, 1, 0]]), "td")[0, 1] == 6


def test_td_of_many_nodes_is_that_of_few():
    # More pairs than are taken at a time.
    torus = parse("torus:36x36")
    whole = cost_matrix(torus, criterion="td")
    few = np.array([0, 17, 700, 1295])
    assert (whole[np.ix_(few, few)] == cost_matrix(torus, few, "td")).all()


def test_hops_on_trees_and_weighted_by_oversubscription():
    thin = parse("thintree:4,2,3")
    nodes = [0, 1, 4, 16]
    assert cost_matrix(thin, nodes)[0].tolist() == [0, 2, 4, 6]
    assert cost_matrix(thin, nodes, "oversubscription")[0].tolist() == [0, 2, 2 + 4, 2 + 4 + 8]
    fat = parse("tree:4,3")
    assert (cost_matrix(fat, criterion="oversubscription") == fat.distances()).all()


def test_a_criterion_of_ones_own():
    def crossings(topology, nodes):
        x = topology.coordinates(nodes)[:, 0]
        return np.abs(x[:, None] - x)

    assert cost_matrix(parse("mesh:3x2"), [0, 5], crossings).tolist() == [[0, 2], [2, 0]]


@pytest.mark.parametrize(
    ("network", "criterion", "message"),
    [
        ("tree:4,2", "td", "is defined on meshes and tori, not on tree:4,2; use classic or oversubscription"),
        ("torus:4x4", "oversubscription", "is defined on trees, not on torus:4x4; use classic or td"),
        ("torus:4x4", "clasic", "criterion: unknown name 'clasic'; did you mean classic"),
        ("torus:4x4", lambda topology, nodes: [[0]], r"gives shape \(1, 1\), expected 3 rows and columns"),
        (
            "torus:4x4",
            lambda topology, nodes: np.where(np.eye(3) > 0, 0, np.inf),
            "nodes 1 and 2 of the partition are not connected",
        ),
    ],
)
def test_criteria_that_cannot_be_had(network, criterion, message):
    with pytest.raises(ValueError, match=message):
        cost_matrix(parse(network), [1, 2, 3], criterion)


def test_optimise_gives_nodes_of_the_partition():
    torus, W = parse("torus:8x8"), application("2d-mesh", 16).traffic().W
    [part] = partition("boxes:4x4@2,3", torus, [16])
    found = optimise(W, torus, nodes=part, iterations=5000)
    assert set(found.mapping.tolist()) == set(part.tolist())
    assert found.cost == (W * torus.distances(found.mapping)).sum() == W.sum()  # all neighbours side by side


@pytest.mark.parametrize("criterion", ["classic", "td"])
def test_mappings_by_name_beat_the_order_of_tasks(criterion):
    torus, program = parse("torus:4x4x2"), application("butterfly", 32)
    W = program.traffic().W
    nodes = map_tasks(f"{criterion}:iterations=2000", torus, 32, program=program)
    assert (W * cost_matrix(torus, nodes, criterion)).sum() < (W * cost_matrix(torus, None, criterion)).sum()


def test_classic_with_another_criterion():
    thin, program = parse("thintree:4,2,2"), application("butterfly", 16)
    rule = "classic:grasp,iterations=2,criterion=oversubscription"
    found = find_mapping(rule, thin, 16, program=program)
    C = cost_matrix(thin, found.mapping, "oversubscription")
    assert found.cost == (program.traffic().W * C).sum()


def test_mappings_follow_the_seed():
    torus, program = parse("torus:4x4"), application("butterfly", 16)
    one, same, other = (
        map_tasks("td:grasp,iterations=2", torus, 16, program=program, seed=seed).tolist()
        for seed in (1, 1, 2)
    )
    assert one == same != other


def test_a_rule_of_ones_own():
    def backwards(problem):
        return problem.nodes[::-1][: problem.tasks]

    assert map_tasks(backwards, parse("mesh:4"), 2).tolist() == [3, 2]
    with pytest.raises(ValueError, match="the rule did not assign a different node to each of 2 tasks"):
        map_tasks(lambda problem: [1, 1], parse("mesh:4"), 2)


@pytest.mark.parametrize(
    ("rule", "network", "message"),
    [
        ("td", "tree:4,2", "criterion td: is defined on meshes and tori, not on tree:4,2; use classic"),
        ("classic:grap", "torus:4x4", "mapping classic: method: unknown name 'grap'; did you mean grasp"),
        ("td:second=1", "torus:4x4", "mapping td: limit: unknown name 'second'; did you mean seconds"),
        ("td:criterion=classic", "torus:4x4", "mapping td: limit: unknown name 'criterion'"),
        ("classic:criterion=tdd", "torus:4x4", "criterion: unknown name 'tdd'; did you mean td"),
        ("td:seconds=0", "torus:4x4", "seconds of a mapping search: 0 is out of range"),
        ("td:iterations=0", "torus:4x4", "iterations of a mapping search: 0 is too small"),
    ],
)
def test_refusals(rule, network, message):
    with pytest.raises(ValueError, match=message):
        map_tasks(rule, parse(network), 16, program=application("2d-mesh", 16))


def test_traffic_is_needed_and_must_fit():
    with pytest.raises(ValueError, match="mapping classic: needs the traffic of a program"):
        map_tasks("classic", parse("torus:4x4"), 16)
    with pytest.raises(ValueError, match="mapping td: the program has 9 tasks, expected 16"):
        map_tasks("td", parse("torus:4x4"), 16, program=application("2d-mesh", 9))


@pytest.mark.parametrize("name", CRITERIA)
def test_every_criterion_is_zero_on_the_diagonal_and_symmetric(name):
    network = parse("thintree:4,2,2" if name == "oversubscription" else "torus:5x3")
    costs = cost_matrix(network, criterion=name)
    assert (np.diagonal(costs) == 0).all()
    assert (costs == costs.T).all()
