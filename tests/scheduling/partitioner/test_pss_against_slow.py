"""The choice by processor sets, beside the published steps in plain words."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lives import PATIENT

from netplace.scheduling.partitioner.pss.derive import levels
from netplace.scheduling.partitioner.pss.select import exact, select
from netplace.scheduling.partitioner.pss.sets import processor_sets
from netplace.topologies import parse


def slow(sets, vectors, free, size):
    """Return the selection: removals by size, each extended by every set, the one found first stays."""
    inside = [frozenset(members) & free for members in sets]
    length = len(vectors[0])

    def total(places):
        return tuple(sum(vectors[i][d] for i in places) for d in range(length))

    def saved(gone):
        return total([i for i, members in enumerate(inside) if members and members <= gone])

    room = len(free) - size
    removed = {0: frozenset()}
    for base in range(room):
        if base not in removed:
            continue
        for members in inside:
            gone = removed[base] | members
            if members <= removed[base] or len(gone) > room:
                continue
            if len(gone) not in removed or saved(gone) > saved(removed[len(gone)]):
                removed[len(gone)] = gone
    best = max(removed, key=lambda k: (saved(removed[k]), k))
    kept = free - removed[best]
    while len(kept) > size:
        cost = {
            node: total([i for i, members in enumerate(inside) if members & (kept - {node})]) for node in kept
        }
        kept = kept - {min(kept, key=lambda node: (cost[node], -node))}
    return sorted(kept)


def lists_of(sets):
    starts, values = sets.members
    return [values[a:b].tolist() for a, b in itertools.pairwise(starts)]


NODES = 12


@PATIENT
@given(data=st.data(), huge=st.booleans())
def test_any_sets(data, huge):
    members = st.sets(st.integers(0, NODES - 1), min_size=1)
    most = 2**58 if huge else 4  # huge: costs stay vectors
    vector = st.tuples(*[st.integers(0, most)] * 2)
    found = data.draw(st.lists(st.tuples(members, vector), min_size=1, max_size=14))
    free = data.draw(st.sets(st.integers(0, NODES - 1), min_size=1))
    size = data.draw(st.integers(1, len(free)))
    sets = processor_sets(NODES, found)
    chosen = select(sets, np.isin(np.arange(NODES), sorted(free)), size)
    assert chosen.tolist() == slow(
        [one for one, _ in found], [cost for _, cost in found], frozenset(free), size
    )


@pytest.mark.parametrize(
    ("machine", "overlap"),
    [("torus:4x4", True), ("mesh:4x5", True), ("tree:2,4", False), ("mesh:4x4", False)],
)
@PATIENT
@given(data=st.data())
def test_levels(machine, overlap, data):
    sets = levels(parse(machine), overlap=overlap)
    free = data.draw(st.sets(st.integers(0, sets.nodes - 1), min_size=1))
    size = data.draw(st.integers(1, len(free)))
    chosen = select(sets, np.isin(np.arange(sets.nodes), sorted(free)), size)
    assert chosen.tolist() == slow(lists_of(sets), sets.vectors.tolist(), frozenset(free), size)


@pytest.mark.parametrize("seed", range(4))
def test_the_reduction_from_set_union_knapsack(seed):
    """The nodes of a graph that an optimal selection leaves out have the most edges among them.

    Each edge is a set of cost 1; that problem is set-union knapsack with items of two elements, weights and
    values 1.
    """
    rng = np.random.default_rng(seed)
    pairs = list(itertools.combinations(range(7), 2))
    edges = [pairs[i] for i in rng.permutation(len(pairs))[: rng.integers(5, 14)].tolist()]
    sets = processor_sets(7, [(edge, [1]) for edge in edges])
    for kept in range(2, 6):
        chosen = exact(sets, np.ones(7, bool), 7 - kept)
        inside = [
            sum(set(edge) <= set(nodes) for edge in edges) for nodes in itertools.combinations(range(7), kept)
        ]
        assert len(chosen) == 7 - kept
        assert len(edges) - sets.cost(chosen)[0] == max(inside)
