"""Partitioners of trees of any shape: on k-ary trees as those of these, and by hand elsewhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lives import PATIENT, a_job, live, lives

from netplace.scheduling.partitioner import make_partitioner
from netplace.scheduling.partitioner.tree import OneLevelUp, Subtrees, SubtreesOfAnyShape
from netplace.topologies import hierarchy, parse

# Leaves of 1 (the login node), 4, 6 and 2 nodes; rows of 10 and 3: nodes 1-10, and 0, 11, 12.
CONF = """
SwitchName=top Switches=row[0-1]
SwitchName=row0 Switches=leaf[0-1]
SwitchName=row1 Switches=leaf2 Nodes=login
SwitchName=leaf0 Nodes=n[0-3]
SwitchName=leaf1 Nodes=n[4-9]
SwitchName=leaf2 Nodes=n[10-11]
"""


@pytest.fixture
def machine(tmp_path):
    (tmp_path / "topology.conf").write_text(CONF)
    return parse(f"slurm:{tmp_path / 'topology.conf'}")


@pytest.mark.parametrize("text", ["tree:2,4", "tree:3,3", "thintree:4,1,2"])
@pytest.mark.parametrize("one_up", [False, True])
@PATIENT
@given(events=lives(), threshold=st.sampled_from([0, 0, 10, 20, 25, 50, 100]))
def test_the_same_nodes_as_on_trees_of_one_shape(text, one_up, events, threshold):
    tree = parse(text)
    subtrees = hierarchy(tree)
    assert subtrees is not None
    of_any_shape = SubtreesOfAnyShape(subtrees, threshold, one_up)
    of_one = (OneLevelUp if one_up else Subtrees)(tree, threshold)

    def given_by(partitioner):
        lived = live(partitioner, tree.nodes, events)
        return [None if found is None else found.nodes.tolist() for _, _, found in lived]

    assert given_by(of_any_shape) == given_by(of_one)


def taken(partitioner, size):
    allocation = partitioner.find(a_job(size))
    if allocation is None:
        return None
    partitioner.take(allocation)
    return allocation.nodes.tolist()


def test_a_job_gets_the_smallest_subtrees_that_can_hold_it(machine):
    partitioner = make_partitioner("contiguous", machine)
    assert taken(partitioner, 5) == [5, 6, 7, 8, 9]  # of 6; the row beside it has 3 in all
    assert taken(partitioner, 3) == [0, 11, 12]
    assert taken(partitioner, 5) is None
    assert taken(partitioner, 4) == [1, 2, 3, 4]


def test_some_nodes_go_outside_to_the_nearest(machine):
    partitioner = make_partitioner("nearly-contiguous:50", machine)
    assert taken(partitioner, 5) == [5, 6, 7, 8, 9]
    assert taken(partitioner, 2) == [11, 12]
    assert taken(partitioner, 2) == [1, 2]
    assert taken(partitioner, 4) == [3, 4, 10, 0]  # from the leaf beside, then from the other row
    assert make_partitioner("nearly-contiguous:0", machine).find(a_job(14)) is None


def test_one_level_up(machine):
    partitioner = make_partitioner("quasi-contiguous:20", machine)
    assert taken(partitioner, 1) == [0]
    assert taken(partitioner, 5) == [5, 6, 7, 8, 9]
    assert taken(partitioner, 3) == [1, 2, 3]
    assert taken(partitioner, 2) == [11, 12]


def test_pages_are_subtrees(machine):
    partitioner = make_partitioner("paging:1", machine)
    assert taken(partitioner, 2) == [0, 11, 12]  # the login node is a page, then a leaf of two
    assert taken(partitioner, 7) == list(range(1, 11))
    assert taken(make_partitioner("paging:2", machine), 4) == [0, 11, 12, *range(1, 11)]
    with pytest.raises(ValueError, match=r"paging:4: level"):
        make_partitioner("paging:4", machine)
    with pytest.raises(ValueError, match=r"pages of trees have a fixed order"):
        make_partitioner("paging:1,snake", machine)
