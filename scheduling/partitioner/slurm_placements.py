"""Boxes as Slurm's plug-in ``topology/torus3d`` gives them: of listed shapes, at listed places.

Source: Slurm's Topology Guide (slurm.schedmd.com/topology.html), section on 3-D tori, and topology.yaml(5);
which of several free boxes is taken is as in the plug-in (``eval_nodes_torus3d.c``, Slurm 26.11).
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from netplace.checks import abbreviate
from netplace.scheduling.job import Job
from netplace.scheduling.partitioner.allocation import Allocation
from netplace.scheduling.partitioner.plain import PlainPartitioner
from netplace.topologies import Grid, Topology

__all__ = ["Placement", "SlurmPlacements", "read_placements"]

Int = NDArray[np.int64]
_PLACEMENT = re.compile(r"(\d+(?:x\d+)*)(?:/(\d+(?:x\d+)*))?(?:@(\d+(?:x\d+)*))?")


@dataclass(frozen=True)
class Placement:
    """A shape that jobs may have, and where it may stand.

    Attributes
    ----------
    dims : tuple of int
        Sides, X first.
    spacing : tuple of int
        Steps from one place to the next, in each dimension, round the ring.
    seed : tuple of int
        One of the places.
    """

    dims: tuple[int, ...]
    spacing: tuple[int, ...]
    seed: tuple[int, ...]

    @property
    def size(self) -> int:
        """Nodes of the shape."""
        return int(np.prod(self.dims))

    def __str__(self) -> str:
        text = "x".join(map(str, self.dims))
        if self.spacing != self.dims:
            text += "/" + "x".join(map(str, self.spacing))
        return text + ("@" + "x".join(map(str, self.seed)) if any(self.seed) else "")


def read_placements(text: str, sizes: tuple[int, ...], where: str) -> list[Placement]:
    """Return the placements of a text such as ``"2x2x1+4x2x1/2x2x1@1x0x0"``, the smallest first.

    After a slash stands the spacing, by default the sides; after an at sign the seed, by default all 0.

    Parameters
    ----------
    text : str
        Placements, with ``+`` between.
    sizes : tuple of int
        Sides of the torus.
    where : str
        What the text is, for messages.
    """
    placements = []
    for word in text.split("+"):
        match = _PLACEMENT.fullmatch(word)
        if not match:
            raise ValueError(f"{where}: {abbreviate(word)} is no placement, expected one such as 2x2x1")
        dims, spacing, seed = (
            None if part is None else tuple(map(int, part.split("x"))) for part in match.groups()
        )
        assert dims is not None
        made = Placement(dims, spacing or dims, seed or (0,) * len(dims))
        parts = (
            ("sides", made.dims, 1),
            ("spacing", made.spacing, 1),
            ("seed", made.seed, 0),
        )
        for what, values, least in parts:
            if len(values) != len(sizes):
                raise ValueError(f"{where}: {word}: {len(values)} {what}, expected {len(sizes)}")
            if any(not least <= value < side + least for value, side in zip(values, sizes, strict=True)):
                bounds = ", ".join(f"{least} to {side + least - 1}" for side in sizes)
                raise ValueError(f"{where}: {word}: {what} of {bounds} expected")
        placements.append(made)
    return sorted(placements, key=lambda placement: placement.size)


class SlurmPlacements(PlainPartitioner):
    """Gives a job one of the listed boxes, of the smallest listed size that holds it.

    Of free boxes of a shape the one is taken that overlaps fewest free boxes of the next larger size; of
    several shapes of a size the first that has a free box. A job of more nodes than any box has no place.

    Parameters
    ----------
    topology : Topology
        The machine.
    placements : str
        As `read_placements` takes them.
    """

    by_count = False

    def __init__(self, topology: Topology, placements: str) -> None:
        super().__init__(topology, placements)
        if not isinstance(topology, Grid) or not topology.wraps or topology.twist:
            raise ValueError(f"partitioner slurm:torus3d: is for tori, not for {topology}")
        self.placements = read_placements(placements, topology.sizes, "partitioner slurm:torus3d")
        self._boxes = [_boxes(placement, topology.sizes) for placement in self.placements]

    def choose(self, job: Job) -> Allocation | None:
        """Return the box of a job, None if none of its size is free."""
        sizes = [placement.size for placement in self.placements]
        size = next((size for size in sizes if size >= job.nodes), None)
        if size is None:
            return None
        larger = next((place for place, other in enumerate(sizes) if other > size), None)
        blocked = np.zeros((0, 1), np.int64) if larger is None else self._boxes[larger]
        blocked = blocked[self.is_free[blocked].all(axis=1)]
        for placement, boxes in zip(self.placements, self._boxes, strict=True):
            free = boxes[self.is_free[boxes].all(axis=1)] if placement.size == size else boxes[:0]
            if len(free):
                cost = [int(np.isin(blocked, box).any(axis=1).sum()) for box in free]
                return Allocation(free[int(np.argmin(cost))])
        return None


def _boxes(placement: Placement, sizes: tuple[int, ...]) -> Int:
    """Return the nodes of each box, X fastest in a box, and places with X slowest, as Slurm lists them."""
    strides = np.cumprod([1, *sizes[:-1]])
    inside = np.array([node[::-1] for node in np.ndindex(*placement.dims[::-1])])
    places = [
        [*dict.fromkeys((seed + step * n) % side for n in range(side))]
        for seed, step, side in zip(placement.seed, placement.spacing, sizes, strict=True)
    ]
    boxes = [((np.array(at) + inside) % sizes) @ strides for at in itertools.product(*places)]
    return np.array(boxes, np.int64)
