"""Networks given by dimensions: rings, fully connected, or switches."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from netplace.inputs import check_size as check_bytes
from netplace.topologies.cables import Cables, graph
from netplace.topologies.graph import Graph
from netplace.topologies.limits import check_cables, check_size

_BYTES_PER_NODE = 300


@dataclass(frozen=True)
class Dimension:
    """One dimension, with the connection of the nodes of each of its lines."""

    # ``"ring"``, ``"full"`` (all pairs are connected) or ``"switch"`` (all are connected to a switch of the
    # line).
    kind: str
    size: int  # nodes per line
    # Cycles per phit and delay of its links, as in `netplace.topologies.Cables`.
    cycles: int = 1
    delay: int = 0

    def pairs(self) -> list[tuple[int, int]]:
        """Return the pairs of places of a line that a link joins; place `size` is the switch."""
        if self.size == 1:
            return []
        if self.kind == "switch":
            return [(place, self.size) for place in range(self.size)]
        if self.kind == "full":
            return list(itertools.combinations(range(self.size), 2))
        return [(place, (place + 1) % self.size) for place in range(self.size if self.size > 2 else 1)]


def dimensional(text: str, dimensions: Sequence[Dimension]) -> Graph:
    """Return the network of nodes on a grid whose dimensions are connected in their own ways.

    Every node is a router with links in each dimension. Nodes are numbered with the first dimension fastest.
    A ring of two nodes is one cable.
    """
    sizes = [dimension.size for dimension in dimensions]
    nodes = math.prod(sizes)
    check_bytes(nodes, _BYTES_PER_NODE, "nodes", text)
    lines = [nodes // size for size in sizes]
    of_line = [
        s * (s - 1) // 2 if dimension.kind == "full" else s
        for s, dimension in zip(sizes, dimensions, strict=True)
    ]
    check_cables(text, sum(map(math.prod, zip(of_line, lines, strict=True))))
    switched = [d for d, dimension in enumerate(dimensions) if dimension.kind == "switch" and sizes[d] > 1]
    routers = nodes + sum(lines[d] for d in switched)
    check_size(text, routers, max(sum(sizes), 1))
    number = np.arange(nodes).reshape(sizes[::-1]).transpose()  # place to node, the first dimension fastest
    ends, of, closes, switch = [np.zeros((0, 2), np.int64)], [], [], nodes
    for d, dimension in enumerate(dimensions):
        line = np.moveaxis(number, d, 0).reshape(dimension.size, -1, order="F")
        if d in switched:
            line = np.concatenate((line, switch + np.arange(lines[d])[None, :]))
            switch += lines[d]
        for a, b in dimension.pairs():
            ends.append(np.stack((line[a], line[b]), axis=1))
            of += [d] * lines[d]
            closes += [dimension.kind == "ring" and b < a] * lines[d]
    strides = np.cumprod([1, *sizes[:-1]])
    cables = Cables(
        np.concatenate(ends),
        np.array([dimensions[d].cycles for d in of], np.int64),
        np.array([dimensions[d].delay for d in of], np.int64),
        axis=None if switched else np.array(of, np.int64),
        closes=None if switched else np.array(closes, np.bool_),
    )
    return graph(
        text, cables, (np.arange(routers) < nodes).astype(np.int64), direct=True,
        places=None if switched else np.arange(nodes)[:, None] // strides % sizes,
        default_routing="dor" if not switched else "up-down" if len(dimensions) == 1 else "adaptive",
    )  # fmt: skip
