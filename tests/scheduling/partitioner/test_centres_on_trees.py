"""The best centre of a tree from counts of its subtrees, against all centres one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lives import PATIENT

from netplace.scheduling.partitioner.centres.median import closest
from netplace.scheduling.partitioner.centres.nearest import best_centre
from netplace.scheduling.partitioner.centres.on_tree import is_tree
from netplace.scheduling.partitioner.centres.space import space_of
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


def states(machine: str):
    """Return which nodes are free: held here and there, by whole subtrees, or both."""
    network = parse(machine)
    subtrees = st.sampled_from([network.down**level for level in range(network.stages)]).flatmap(
        lambda width: st.tuples(st.just(width), st.integers(0, network.nodes // width - 1), st.booleans())
    )

    def state(drawn):
        seed, share, marked = drawn
        here = np.random.default_rng(seed).random(network.nodes) < share
        for width, subtree, free in marked:
            here[subtree * width : (subtree + 1) * width] = free
        here[network.service] = False
        return np.flatnonzero(here)

    spread = st.integers(0, 2**32 - 1), st.sampled_from((0.1, 0.4, 0.8, 1.0)), st.lists(subtrees, max_size=8)
    return st.tuples(*spread).map(state).filter(len)


@pytest.mark.parametrize("machine", TREES)
@PATIENT
@given(data=st.data())
def test_counts_of_subtrees_choose_as_all_centres_one_by_one(machine, data):
    """Every size; centres that are the free nodes, some of them, or others that are held."""
    space = space_of(parse(machine), "a test", metric=True)
    free = data.draw(states(machine))
    others = data.draw(st.sets(st.integers(0, space.topology.nodes - 1), min_size=1))
    for centres in (free, np.array(sorted(others))):
        for size in range(1, len(free) + 1):
            centre, cost, nodes = best_centre(space.axes, free, centres, size)
            found = closest(space, free, centres, size)
            assert (found.centre, found.cost, found.nodes.tolist()) == (centre, cost, nodes.tolist())


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


def test_what_is_a_tree():
    for machine, yes in (("tree:2,3", True), ("mesh:8", False), ("dragonfly:a=3,p=2,h=1", False)):
        assert is_tree(space_of(parse(machine), "a test", metric=True).axes) == yes
