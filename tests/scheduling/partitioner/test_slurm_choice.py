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
    assert choice(machine, "slurm", [0], 8) == list(range(8, 16))
    assert choice(machine, "slurm", [0], 1) == [1]


def test_a_torus_has_no_leaf_switches():
    with pytest.raises(ValueError, match="at no switches, expected flat"):
        make_partitioner("slurm:tree", parse("torus:4x4"))
