"""MC for boxes: of one shape that the user names, or of each job's own."""

from __future__ import annotations

import math

from netplace.checks import check_choice, check_int
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation, Nodes
from netplace.scheduling.partitioner.centres.centred import Centred
from netplace.scheduling.partitioner.centres.mc import TIES, mc
from netplace.scheduling.partitioner.centres.selection import Selection
from netplace.scheduling.partitioner.centres.space import Space, space_of
from netplace.topologies import Topology

__all__ = ["McBoxes", "cubic_box", "mc_boxes"]


def mc_boxes(topology: Topology, option: str = "", seed: int = 0) -> McBoxes:
    """Return the partitioner MC for boxes of one shape, or of each job's own.

    Parameters
    ----------
    topology : Topology
        A mesh or torus.
    option : str
        Sides of the box such as ``4x2``, or ``cubic`` or nothing: of each job's own, as near to a cube as
        holds it. After a comma, a rule for the last shell, a key of `TIES`.
    seed : int
        Not used: there is no randomness.
    """
    what = f"partitioner mc:{option}" if option else "partitioner mc"
    sides, _, tie = option.partition(",")
    check_choice(tie or "distance", TIES, f"{what}, nodes of the last shell")
    space = space_of(topology, what)
    sizes = tuple(space.axes.sizes.tolist())
    if sides in ("", "cubic"):
        return McBoxes(space, None, tie or "distance")
    shape = tuple(check_int(side, f"{what}: side") for side in sides.split("x"))
    if len(shape) != len(sizes) or any(a > b for a, b in zip(shape, sizes, strict=True)):
        raise ValueError(f"{what}: {sides} is no box of {topology}, expected {len(sizes)} sides that fit")
    return McBoxes(space, shape, tie or "distance")


class McBoxes(Centred):
    """MC for boxes of a shape.

    Parameters
    ----------
    space : Space
        The machine.
    shape : tuple of int or None
        Sides of the box; None: of each job's own.
    tie : str
        A key of `TIES`.
    """

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
        """Return free nodes in increasing order, or None if there are too few."""
        if self._shape is not None and job.nodes > self._each * math.prod(self._shape):
            sides, room = "x".join(map(str, self._shape)), self._each * math.prod(self._shape)
            raise ValueError(
                f"job {job.number}: {job.nodes} nodes are more than the {room} of partitioner mc:{sides}"
            )
        return super().find(job)


def cubic_box(nodes: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the sides of the box nearest to a cube that holds so many nodes and fits a grid."""
    sides = [1] * len(sizes)
    while math.prod(sides) < nodes:
        room = [d for d in range(len(sizes)) if sides[d] < sizes[d]]
        sides[min(room, key=lambda d: sides[d])] += 1
    return tuple(sides)
