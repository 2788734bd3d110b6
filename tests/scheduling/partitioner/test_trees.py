"""Contiguous and quasi-contiguous partitions of trees, of one shape throughout and of any."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lives import PATIENT, a_job, live, lives

from netplace.scheduling.partitioner import make_partitioner
from netplace.scheduling.partitioner.allocation import Allocation
from netplace.scheduling.partitioner.tree import Subtrees, tree_contiguous
from netplace.scheduling.record import Contiguity
from netplace.topologies import hierarchy, parse

TREES = ("tree:2,5", "tree:3,3", "tree:4,2", "tree:5,1", "thintree:3,2,3", "thintree:4,1,2")


def level_of(size: int, down: int) -> int:
    return min(level for level in range(60) if down**level >= size)


def naive(free: set[int], size: int, down: int, nodes: int, allowed: int) -> list[int] | None:
    """Return the nodes as a plain scan would choose them."""
    if size > len(free):
        return None
    width = down ** level_of(size, down)
    subtrees = [sorted(free.intersection(range(low, low + width))) for low in range(0, nodes, width)]
    chosen = next((s for s, inside in enumerate(subtrees) if len(inside) >= size), None)
    if chosen is None:
        chosen = max(range(len(subtrees)), key=lambda s: (len(subtrees[s]), -s))
        if allowed == 0 or size - len(subtrees[chosen]) > allowed:
            return None

    def near(node: int) -> tuple[int, int]:
        """Return how far up the subtree is that holds both, and the node."""
        a, b, up = node // width, chosen, 0
        while a != b:
            a, b, up = a // down, b // down, up + 1
        return up, node

    return sorted(free, key=near)[:size]


@pytest.mark.parametrize("text", TREES)
@PATIENT
@given(events=lives(), threshold=st.sampled_from([0, 0, 5, 12.5, 20, 25, 50, 99, 100]))
def test_the_same_nodes_as_a_plain_scan(text, events, threshold):
    tree = parse(text)
    for free, size, allocation in live(Subtrees(hierarchy(tree), threshold), tree.nodes, events):
        found = None if allocation is None else allocation.nodes.tolist()
        assert found == naive(free, size, tree.down, tree.nodes, math.floor(size * threshold / 100))


def one_level(free: set[int], size: int, down: int, nodes: int, allowed: int) -> list[int] | None:
    """Return the nodes that the published rule gives, group by group."""
    width = down ** level_of(size, down)
    groups = [sorted(free.intersection(range(low, low + width))) for low in range(0, nodes, width)]
    for group in groups:
        if len(group) >= size:
            return group[:size]
    for place, group in enumerate(groups):
        if allowed and width < nodes and size - len(group) <= allowed:
            around = groups[place // down * down : (place // down + 1) * down]
            others = [node for other in around if other is not group for node in other]
            if len(group) + len(others) >= size:
                return group + others[: size - len(group)]
    return None


@pytest.mark.parametrize("text", TREES)
@PATIENT
@given(data=st.data(), threshold=st.sampled_from([0, 10, 20, 25, 34, 50, 100]))
def test_quasi_contiguous_as_published(text, data, threshold):
    tree = parse(text)
    free = data.draw(st.sets(st.integers(0, tree.nodes - 1), min_size=1))
    size = data.draw(st.integers(1, len(free)))
    partitioner = Subtrees(hierarchy(tree), threshold, one_up=True)
    partitioner.take(Allocation(np.array(sorted(set(range(tree.nodes)) - free), np.int64)))
    allocation = partitioner.find(a_job(size))
    found = None if allocation is None else allocation.nodes.tolist()
    assert found == one_level(free, size, tree.down, tree.nodes, math.ceil(size * threshold / 100))
    if allocation is not None:
        level = level_of(size, tree.down)
        assert tree.level(allocation.nodes[0], allocation.nodes).max() <= level + 1
        inside = tree.level(allocation.nodes[0], allocation.nodes).max() <= level
        assert Contiguity(tree).of(allocation.nodes) == inside


def test_contiguous_is_for_trees_and_takes_no_option():
    with pytest.raises(ValueError, match="contiguous: is defined on trees, not on mesh:4"):
        tree_contiguous(parse("mesh:4"))
    with pytest.raises(ValueError, match="contiguous: takes no option on trees, but 'first' was given"):
        tree_contiguous(parse("tree:4,2"), "first")


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
