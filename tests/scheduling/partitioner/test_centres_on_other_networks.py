"""The best centre of a tree from counts of its subtrees, of others from one a switch, against all centres."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lives import PATIENT

from netplace.scheduling.partitioner.centres.algorithms import best_centre, closest
from netplace.scheduling.partitioner.centres.space import GROUPS, TABLE, space_of
from netplace.topologies import parse

TREES = (
    "tree:2,5",
    "tree:3,3",
    "tree:4,3",
    "tree:7,1",
    "thintree:4,2,3",
    "thintree:3,1,4",
    "service:every=5/tree:4,3",
)


SWITCHED = (
    "dragonfly:a=2,p=6,h=1",
    "dragonfly:a=3,p=4,h=1",
    "hyperx:3x3,c=4",
    "xgft:3;2,3,4;1,2,2",
    "service:every=5/hyperx:3x3,c=4",
    "faulty:links=.1,seed=1/dragonfly:a=3,p=4,h=1",
)


def states(machine: str, widths):
    """Return which nodes are free: held here and there, by whole subtrees or switches, or both."""
    network = parse(machine)
    heaps = st.sampled_from(widths).flatmap(
        lambda width: st.tuples(st.just(width), st.integers(0, network.nodes // width - 1), st.booleans())
    )

    def state(drawn):
        seed, share, marked = drawn
        here = np.random.default_rng(seed).random(network.nodes) < share
        for width, heap, free in marked:
            here[heap * width : (heap + 1) * width] = free
        here[network.service] = False
        return np.flatnonzero(here)

    spread = st.integers(0, 2**32 - 1), st.sampled_from((0.1, 0.4, 0.8, 1.0)), st.lists(heaps, max_size=8)
    return st.tuples(*spread).map(state).filter(len)


def chooses_as_all_centres_one_by_one(space, free, others) -> None:
    """Every size; centres that are the free nodes, or others, some of which are held."""
    for centres in (free, np.array(sorted(others))):
        for size in range(1, len(free) + 1):
            centre, cost, nodes = best_centre(space.axes, free, centres, size)
            found = closest(space, free, centres, size)
            assert (found.centre, found.cost, found.nodes.tolist()) == (centre, cost, nodes.tolist())


@pytest.mark.parametrize("machine", TREES)
@PATIENT
@given(data=st.data())
def test_from_counts_of_subtrees(machine, data):
    tree = parse(machine)
    free = data.draw(states(machine, [tree.down**level for level in range(tree.stages)]))
    others = data.draw(st.sets(st.integers(0, tree.nodes - 1), min_size=1))
    chooses_as_all_centres_one_by_one(space_of(tree, "a test", metric=True), free, others)


@pytest.mark.parametrize("machine", SWITCHED)
@PATIENT
@given(data=st.data())
def test_from_one_a_switch(machine, data):
    network = parse(machine)
    space = space_of(network, "a test", metric=True)
    assert space.axes.kinds.tolist() == [TABLE]
    free = data.draw(states(machine, [network.nodes // int(space.axes.sizes[0])]))
    others = data.draw(st.sets(st.integers(0, network.nodes - 1), min_size=1))
    chooses_as_all_centres_one_by_one(space, free, others)


def test_pairs_are_counted_by_hand():
    """Leaf switches of 4 nodes; free ones at them: 1, 1, 1 | 2, 1 | 3 | 2, 3, by the switch above."""
    space = space_of(parse("tree:4,3"), "a test", metric=True)
    free = np.array([0, 4, 8, 16, 17, 20, 32, 33, 34, 48, 49, 52, 53, 54])
    wanted = {
        2: (2, 16, [16, 17]),
        3: (6, 32, [32, 33, 34]),  # 3 pairs 2 hops apart
        4: (18, 52, [48, 52, 53, 54]),  # 3 pairs 2 and 3 pairs 4 hops apart; around 48 it is 2 and 4
        5: (32, 48, [48, 49, 52, 53, 54]),  # as around 52, of greater number
    }
    for size, (cost, centre, nodes) in wanted.items():
        found = closest(space, free, free, size)
        assert (found.cost, found.centre, found.nodes.tolist()) == (cost, centre, nodes)


def test_what_is_a_tree_and_what_has_a_table():
    kinds = {
        machine: set(space_of(parse(machine), "a test", metric=True).axes.kinds.tolist())
        for machine in (
            "tree:2,3",
            "tree:7,1",
            "mesh:8",
            "torus:4x3,c=2",
            "dragonfly:a=3,p=2,h=1",
            "twisted:8x4",
        )
    }
    assert [machine for machine, kind in kinds.items() if kind == {GROUPS}] == ["tree:2,3", "tree:7,1"]
    assert [machine for machine, kind in kinds.items() if kind == {TABLE}] == [
        "dragonfly:a=3,p=2,h=1",
        "twisted:8x4",
    ]
