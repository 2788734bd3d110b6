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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplace.inputs import check_choice, check_int
from netplace.native import scheduling as native
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation, Nodes
from netplace.scheduling.partitioner.centres.space import RING, Centred, Choose, Selection, Space, space_of
from netplace.scheduling.partitioner.shapes import cubic_box
from netplace.topologies import Topology


class _FreeBelow(NamedTuple):
    """Number of free nodes below each corner, of which sums give the free nodes of a box.

    A ring is extended by half its length at either end, so its seam cuts no box.
    """

    # For corner (c_0, c_1, ..) the free nodes at places less than c_d in every dimension, flat.
    corners: NDArray[np.int32]
    strides: NDArray[np.int64]  # shape (dims,): by how much the index grows with each coordinate
    shift: NDArray[np.int64]  # shape (dims,): where place 0 stands in each unrolled dimension
    ends: NDArray[np.int64]  # shape (dims,): places of each unrolled dimension


def _free_below(space: Space, free: Nodes) -> _FreeBelow:
    sizes, ring = space.axes.sizes, space.axes.kinds == RING
    here = np.bincount(space.point[free], minlength=sizes.prod())
    shift = np.where(ring, (sizes - 1) // 2, 0)
    ends = sizes + shift + np.where(ring, sizes // 2, 0)
    strides = np.cumprod([1, *(ends + 1)])
    return _FreeBelow(native.sum_below(here, sizes, shift, ends, strides), strides[:-1], shift, ends)


_Numbers = NDArray[np.int64]
Tie = Callable[[Space, int, Nodes, Nodes, int], Nodes]
"""Takes the network, the centre, the nodes of inner shells and of the last, and how many of the last to
take."""


def mc(shape: Sequence[int], tie: str = "distance") -> Choose:
    rule = TIES[tie]

    def choose(space: Space, free: Nodes, size: int) -> Selection:
        below = np.array([(side - 1) // 2 for side in shape])
        above = np.array([side // 2 for side in shape])
        centre, cost = native.best_box(
            space.axes.compiled, *_free_below(space, free), free, below, above, size
        )
        shell = _shells(space, int(centre), free, below, above)
        inside = np.cumsum(np.bincount(shell))
        last = int(np.searchsorted(inside, size))
        inner, outer = free[shell < last], free[shell == last]
        chosen = rule(space, int(centre), inner, outer, size - len(inner))
        return Selection(np.sort(np.concatenate([inner, chosen])), int(cost), int(centre))

    return choose


def _shells(space: Space, centre: int, nodes: Nodes, below: _Numbers, above: _Numbers) -> _Numbers:
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
    hops = space.hops(centre, outer)
    return outer[np.argsort(hops, kind="stable")[:count]]


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


TIES: dict[str, Tie] = {
    "distance": _by_distance,
    "number": lambda space, centre, inner, outer, count: outer[:count],
    "greedy": _greedily,
}


def mc_boxes(topology: Topology, option: str = "", seed: int = 0) -> _McBoxes:
    """Return the partitioner MC; the option is the sides of the box or ``cubic``, then a key of `TIES`."""
    label = f"partitioner mc:{option}" if option else "partitioner mc"
    sides, _, tie = option.partition(",")
    check_choice(tie or "distance", TIES, f"{label}, nodes of the last shell")
    space = space_of(topology, label)
    sizes = tuple(space.axes.sizes.tolist())
    if sides in ("", "cubic"):
        return _McBoxes(space, None, tie or "distance")
    shape = tuple(check_int(side, f"{label}: side") for side in sides.split("x"))
    if len(shape) != len(sizes) or any(a > b for a, b in zip(shape, sizes, strict=True)):
        raise ValueError(f"{label}: {sides} is not a box of {topology}, expected {len(sizes)} sides that fit")
    return _McBoxes(space, shape, tie or "distance")


class _McBoxes(Centred):
    """MC for boxes of a shape; None: each job's own."""

    def __init__(self, space: Space, shape: tuple[int, ...] | None, tie: str):
        self._shape, self._each = shape, space.each
        if shape is not None:
            super().__init__(space, mc(shape, tie), by_count=False)
            return

        def of_the_job(space: Space, free: Nodes, size: int) -> Selection:
            sides = cubic_box(-(-size // space.each), tuple(space.axes.sizes.tolist()))
            return mc(sides, tie)(space, free, size)

        super().__init__(space, of_the_job)

    def find(self, job: Job) -> Allocation | None:
        if self._shape is not None and job.nodes > self._each * math.prod(self._shape):
            sides, room = "x".join(map(str, self._shape)), self._each * math.prod(self._shape)
            raise ValueError(
                f"job {job.number}: {job.nodes} nodes are more than the {room} of partitioner mc:{sides}"
            )
        return super().find(job)
