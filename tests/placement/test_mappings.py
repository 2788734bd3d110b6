"""Mappings: the node that each rule gives to each task, cost criteria, and what is refused."""

import sys

import numpy as np
import pytest

from netplace.apps import application
from netplace.placement import MAPPINGS, map_tasks, partition
from netplace.placement.mapping import CRITERIA, cost_matrix, find_mapping, optimise
from netplace.topologies import parse


def nodes_of(text: str, network: str, tasks: int, **options) -> list[int]:
    return map_tasks(text, parse(network), tasks, **options).tolist()


def test_consecutive_follows_the_partition():
    assert nodes_of("consecutive", "torus:4x4", 3) == [0, 1, 2]
    assert nodes_of("consecutive", "torus:4x4", 3, nodes=[9, 4, 7, 1]) == [9, 4, 7]


def test_column_order_runs_along_the_last_dimension():
    assert nodes_of("column", "mesh:3x2", 6) == [0, 3, 1, 4, 2, 5]
    assert nodes_of("column", "mesh:2x2x2", 8) == [0, 4, 2, 6, 1, 5, 3, 7]


def test_column_order_within_a_partition():
    [part] = partition("boxes:2x3@1,1", parse("torus:4x4"), [6])
    assert nodes_of("column", "torus:4x4", 6, nodes=part) == [5, 9, 13, 6, 10, 14]


def test_shuffle_deals_tasks_to_the_leaf_switches_in_turn():
    assert nodes_of("shuffle", "tree:4,2", 6) == [0, 4, 8, 12, 1, 5]
    assert nodes_of("shuffle", "thintree:4,2,2", 16)[4:8] == [1, 5, 9, 13]


def test_shuffle_of_a_partition_that_leaves_switches_uneven():
    assert nodes_of("shuffle", "tree:4,2", 5, nodes=[0, 1, 2, 4, 12]) == [0, 4, 12, 1, 2]


def test_random_is_a_permutation_that_follows_seed_and_job():
    drawn = nodes_of("random", "torus:8x8", 64, seed=3)
    assert sorted(drawn) == list(range(64))
    assert drawn == nodes_of("random", "torus:8x8", 64, seed=3)
    assert drawn != nodes_of("random", "torus:8x8", 64, seed=4)
    assert drawn != nodes_of("random", "torus:8x8", 64, seed=3, job=1)


def test_random_takes_every_order_equally_often():
    orders = [tuple(nodes_of("random", "mesh:3", 3, seed=seed)) for seed in range(600)]
    counts = np.unique(orders, axis=0, return_counts=True)[1]
    assert len(counts) == 6
    assert (abs(counts - 100) < 46).all()  # five standard deviations of a binomial of 600 draws at 1/6


@pytest.mark.parametrize(
    "text", ["task,node\n1,7\n0,3\n", "1, 7\n\n0, 3  # the first\n", "node\n3\n7\n", "3\n7\n"]
)
def test_a_file_gives_the_nodes(tmp_path, text):
    path = tmp_path / "nodes.csv"
    path.write_text(text)
    assert nodes_of(f"file:{path}", "torus:4x4", 2) == [3, 7]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,3\n1,3\n", r"nodes\.csv:2: node 3 is assigned to both task 0 and task 1"),
        ("0,3\n", r"nodes\.csv: task 1 has no node \(1 of 2 missing\)"),
        ("0,3\n1,16\n", r"nodes\.csv:2: node 16 is not one of the 16 available nodes"),
        ("0,3\n1,x\n", r"nodes\.csv:2: node: 'x' is not a whole number"),
    ],
)
def test_a_file_names_the_line_at_fault(tmp_path, text, message):
    path = tmp_path / "nodes.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        nodes_of(f"file:{path}", "torus:4x4", 2)


def test_a_file_that_is_none(tmp_path):
    (tmp_path / "binary").write_bytes(b"\xff\x00")
    with pytest.raises(ValueError, match="is not a text file"):
        nodes_of(f"file:{tmp_path / 'binary'}", "torus:4x4", 2)
    with pytest.raises(OSError, match="No such file"):
        nodes_of(f"file:{tmp_path / 'none'}", "torus:4x4", 2)
    with pytest.raises(ValueError, match="no path given"):
        nodes_of("file", "torus:4x4", 2)


@pytest.mark.parametrize(
    ("text", "network", "message"),
    [
        ("consecutive", "torus:2x2", "mapping consecutive: 5 tasks are more than the 4 available nodes"),
        ("column", "tree:4,2", "is defined on meshes and tori, not on tree:4,2"),
    ],
)
def test_refusals(text, network, message):
    with pytest.raises(ValueError, match=message):
        map_tasks(text, parse(network), 5)


@pytest.mark.parametrize("name", [name for name in MAPPINGS if name not in ("file", "hosts")])
def test_every_rule_gives_each_task_a_node_of_its_own(name):
    network = "tree:4,2" if name in ("shuffle", "treematch") else "torus:4x4"
    nodes = range(4, 16) if name == "treematch" else range(2, 14)  # three whole subtrees, or any nodes
    program = application("2d-mesh", 10)
    text = name if MAPPINGS[name].option else MAPPINGS[name].example
    found = find_mapping(
        text, parse(network), 10, nodes=nodes, program=program, run_time=lambda nodes, limit: 1
    ).mapping.tolist()
    assert len(set(found)) == 10
    assert set(found) <= set(nodes)


def test_a_result_says_how_the_mapping_was_found():
    torus, program = parse("torus:4x4"), application("2d-torus", 16)
    found = find_mapping("random", torus, 16, seed=3)
    assert (found.method, found.iterations) == ("random", 0)
    assert found.cost != found.cost  # a permutation makes nothing small
    found = find_mapping("classic:grasp,iterations=2", torus, 16, program=program)
    assert (found.method, found.iterations) == ("grasp", 2)
    assert found.cost == (program.traffic().W * torus.distances(found.mapping)).sum()


def test_traffic_of_ones_own_takes_the_place_of_a_program():
    W = np.zeros((4, 4))
    W[0, 3] = W[3, 0] = 5
    found = find_mapping("classic:iterations=200", parse("mesh:4"), 4, W=W)
    assert abs(found.mapping[0] - found.mapping[3]) == 1
    assert found.cost == 10
    with pytest.raises(ValueError, match=r"mapping classic: traffic W has shape \(4, 4\), expected 3 rows"):
        find_mapping("classic", parse("mesh:4"), 3, W=W)


def by_first_node(times):
    """Return a run time that depends on the node of task 0, and the list of what was asked."""
    asked = []

    def run_time(nodes, limit):
        asked.append((int(nodes[0]), limit))
        cycles = times[int(nodes[0])]
        return None if limit is not None and cycles >= limit else cycles

    return run_time, asked


def test_best_is_the_fastest_candidate():
    program = application("2d-mesh", 4)
    run_time, asked = by_first_node([70, 50, 90, 60])
    found = find_mapping("best:20", parse("mesh:2x2"), 4, program=program, run_time=run_time)
    assert (found.mapping[0], found.cost) == (1, 50)
    assert found.method.startswith("random") or found.method in ("classic", "td", "link-load")
    assert asked[0] == (0, None)  # consecutive
    assert [limit for _, limit in asked[1:]] == sorted((limit for _, limit in asked[1:]), reverse=True)
    assert found.iterations == len(asked) <= 25  # the same nodes are not tried twice


@pytest.mark.parametrize(("network", "rule"), [("tree:4,2", "shuffle"), ("torus:4x4", "column")])
def test_best_takes_what_the_network_defines(network, rule):
    program, asked = application("2d-mesh", 16), []

    def run_time(nodes, limit):
        asked.append(nodes.tolist())

    found = find_mapping("best:0", parse(network), 16, program=program, run_time=run_time)
    assert (found.method, found.cost) == ("consecutive", np.inf)  # none comes to its end: the first
    assert nodes_of(rule, network, 16) in asked


def tried_by_best(number, seed=0):
    """Return the mappings that ``best`` with so many random ones simulates."""
    asked, program = [], application("butterfly", 16)
    run_time = lambda nodes, _: asked.append(nodes.tolist())  # noqa: E731
    find_mapping(f"best:{number}", parse("torus:4x4"), 16, program=program, seed=seed, run_time=run_time)
    return asked


def test_best_tries_the_mapping_by_link_loads(monkeypatch):
    assert len(tried_by_best(0)) == 5  # consecutive, column, classic, td, link-load
    monkeypatch.setattr(sys.modules["netplace.placement.mapping.link_load"], "MOST_SWITCHES", 15)
    with pytest.raises(ValueError, match="more than 15"):
        map_tasks("link-load", parse("torus:4x4"), 16, program=application("butterfly", 16))
    assert len(tried_by_best(0)) == 4  # too large for it alone


def test_best_follows_the_seed():
    assert tried_by_best(2, 1) == tried_by_best(2, 1) != tried_by_best(2, 2)


def test_best_needs_a_simulator():
    with pytest.raises(ValueError, match="mapping best: simulates a program on every candidate"):
        map_tasks("best", parse("torus:4x4"), 4)
    with pytest.raises(ValueError, match="mapping best: random permutations: 'x' is not a whole number"):
        find_mapping("best:x", parse("torus:4x4"), 4, W=np.ones((4, 4)), run_time=lambda *_: 1)


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
        ("torus:4x4", "oversubscription", "is defined on trees, not on torus:4x4; use classic or td"),
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


def test_a_rule_of_ones_own():
    def backwards(problem):
        return problem.nodes[::-1][: problem.tasks]

    assert map_tasks(backwards, parse("mesh:4"), 2).tolist() == [3, 2]
    with pytest.raises(ValueError, match="the rule did not assign a different node to each of 2 tasks"):
        map_tasks(lambda problem: [1, 1], parse("mesh:4"), 2)


@pytest.mark.parametrize(
    ("rule", "network", "message"),
    [
        ("classic:grap", "torus:4x4", "mapping classic: method: unknown name 'grap'; did you mean grasp"),
        ("classic:criterion=tdd", "torus:4x4", "criterion: unknown name 'tdd'; did you mean td"),
    ],
)
def test_searches_that_are_refused(rule, network, message):
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
