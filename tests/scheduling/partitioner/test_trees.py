"""Contiguous and quasi-contiguous partitions of trees."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lives import PATIENT, a_job, live, lives

from netplace.scheduling.partitioner import make_partitioner
from netplace.scheduling.partitioner.allocation import Allocation
from netplace.scheduling.partitioner.tree import OneLevelUp, Subtrees, tree_contiguous
from netplace.scheduling.record import Contiguity
from netplace.topologies import parse

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
    for free, size, allocation in live(Subtrees(tree, threshold), tree.nodes, events):
        found = None if allocation is None else allocation.nodes.tolist()
        assert found == naive(free, size, tree.down, tree.nodes, math.floor(size * threshold / 100))


@pytest.mark.parametrize("text", TREES)
@PATIENT
@given(data=st.data(), threshold=st.sampled_from([0, 10, 20, 25, 34, 50, 100]))
def test_the_same_nodes_on_any_occupancy(text, data, threshold):
    tree = parse(text)
    free = data.draw(st.sets(st.integers(0, tree.nodes - 1), min_size=1))
    size = data.draw(st.integers(1, len(free)))
    partitioner = Subtrees(tree, threshold)
    partitioner.take(Allocation(np.array(sorted(set(range(tree.nodes)) - free), np.int64)))
    allocation = partitioner.find(a_job(size))
    found = None if allocation is None else allocation.nodes.tolist()
    assert found == naive(free, size, tree.down, tree.nodes, math.floor(size * threshold / 100))


@pytest.mark.parametrize("text", TREES)
@PATIENT
@given(events=lives(), threshold=st.integers(0, 100))
def test_no_more_outside_than_allowed(text, events, threshold):
    tree = parse(text)
    for free, size, allocation in live(Subtrees(tree, threshold), tree.nodes, events):
        level = level_of(size, tree.down)
        width = tree.down**level
        inside = [len(free.intersection(range(low, low + width))) for low in range(0, tree.nodes, width)]
        if allocation is None:
            # It waits only while no subtree of its level has room for enough of it.
            assert size > len(free) or all(100 * (size - some) > threshold * size for some in inside)
            continue
        home = allocation.nodes[0] // width
        outside = allocation.nodes[allocation.nodes // width != home]
        assert 100 * len(outside) <= threshold * size
        assert Contiguity(tree).of(allocation.nodes) == (len(outside) == 0)
        if not len(outside):
            assert tree.level(allocation.nodes[0], allocation.nodes).max() <= level
        elif threshold < 100:
            assert max(inside) < size


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
    partitioner = OneLevelUp(tree, threshold)
    partitioner.take(Allocation(np.array(sorted(set(range(tree.nodes)) - free), np.int64)))
    allocation = partitioner.find(a_job(size))
    found = None if allocation is None else allocation.nodes.tolist()
    assert found == one_level(free, size, tree.down, tree.nodes, math.ceil(size * threshold / 100))
    if allocation is not None:
        level = level_of(size, tree.down)
        assert tree.level(allocation.nodes[0], allocation.nodes).max() <= level + 1
        inside = tree.level(allocation.nodes[0], allocation.nodes).max() <= level
        assert Contiguity(tree).of(allocation.nodes) == inside


def test_a_job_of_two_may_have_one_outside():
    tree = parse("tree:4,2")
    partitioner = make_partitioner("quasi-contiguous:10", tree)
    partitioner.take(Allocation(np.array([0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14])))
    assert partitioner.find(a_job(2)).nodes.tolist() == [3, 7]
    assert not partitioner.by_count
    below = make_partitioner("quasi-contiguous:10", parse("tree:2,3"))
    # Free are 1 and 7: the switch above 1 has none but it.
    below.take(Allocation(np.array([0, 2, 3, 4, 5, 6])))
    assert below.find(a_job(2)) is None


def test_contiguous_example():
    tree = parse("tree:4,2")
    partitioner = tree_contiguous(tree)
    for size in (3, 3, 3, 3):
        partitioner.take(partitioner.find(a_job(size)))
    # One node is left under every switch: four free nodes, yet none for a job of two.
    assert partitioner.free == 4
    assert partitioner.find(a_job(2)) is None
    assert partitioner.find(a_job(1)).nodes.tolist() == [3]
    assert not partitioner.by_count
    half = Subtrees(tree, 50)
    for size in (3, 3, 3, 3):
        half.take(half.find(a_job(size)))
    allocation = half.find(a_job(2))
    assert allocation.nodes.tolist() == [3, 7]


def test_nearest_first():
    partitioner = Subtrees(parse("tree:2,3"), 50)
    # 0 . . 3 | 4 . . .   with . held: two nodes for a job of level 1.
    everything = partitioner.find(a_job(8))
    partitioner.take(everything)
    for node in (6, 4, 3):
        partitioner.release(type(everything)(everything.nodes[[node]]))
    assert partitioner.find(a_job(2)).nodes.tolist() == [3, 4]  # leaf switch 1 is the first with one free
    partitioner.take(type(everything)(everything.nodes[[3]]))
    assert partitioner.find(a_job(2)).nodes.tolist() == [4, 6]


@pytest.mark.parametrize(("threshold", "found"), [(20, None), (24, None), (25, [12, 13, 14, 3])])
def test_the_threshold_counts_nodes_of_the_job(threshold, found):
    partitioner = Subtrees(parse("tree:4,2"), threshold)
    partitioner.take(Allocation(np.array([0, 1, 2, 4, 5, 6, 8, 9, 10, 15])))
    # Free below the four switches: 3, 7, 11 and 12-14. One of four nodes would be outside, a quarter.
    allocation = partitioner.find(a_job(4))
    assert (None if allocation is None else allocation.nodes.tolist()) == found


def test_a_large_machine_searches_little():
    partitioner = make_partitioner("quasi-contiguous:20", parse("tree:4,6"))
    partitioner.take(partitioner.find(a_job(4090)))
    before = partitioner.visited
    assert partitioner.find(a_job(1)).nodes.tolist() == [4090]
    assert partitioner.visited - before < 40


def test_contiguous_is_for_trees_and_takes_no_option():
    with pytest.raises(ValueError, match="contiguous: is defined on trees, not on mesh:4"):
        tree_contiguous(parse("mesh:4"))
    with pytest.raises(ValueError, match="contiguous: takes no option on trees, but 'first' was given"):
        tree_contiguous(parse("tree:4,2"), "first")
