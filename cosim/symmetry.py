"""Mixes of jobs that are equal up to a symmetry of the network."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from netplace.topologies import Grid, Topology, Tree

Places = list[NDArray[np.int64]]


def same_mix(machine: Topology, names: Sequence[str], places: Places) -> tuple[object, list[int]]:
    """Return a key that symmetric mixes share, and the jobs in its order.

    On a torus, the symmetries are shifts; in a tree, exchanges of subtrees below a switch. A mix can have
    several keys if jobs of the same name are next to each other: then it may not be recognized, but it is
    never confused with another.
    """
    if isinstance(machine, Tree):
        order = sorted(range(len(names)), key=lambda place: (names[place], int(places[place].min())))
        nodes = _numbered(machine, [places[place] for place in order])
        named = tuple((names[place], own.tobytes()) for place, own in zip(order, nodes, strict=True))
        return named, order
    best: tuple[tuple[tuple[str, bytes], ...], list[int]] | None = None
    for image in _shifts(machine, places):
        whole = [(name, nodes.tobytes()) for name, nodes in zip(names, image, strict=True)]
        order = sorted(range(len(whole)), key=lambda place: whole[place])
        key = tuple(whole[place] for place in order)
        if best is None or key < best[0]:
            best = key, order
    assert best is not None
    return best


def _numbered(tree: Tree, places: Places) -> Places:
    """Return the nodes with the subtrees below each switch numbered as tasks first come to them."""
    every = np.concatenate(places)
    names = np.zeros(len(every), np.int64)
    for stage in reversed(range(tree.stages)):
        _, first, inverse = np.unique(every // tree.down**stage, return_index=True, return_inverse=True)
        above = names[first]
        order = np.lexsort((first, above))
        rank = np.empty(len(first), np.int64)
        rank[order] = np.arange(len(first)) - np.searchsorted(above[order], above[order])
        names = (above * tree.down + rank)[inverse]
    return np.split(names, np.cumsum([len(nodes) for nodes in places])[:-1])


def _shifts(machine: Topology, places: Places) -> list[Places]:
    """Return a mix as it lies, or shifted so that each of its jobs in turn comes to stand first."""
    if not isinstance(machine, Grid) or not machine.wraps or machine.twist:
        return [places]
    coordinates = [machine.coordinates(nodes) for nodes in places]
    return [
        [np.asarray(machine.node((own - first[:1]) % machine.sizes), np.int64) for own in coordinates]
        for first in coordinates
    ]
