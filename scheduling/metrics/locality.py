"""The spread of the nodes of a job, relative to a compact set of the same size."""

from __future__ import annotations

import numpy as np

from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.shapes import cubic_box
from netplace.topologies import Grid, Topology

_PAIRS = 256


class Locality:
    """Mean distance between two nodes of a job, divided by that in a compact set of equal size; 1 is ideal.

    For jobs with more than 256 pairs of nodes, that many pairs are drawn: they are enough for an accuracy of
    a few percent, and means over many jobs are far more accurate.
    """

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self._rng = np.random.default_rng(0)
        self._compact: dict[int, float] = {}

    def of(self, nodes: Nodes) -> float:
        """Return the locality of `nodes`; 1 for a single node."""
        size = len(nodes)
        if size < 2:
            return 1.0
        if size not in self._compact:
            self._compact[size] = self._mean(compact_nodes(self._topology, size), 16 * _PAIRS)
        return self._mean(nodes, _PAIRS) / self._compact[size]

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
    sides = cubic_box(size, topology.sizes)
    # Counted with the longest side slowest, so that what is left open lies at one end.
    order = np.argsort(sides, kind="stable")
    strides = np.cumprod([1, *topology.sizes[:-1]])
    rest, nodes = np.arange(size), np.zeros(size, np.int64)
    for d in order.tolist():
        nodes += rest % sides[d] * strides[d]
        rest //= sides[d]
    return nodes
