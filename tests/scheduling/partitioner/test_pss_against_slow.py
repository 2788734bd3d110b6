"""The choice by processor sets, beside the published steps in plain words."""

import itertools
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lives import PATIENT

from netplace.scheduling.partitioner.pss.derive import levels
from netplace.scheduling.partitioner.pss.select import exact, laminar_tree, select
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


MODULE = sys.modules[
    "netplace.scheduling.partitioner.pss.select"
]  # the package exports its function of that name


def check_against_sets(sets, asked, monkeypatch):
    """Choose on the tree, and then set by set as if there were none."""
    found = [select(sets, free, size) for free, size in asked]
    monkeypatch.setattr(MODULE, "laminar_tree", lambda sets: None)
    for (free, size), nodes in zip(asked, found, strict=True):
        wanted = select(sets, free, size)
        assert (nodes is None) == (wanted is None)
        assert nodes is None or nodes.tolist() == wanted.tolist()


def nested(seed: int):
    """Return sets of 40 nodes, nested or disjoint, not all covered, in any order, some twice; with costs."""
    rng = np.random.default_rng(seed)
    order, found = rng.permutation(40), []
    for width in (1, 2, 10, 20):
        for first in range(0, 40, width):
            if rng.random() < 0.8:
                found.append((order[first : first + width].tolist(), rng.integers(0, 4, 2).tolist()))
    found += [found[i] for i in rng.integers(0, len(found), 3)]
    return processor_sets(40, [found[i] for i in rng.permutation(len(found))])


@pytest.mark.parametrize("seed", range(12))
def test_nested_sets(seed, monkeypatch):
    sets, rng = nested(seed), np.random.default_rng(seed)
    assert laminar_tree(sets) is not None
    asked = [(rng.random(40) < rng.uniform(0.3, 1), int(rng.integers(1, 12))) for _ in range(25)]
    check_against_sets(sets, asked, monkeypatch)


def parts(seed: int):
    """Return sets of 50 nodes cut into parts again and again, some of them without some of their nodes."""
    rng, found = np.random.default_rng(seed), []

    def cut(members, depth):
        if rng.random() < 0.85:
            found.append((members.tolist(), rng.integers(seed % 2, 3 + 50 * (seed % 3), 2).tolist()))
        if len(members) > 1 and depth < 6:
            kept = members if rng.random() < 0.6 else members[: rng.integers(1, len(members))]
            for part in np.array_split(kept, rng.integers(1, 5)):
                if len(part):
                    cut(part, depth + 1)

    while not found:
        cut(rng.permutation(50), 0)
    return processor_sets(50, [found[i] for i in rng.permutation(len(found))])


@pytest.mark.parametrize("seed", range(30))
def test_parts_of_parts(seed, monkeypatch):
    sets, rng = parts(seed), np.random.default_rng(seed)
    assert laminar_tree(sets) is not None
    asked = [(rng.random(50) < rng.uniform(0.2, 1), int(rng.integers(1, 20))) for _ in range(20)]
    check_against_sets(sets, asked, monkeypatch)


@pytest.mark.parametrize("costs", ["uniform", "centre"])
@pytest.mark.parametrize("machine", ["torus:8x8", "mesh:6x5x3", "tree:3,3", "mesh:12x10"])
def test_levels_of_networks(machine, costs, monkeypatch):
    if costs == "centre" and not machine.startswith("mesh"):
        pytest.skip("a centre is defined on meshes")
    sets, rng = levels(parse(machine), costs, False), np.random.default_rng(1)
    asked = [(rng.random(sets.nodes) < share, int(rng.integers(1, 16))) for share in [0.5, 0.9] * 10]
    check_against_sets(sets, asked, monkeypatch)
