"""What Slurm's own rules choose, on cases worked out by hand."""

import numpy as np
import pytest

from netplace.scheduling import Allocation, Job, make_partitioner
from netplace.topologies import parse


def choice(machine: str, rule: str, held: list[int], size: int) -> list[int]:
    partitioner = make_partitioner(rule, parse(machine))
    partitioner.take(Allocation(np.array(held)))
    return partitioner.find(Job(0, 0.0, size, 1.0)).nodes.tolist()


@pytest.mark.parametrize(
    ("held", "size", "expected"),
    [
        ([3, 6, 7, 12], 2, [4, 5]),  # the shortest run that suffices
        ([3, 6, 7, 12], 3, [0, 1, 2]),
        ([3, 6, 7, 12], 4, [8, 9, 10, 11]),
        ([3, 6, 7, 12], 6, [4, 5, 8, 9, 10, 11]),  # the longest first, then what suffices
    ],
)
def test_flat_is_best_fit_of_consecutive_nodes(held, size, expected):
    assert choice("mesh:16", "slurm:flat", held, size) == expected


@pytest.mark.parametrize(
    ("held", "size", "expected"),
    [
        ([0, 4, 5, 8, 9, 10], 1, [11]),  # the fewest free nodes that suffice
        ([0, 4, 5, 8, 9, 10], 2, [6, 7]),
        ([0, 4, 5, 8, 9, 10], 3, [1, 2, 3]),
        ([0, 4, 5, 8, 9, 10], 5, [1, 2, 3, 6, 7]),  # below one switch: 5 are free there
        ([0, 1, 4, 5, 8, 9, 10, 12, 13], 4, [2, 3, 6, 7]),  # 2 + 2 suffice, 1 + 2 do not
    ],
)
def test_tree_is_best_fit_of_leaf_switches_below_the_tightest_switch(held, size, expected):
    assert choice("xgft:3;4,2,2;1,1,1", "slurm:tree", held, size) == expected


def test_groups_of_a_dragonfly_are_switches_above_its_own():
    machine = "dragonfly:a=4,p=2,h=2"
    tree = "xgft:3;2,4,9;1,1,1"
    assert choice(machine, "slurm:tree", [0], 8) == choice(tree, "slurm", [0], 8) == list(range(2, 10))
    assert choice(machine, "slurm:tree", [*range(7)], 8) == list(range(8, 16))
    assert choice(machine, "slurm:tree", [0], 1) == [1]


def test_on_a_dragonfly_jobs_are_spread_over_leaf_switches():
    machine = "dragonfly:a=4,p=2,h=2"
    assert choice(machine, "slurm", [0, 2, 3], 2) == [4, 5]  # the first of those with most free nodes
    assert choice(machine, "slurm", [0, 2, 3], 5) == [1, 4, 6, 8, 10]
    assert len(choice(machine, "slurm", [0, 2, 3], 69)) == 69


def test_a_torus_has_no_leaf_switches():
    with pytest.raises(ValueError, match="are not at switches, expected flat"):
        make_partitioner("slurm:tree", parse("torus:4x4"))


def boxes(shapes: str, held: list[int], size: int) -> list[int] | None:
    partitioner = make_partitioner(f"slurm:torus3d={shapes}", parse("torus:4x4x2"))
    if held:
        partitioner.take(Allocation(np.array(held)))
    found = partitioner.find(Job(0, 0.0, size, 1.0))
    return None if found is None else found.nodes.tolist()


def test_boxes_of_a_torus_are_those_of_the_guide():
    assert boxes("2x2x1+2x2x2+4x4x2", [], 4) == [0, 1, 4, 5]
    assert boxes("2x2x1+2x2x2+4x4x2", [], 8) == [0, 1, 4, 5, 16, 17, 20, 21]
    assert boxes("2x2x1+2x2x2+4x4x2", [], 3) == [0, 1, 4, 5]  # the smallest that holds it
    assert boxes("2x2x1+2x2x2+4x4x2", [0], 32) is None
    assert boxes("2x2x1", [], 5) is None


def test_a_box_that_spares_larger_ones_is_taken():
    assert boxes("2x2x1+2x2x2", [0], 4) == [16, 17, 20, 21]  # no free 2x2x2 overlaps it


def test_spacing_and_seed_say_where_boxes_stand_round_the_ring():
    assert boxes("4x2x1@0x1x0", [], 8) == [4, 5, 6, 7, 8, 9, 10, 11]
    held = [*range(4, 12), *range(20, 28)]
    assert boxes("4x2x1@0x1x0", held, 8) == [12, 13, 14, 15, 0, 1, 2, 3]
    assert boxes("4x2x1/4x1x1", [*range(8)], 8) == [*range(16, 24)]  # the next place is one of Z


@pytest.mark.parametrize(
    ("shapes", "said"),
    [
        ("", "'' is not a placement"),
        ("2x2", "2 sides, expected 3"),
        ("5x1x1", "5x1x1: sides of 1 to 4, 1 to 4, 1 to 2 expected"),
        ("0x1x1", "0x1x1: sides of 1 to 4"),
        ("2x2x1/0x1x1", "spacing of 1 to 4"),
        ("2x2x1@4x0x0", "seed of 0 to 3"),
        ("2x2x1+a", "'a' is not a placement"),
    ],
)
def test_placements_that_are_none(shapes, said):
    with pytest.raises(ValueError, match=said):
        make_partitioner(f"slurm:torus3d={shapes}", parse("torus:4x4x2"))


def test_placements_are_for_tori():
    with pytest.raises(ValueError, match="is defined on tori, not on mesh:4x4x2"):
        make_partitioner("slurm:torus3d=2x2x1", parse("mesh:4x4x2"))
