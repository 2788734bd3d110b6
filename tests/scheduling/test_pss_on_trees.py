"""Processor sets that are nested or disjoint: valued on their tree, the choice is the same, to the node."""

from __future__ import annotations

import numpy as np
import pytest

from netplace.scheduling.partitioner.pss import select as module
from netplace.scheduling.partitioner.pss.derive import levels
from netplace.scheduling.partitioner.pss.laminar import laminar_tree
from netplace.scheduling.partitioner.pss.select import select
from netplace.scheduling.partitioner.pss.sets import processor_sets
from netplace.topologies import parse


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
    found = [select(sets, free, size) for free, size in asked]
    monkeypatch.setattr(module, "laminar_tree", lambda sets: None)
    for (free, size), nodes in zip(asked, found, strict=True):
        wanted = select(sets, free, size)
        assert (nodes is None) == (wanted is None)
        assert nodes is None or nodes.tolist() == wanted.tolist()


@pytest.mark.parametrize("machine", ["torus:8x8", "mesh:6x5x3", "tree:3,3"])
def test_levels_of_networks(machine, monkeypatch):
    sets, rng = levels(parse(machine), "uniform", False), np.random.default_rng(1)
    asked = [(rng.random(sets.nodes) < 0.5, int(rng.integers(1, 16))) for _ in range(20)]
    found = [select(sets, free, size) for free, size in asked]
    monkeypatch.setattr(module, "laminar_tree", lambda sets: None)
    for (free, size), nodes in zip(asked, found, strict=True):
        wanted = select(sets, free, size)
        assert (nodes is None) == (wanted is None)
        assert nodes is None or nodes.tolist() == wanted.tolist()
