"""MC: free nodes taken shell by shell around a box of the requested shape; MC1x1: around a single node.

Source: J. Mache, V. Lo, K. Windisch, "Minimizing message-passing contention in fragmentation-free processor
allocation", PDCS 1997, as described by M. A. Bender et al., "Communication-aware processor allocation for
supercomputers", WADS 2005, section 1. For MC1x1 the sum over pairs is at most d (2 - 1/(2d)) times the least
on meshes of d dimensions. Open there, and ours: a box of even side reaches one node further up than down,
and which nodes of the last shell are taken (`TIES`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from netplace.scheduling.partitioner.allocation import Nodes
from netplace.scheduling.partitioner.centres.selection import Choose, Selection
from netplace.scheduling.partitioner.centres.shells import best_box, free_below
from netplace.scheduling.partitioner.centres.space import RING, Space

__all__ = ["TIES", "mc"]

_Numbers = NDArray[np.int64]
Tie = Callable[[Space, int, Nodes, Nodes, int], Nodes]
"""Takes the network, the centre, the nodes of inner shells and of the last, and how many of the last to
take."""


def mc(shape: Sequence[int], tie: str = "distance") -> Choose:
    """Return MC for boxes of a shape, its sides in the order of dimensions.

    Parameters
    ----------
    shape : sequence of int
        Sides of shell 0, at least 1.
    tie : str
        A key of `TIES`.
    """
    rule = TIES[tie]

    def choose(space: Space, free: Nodes, size: int) -> Selection:
        below = np.array([(side - 1) // 2 for side in shape])
        above = np.array([side // 2 for side in shape])
        centre, cost = best_box(space.axes, free_below(space, free), free, below, above, size)
        shell = _shells(space, int(centre), free, below, above)
        inside = np.cumsum(np.bincount(shell))
        last = int(np.searchsorted(inside, size))
        inner, outer = free[shell < last], free[shell == last]
        chosen = rule(space, int(centre), inner, outer, size - len(inner))
        return Selection(np.sort(np.concatenate([inner, chosen])), int(cost), int(centre))

    return choose


def _shells(space: Space, centre: int, nodes: Nodes, below: _Numbers, above: _Numbers) -> _Numbers:
    """Return in which shell around a center each node lies."""
    shell = np.zeros(len(nodes), np.int64)
    places, kinds, sizes = space.axes.places, space.axes.kinds, space.axes.sizes
    for d, size in enumerate(sizes.tolist()):
        gap = places[d, nodes] - places[d, centre]
        if kinds[d] == RING:
            gap = (gap + (size - 1) // 2) % size - (size - 1) // 2  # half the ring counts as positive
        np.maximum(shell, -gap - below[d], out=shell)
        np.maximum(shell, gap - above[d], out=shell)
    return shell


def _by_distance(space: Space, centre: int, inner: Nodes, outer: Nodes, count: int) -> Nodes:
    """Take the nodes nearest to the center, in hops."""
    hops = space.hops(centre, outer)
    return outer[np.argsort(hops, kind="stable")[:count]]


def _by_number(space: Space, centre: int, inner: Nodes, outer: Nodes, count: int) -> Nodes:
    """Take the nodes of least number."""
    return outer[:count]


def _greedily(space: Space, centre: int, inner: Nodes, outer: Nodes, count: int) -> Nodes:
    """Take, one by one, the node of the least sum of hops to those chosen; then by hops to the center."""
    # So did the simulator of the authors until 2015.
    distance = space.hops
    sums = distance(outer[:, None], inner).sum(axis=1) if len(inner) else np.zeros(len(outer), np.int64)
    hops = distance(centre, outer)
    chosen: list[int] = []
    for _ in range(count):
        best = int(np.lexsort((hops, sums))[0])
        chosen.append(int(outer[best]))
        sums = np.where(np.arange(len(outer)) == best, math.inf, sums + distance(outer[best], outer))
    return np.array(chosen, np.int64)


TIES: dict[str, Tie] = {"distance": _by_distance, "number": _by_number, "greedy": _greedily}
