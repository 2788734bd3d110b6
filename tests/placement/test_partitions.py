"""Partitions: the nodes that each rule gives, and what it refuses."""

from itertools import chain

import numpy as np
import pytest

from netplace.placement import PARTITIONS, partition
from netplace.placement.mapping.cost import cost_matrix
from netplace.topologies import parse


def parts(text: str, network: str, *sizes: int, seed: int = 0) -> list[list[int]]:
    return [nodes.tolist() for nodes in partition(text, parse(network), sizes, seed=seed)]


def test_whole_gives_everything_to_one_job_and_consecutive_nodes_to_several():
    assert parts("whole", "tree:2,2", 3) == [[0, 1, 2, 3]]
    assert parts("whole", "mesh:3x2", 2, 1) == [[0, 1], [2]]


def test_bands_are_as_many_whole_rows_as_a_job_needs():
    assert parts("bands", "torus:3x4", 4, 3) == [[0, 1, 2, 3, 4, 5], [6, 7, 8]]
    assert parts("bands:2", "torus:3x4", 1, 1) == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]
    assert len(parts("bands", "torus:16x16", *[64] * 4)[3]) == 64


def test_columns_are_bands_transposed():
    assert parts("columns", "torus:3x2", 3, 2) == [[0, 3, 1, 4], [2, 5]]
    assert parts("columns:2", "torus:4x3", 1, 1) == [[0, 4, 8, 1, 5, 9], [2, 6, 10, 3, 7, 11]]
    assert parts("columns", "mesh:2x2x3", 4) == [[0, 4, 8, 2, 6, 10]]
    transposed = np.arange(256).reshape(16, 16).T
    for rows, columns in zip(
        parts("bands", "torus:16x16", *[64] * 4), parts("columns", "torus:16x16", *[64] * 4), strict=True
    ):
        assert transposed.ravel()[rows].tolist() == columns


def test_planes_are_whole_xy_planes():
    assert parts("planes", "mesh:2x2x3", 5, 1) == [list(range(8)), [8, 9, 10, 11]]


def test_quadrants_are_quarters_with_x_fastest():
    assert parts("quadrants", "torus:4x4", 4, 4, 4, 1) == [
        [0, 1, 4, 5],
        [2, 3, 6, 7],
        [8, 9, 12, 13],
        [10, 11, 14, 15],
    ]
    assert parts("quadrants", "torus:4x4", 4) == [[0, 1, 4, 5]]


def test_more_than_four_jobs_get_quarters_of_quarters():
    found = parts("quadrants", "torus:32x32", *[64] * 16)
    assert sorted(chain.from_iterable(found)) == list(range(1024))
    assert found[1][:9] == [8, 9, 10, 11, 12, 13, 14, 15, 40]


def test_sub_cubes_halve_every_dimension():
    found = parts("sub-cubes", "torus:4x4x4", *[8] * 8)
    assert found[0] == [0, 1, 4, 5, 16, 17, 20, 21]
    assert found[7] == [42, 43, 46, 47, 58, 59, 62, 63]
    assert sorted(chain.from_iterable(found)) == list(range(64))


def test_boxes_are_packed_or_stand_where_they_are_put():
    assert parts("boxes:3x1", "mesh:7x2", 3, 3, 2) == [[0, 1, 2], [3, 4, 5], [7, 8, 9]]
    assert parts("boxes:2x1@5,1/1x2@0,0", "mesh:7x2", 2, 2) == [[12, 13], [0, 7]]


def test_random_nodes_follow_the_seed_alone():
    first = parts("random", "torus:8x8", 10, 20, seed=1)
    assert first == parts("random", "torus:8x8", 10, 20, seed=1)
    assert first != parts("random", "torus:8x8", 10, 20, seed=2)
    assert all(nodes == sorted(nodes) for nodes in first)
    assert [len(set(nodes)) for nodes in first] == [10, 20]
    assert not set(first[0]) & set(first[1])


def test_random_nodes_are_uniform():
    count = np.zeros(16)
    for seed in range(400):
        count[parts("random", "torus:4x4", 4, seed=seed)[0]] += 1
    assert (abs(count - 100) < 45).all()  # five standard deviations of a binomial of 400 draws at 1/4


def test_nodes_are_taken_in_the_order_listed(tmp_path):
    assert parts("nodes:5,0-2/9", "torus:4x4", 4, 1) == [[5, 0, 1, 2], [9]]
    listing = tmp_path / "nodes.txt"
    listing.write_text("# two jobs\n5, 0-2\n\n9  # alone\n")
    assert parts(f"nodes:{listing}", "torus:4x4", 4, 1) == [[5, 0, 1, 2], [9]]


@pytest.mark.parametrize(
    ("text", "network", "sizes", "message"),
    [
        ("quadrant", "torus:4x4", [4], "partition: unknown name 'quadrant'; did you mean quadrants"),
        ("whole", "torus:4x4", [17], "17 tasks are more than the 16 nodes of torus:4x4"),
        ("bands", "torus:4x4", [5, 9], "2 jobs need 5 rows, but torus:4x4 has 4 of 4 nodes"),
        ("bands:1", "torus:4x4", [8], "the 8 tasks of job 0 do not fit its 4 nodes"),
        ("bands", "tree:4,2", [4], "is defined on meshes and tori, not on tree:4,2"),
        ("planes", "torus:4x4", [4], "torus:4x4 has 2 dimensions, expected at least 3; use bands"),
        ("quadrants", "torus:4x4x4", [4], "torus:4x4x4 has 3 dimensions, expected 2; use sub-cubes"),
        ("quadrants", "torus:5x4", [4], "need 2 equal parts along every side, but a side of torus:5x4 is 5"),
        ("quadrants", "torus:4x4", [5], "the 5 tasks of job 0 do not fit its 4 nodes"),
        ("boxes:3x3", "torus:4x4", [4, 4], "only 1 boxes of 3x3 fit torus:4x4, for 2 jobs"),
        ("boxes:2x2@3,0", "torus:4x4", [4], "2x2@3,0 does not fit torus:4x4: 3 [+] 2 is more than 4"),
        ("boxes:2x2@0,0/2x2@1,1", "torus:4x4", [4, 4], "node 5 is assigned to both job 0 and job 1"),
        ("random", "torus:4x4", [9, 8], "17 tasks are more than the 16 nodes"),
        ("nodes:0-3/3-6", "torus:4x4", [4, 4], "node 3 is assigned to both job 0 and job 1"),
        ("nodes:0-16", "torus:4x4", [4], "node: 16 is too large, expected at most 15"),
        ("nodes:0-3", "torus:4x4", [4, 4], "1 lists given for 2 jobs"),
        ("groups", "dragonfly:a=2,p=2,h=1", [5, 5], "no groups left for the 5 tasks of job 1"),
        ("switches", "torus:4x4", [4], "partition switches: needs nodes at switches"),
        ("boxes:2x2", "service:every=4/torus:4x4", [4] * 3, "only 2 boxes of 2x2 with room in addition"),
        ("quadrants", "service:every=8/torus:4x4", [4, 4, 4], "room for the 4 tasks of job 2 in addition"),
    ],
)
def test_refusals(text, network, sizes, message):
    with pytest.raises(ValueError, match=message):
        partition(text, parse(network), sizes)


@pytest.mark.parametrize("name", PARTITIONS)
def test_every_example_can_be_used(name):
    rule = PARTITIONS[name]
    assert rule.example.split(":")[0] == name
    network = parse("torus:8x4x4" if name in ("planes", "sub-cubes") else "torus:8x8")
    if name in ("groups", "switches", "across-groups"):
        network = parse("dragonfly:a=4,p=2,h=2")
    found = partition(rule.example, network, [5, 5])
    assert [len(nodes) >= 5 for nodes in found] == [True, True]


def test_random_partition_with_a_seed_of_its_own():
    fixed = [parts("random:3", "torus:8x8", 10, 20, seed=seed) for seed in range(3)]
    assert fixed[0] == fixed[1] == fixed[2]
    assert fixed[0] != parts("random:4", "torus:8x8", 10, 20, seed=0)
    with pytest.raises(ValueError, match=r"partition random: seed: 'x' is not a whole number"):
        parts("random:x", "torus:8x8", 10)


MACHINE = parse("dragonfly:a=2,p=2,h=1")  # three groups of four nodes


def test_whole_groups() -> None:
    parts = partition("groups", MACHINE, [3, 5])
    assert [part.tolist() for part in parts] == [[0, 1, 2, 3], [4, 5, 6, 7, 8, 9, 10, 11]]


def test_whole_switches() -> None:
    parts = partition("switches", MACHINE, [3, 1])
    assert [part.tolist() for part in parts] == [[0, 1, 2, 3], [4, 5]]


def test_across_groups() -> None:
    parts = partition("across-groups", MACHINE, [3, 4])
    assert [part.tolist() for part in parts] == [[0, 4, 8], [1, 5, 9, 2]]


def test_td_between_switches_of_a_grid() -> None:
    # On 4x4 switches with 2 nodes: node 0 at (0, 0), node 30 at (3, 3); 1 + 1 hops round the rings.
    network = parse("torus:4x4,c=2")
    assert network.distances()[0, 30] == 4
    assert cost_matrix(network, criterion="td")[0, [1, 2, 4, 30]].tolist() == [2, 3 + 1, 4 + 2, 4]
    hyperx = parse("hyperx:4x4,c=2")
    assert cost_matrix(hyperx, criterion="td")[0, [1, 2, 4, 30]].tolist() == [2, 4, 4, 4]
    with pytest.raises(ValueError, match=r"criterion td: is defined on meshes and tori"):
        cost_matrix(MACHINE, criterion="td")


@pytest.mark.parametrize(
    ("rule", "network", "sizes", "first"),
    [
        ("boxes:2x2", "service:nodes=0/torus:4x4", [4, 3], [2, 1]),
        ("boxes:2x2", "service:nodes=0/torus:4x4", [3, 4], [1, 2]),
        ("quadrants", "service:nodes=0/torus:4x4", [4, 4], [2, 8]),
        ("sub-cubes", "service:nodes=0/mesh:4x4x4", [8, 8], [2, 8]),
        ("bands", "service:nodes=0/torus:4x4", [4, 4], [1, 8]),
        ("boxes:2x2", "service:nodes=0/torus:4x4", [4, 4, 2, 4], [2, 8, 1, 10]),
        ("bands", "service:nodes=0/torus:4x4", [3, 4], [1, 4]),
        ("columns", "service:nodes=4/torus:4x4", [4, 4], [0, 2]),
        ("columns", "service:nodes=2/torus:4x4", [4, 4], [0, 1]),
        ("planes", "service:nodes=0/mesh:2x2x4", [4, 4], [1, 8]),
        ("groups", "service:nodes=0/dragonfly:a=2,p=2,h=1", [4, 4], [1, 8]),
        ("switches", "service:nodes=0/torus:4x4,c=2", [2, 2], [1, 4]),
        ("across-groups", "service:nodes=0/dragonfly:a=2,p=2,h=1", [2, 2], [4, 1]),
    ],
)
def test_what_service_nodes_make_too_small_is_passed_over(rule, network, sizes, first):
    topology = parse(network)
    parts = partition(rule, topology, sizes)
    assert [int(part[0]) for part in parts] == first
    for part, size in zip(parts, sizes, strict=True):
        assert len(part) >= size
        assert not np.isin(part, topology.service).any()
