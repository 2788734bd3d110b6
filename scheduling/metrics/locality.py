"""The spread of the nodes of a job, relative to a compact set of the same size."""

from __future__ import annotations

import math

import numpy as np

from netplace.scheduling.partitioner.allocation import Nodes
from netplace.topologies import Grid, Topology

_PAIRS = 256


class Locality:
    """Mean distance between two nodes of a job, divided by that in a compact set of equal size; 1 is ideal.

    For jobs with more than `pairs` pairs of nodes, that many pairs are drawn: 256 are enough for an accuracy
    of a few percent, and means over many jobs are far more accurate.
    """

    def __init__(self, topology: Topology, pairs: int = _PAIRS, seed: int = 0) -> None:
        self._topology = topology
        self._pairs = pairs
        self._rng = np.random.default_rng(seed)
        self._compact: dict[int, float] = {}

    def of(self, nodes: Nodes) -> float:
        """Return the locality of `nodes`; 1 for a single node."""
        size = len(nodes)
        if size < 2:
            return 1.0
        if size not in self._compact:
            self._compact[size] = self._mean(compact_nodes(self._topology, size), 16 * self._pairs)
        return self._mean(nodes, self._pairs) / self._compact[size]

    def _mean(self, nodes: Nodes, pairs: int) -> float:
        """Return the mean distance over all pairs of different nodes, or over so many drawn."""
        size = len(nodes)
        if size * (size - 1) // 2 <= pairs:
            first, second = np.triu_indices(size, 1)
        else:
            first = self._rng.integers(size, size=pairs)
            second = (first + self._rng.integers(1, size, size=pairs)) % size
        return float(self._topology.distance(nodes[first], nodes[second]).mean())


def compact_nodes(topology: Topology, size: int) -> Nodes:
    """Return `size` nodes close together: the first of a tree, or a near-cubic box of a grid."""
    if not isinstance(topology, Grid):
        return np.arange(size)
    sides = _cube(topology.sizes, size)
    # Counted with the longest side slowest, so that what is left open lies at one end.
    order = np.argsort(sides, kind="stable")
    strides = np.cumprod([1, *topology.sizes[:-1]])
    rest, nodes = np.arange(size), np.zeros(size, np.int64)
    for d in order.tolist():
        nodes += rest % sides[d] * strides[d]
        rest //= sides[d]
    return nodes


def _cube(most: tuple[int, ...], size: int) -> list[int]:
    """Return the sides of the box nearest to a cube that holds `size` nodes within sides `most`."""
    sides = [1] * len(most)
    while math.prod(sides) < size:
        open_sides = [d for d in range(len(most)) if sides[d] < most[d]]
        sides[min(open_sides, key=lambda d: sides[d])] += 1
    return sides
