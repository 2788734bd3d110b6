"""Processor sets that are nested or disjoint: valued on their tree, the choice is the same, to the node."""

import sys

import numpy as np
import pytest

from netplace.scheduling.partitioner.pss.derive import levels
from netplace.scheduling.partitioner.pss.select import laminar_tree, select
from netplace.scheduling.partitioner.pss.sets import processor_sets
from netplace.topologies import parse

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
