"""TreeMatch: groups by hand and by exhaustive search, and what it gives on trees."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netplace.placement.mapping import find_mapping
from netplace.placement.mapping.rules import _grown, tree_groups
from netplace.topologies import parse


def kept(affinity, groups):
    return sum(affinity[a, b] for group in groups for a, b in itertools.combinations(group, 2))


def partitions(tasks, arity):
    """Yield all divisions of tasks into groups."""
    if not tasks:
        yield []
        return
    for others in itertools.combinations(tasks[1:], arity - 1):
        group = (tasks[0], *others)
        for rest in partitions([task for task in tasks if task not in group], arity):
            yield [group, *rest]


def symmetric(values, tasks):
    affinity = np.zeros((tasks, tasks))
    affinity[np.triu_indices(tasks, 1)] = values
    return affinity + affinity.T


@pytest.mark.parametrize("listed", [True, False])
@given(data=st.data())
def test_groups_are_disjoint_and_no_single_better_one_is_passed_over(listed, data):
    tasks, arity = data.draw(st.sampled_from([(4, 2), (6, 2), (6, 3), (8, 4)]))
    pairs = math.comb(tasks, 2)
    values = data.draw(st.lists(st.integers(0, 9), min_size=pairs, max_size=pairs))
    affinity = symmetric(values, tasks)
    groups = tree_groups(affinity, arity) if listed else _grown(affinity, arity)
    assert sorted(itertools.chain(*groups)) == list(range(tasks))
    assert {len(group) for group in groups} == {arity}
    every = [kept(affinity, division) for division in partitions(list(range(tasks)), arity)]
    assert kept(affinity, groups) <= max(every)
    if listed:
        outside = {
            group: sum(affinity[a, b] for a in group for b in range(tasks) if b not in group)
            for group in itertools.combinations(range(tasks), arity)
        }
        assert outside[groups[0]] == min(outside.values())
        if tasks == 2 * arity:  # the group of least cut decides all: an optimum
            assert kept(affinity, groups) == max(every)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 999))
def test_tasks_that_talk_in_nested_groups_find_each_other(seed):
    """Sixteen tasks: pairs talk most, pairs of pairs less, and so on; the labels are shuffled."""
    rng = np.random.default_rng(seed)
    label = rng.permutation(16)
    level = [max(int(a ^ b).bit_length() for a, b in [pair]) for pair in itertools.product(label, label)]
    W = np.where(np.eye(16, dtype=bool), 0, 10 ** (5 - np.array(level).reshape(16, 16)))
    nodes = find_mapping("treematch", parse("tree:2,4"), 16, W=W).mapping
    for a, b in itertools.combinations(range(16), 2):
        assert int(nodes[a] ^ nodes[b]).bit_length() == level[16 * a + b]


def test_a_partition_of_equal_subtrees_and_fewer_tasks():
    W = np.zeros((3, 3))
    W[0, 2] = 5
    nodes = find_mapping("treematch", parse("tree:4,3"), 3, nodes=[5, 4, 33, 32], W=W).mapping
    assert nodes[0] // 4 == nodes[2] // 4 != nodes[1] // 4
    assert set(nodes.tolist()) <= {4, 5, 32, 33}


@pytest.mark.parametrize(
    ("machine", "nodes", "told"),
    [
        ("torus:4x4", None, "is defined on trees, not on torus:4x4"),
        ("tree:4,2", [0, 1, 4], "hold 1 to 2 nodes"),
    ],
)
def test_mistakes(machine, nodes, told):
    with pytest.raises(ValueError, match=told):
        find_mapping("treematch", parse(machine), 2, nodes=nodes, W=np.ones((2, 2)))
