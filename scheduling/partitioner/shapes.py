"""Which boxes to try for a job of which only the number of nodes is known.

A rule takes a job and returns boxes in the order in which they are tried, each with the mapping to use in it,
or an empty text: the rule leaves that to others.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field

from netplace.scheduling.job import Job
from netplace.topologies import Grid

Shape = tuple[int, ...]
Choices = Sequence[tuple[Shape, str]]
Ranking = Callable[[Job], Choices]


def factorisations(nodes: int, sizes: Sequence[int]) -> list[Shape]:
    """Return all boxes of exactly `nodes` nodes that fit a grid of sides `sizes`, in lexicographic order."""
    if len(sizes) == 1:
        return [(nodes,)] if nodes <= sizes[0] else []
    return [
        (side, *rest)
        for side in range(1, min(nodes, sizes[0]) + 1)
        if nodes % side == 0
        for rest in factorisations(nodes // side, sizes[1:])
    ]


def cubic_box(nodes: int, sizes: Sequence[int]) -> Shape:
    """Return the sides of the box nearest to a cube that holds the given number of nodes and fits a grid."""
    sides = [1] * len(sizes)
    while math.prod(sides) < nodes:
        room = [d for d in range(len(sizes)) if sides[d] < sizes[d]]
        sides[min(room, key=lambda d: sides[d])] += 1
    return tuple(sides)


def average_distance(shape: Shape, grid: Grid) -> float:
    """Return the mean hops between ordered pairs of different nodes of a box; 0 for one node."""
    nodes = math.prod(shape)
    total = 0.0
    for side, size in zip(shape, grid.sizes, strict=True):
        # Ordered pairs of coordinates at each gap, round the ring if that is shorter.
        hops = (min(gap, size - gap) if grid.wraps else gap for gap in range(1, side))
        total += sum(2 * (side - gap) * hop for gap, hop in enumerate(hops, 1)) * (nodes / side) ** 2
    return total / (nodes * (nodes - 1)) if nodes > 1 else 0.0


@dataclass(eq=False)
class Factors:
    """The boxes of as many nodes as a job needs: all by mean distance (rule FS), or the most cubic (CS).

    Without `rotations` the longest side lies along the first dimension, or as near to that as fits.
    `round_up`: a job gets the next number of nodes that has boxes. Without `lines`, boxes of one dimension
    are a last resort. `inside`: only boxes that all minimal routes between their nodes stay in.
    """

    grid: Grid
    _: KW_ONLY
    cubic: bool = False
    rotations: bool = True
    round_up: bool = False
    lines: bool = True
    inside: bool = False
    _known: dict[int, Choices] = field(default_factory=dict, init=False)

    def __call__(self, job: Job) -> Choices:
        if job.nodes not in self._known:
            self._known[job.nodes] = [(shape, "") for shape in self._choose(job)]
        return self._known[job.nodes]

    def _choose(self, job: Job) -> list[Shape]:
        grid = self.grid
        if job.nodes > grid.nodes:
            raise ValueError(f"job {job.number}: {job.nodes} nodes are more than the {grid.nodes} of {grid}")
        counts = range(job.nodes, grid.nodes + 1) if self.round_up else (job.nodes,)
        halves = self.inside and grid.wraps
        sides = [(size + 1) // 2 for size in grid.sizes] if halves else grid.sizes
        shapes = next(filter(None, (factorisations(nodes, sides) for nodes in counts)), None)
        if shapes is None:
            raise ValueError(
                f"job {job.number}: {job.nodes} nodes do not form a box that fits {grid}; option round-up "
                f"uses a larger box"
            )
        if not self.lines:
            shapes = [shape for shape in shapes if sum(side > 1 for side in shape) != 1] or shapes
        # Of boxes that are alike, the one with the longest sides first.
        shapes.sort(key=lambda shape: (round(average_distance(shape, grid), 9), [-side for side in shape]))
        if self.cubic:
            minimum = min(shapes, key=lambda shape: (sum(shape), sorted(shape)))
            shapes = [shape for shape in shapes if sorted(shape) == sorted(minimum)]
        if not self.rotations:
            shapes.sort(key=lambda shape: [-side for side in shape])
            firsts = {tuple(sorted(shape)): shape for shape in reversed(shapes)}
            shapes = sorted(firsts.values(), key=lambda shape: average_distance(shape, grid))
        return shapes


@dataclass(eq=False)
class BestShapes:
    """The box and mapping that a ranking names first for a job's application: rule BPS.

    A job whose best box is not free waits for it (Pascual, Miguel-Alonso and Lozano, J. Supercomput. 71,
    2015). With `others` it takes the next best.
    """

    grid: Grid
    ranking: Ranking
    _: KW_ONLY
    rotations: bool = True
    others: bool = False

    def __call__(self, job: Job) -> Choices:
        choices: dict[tuple[Shape, str], None] = {}
        ranked = self.ranking(job)
        for shape, mapping in ranked if self.others else ranked[:1]:
            if len(shape) != self.grid.dims or math.prod(shape) < job.nodes or not self._fits(shape):
                raise ValueError(
                    f"job {job.number}: the ranking names shape {shape}, expected a box of {job.nodes} nodes "
                    f"that fits {self.grid}"
                )
            turned = itertools.permutations(shape) if self.rotations else [shape]
            choices |= {(other, mapping): None for other in turned if self._fits(other)}
        if not choices:
            raise ValueError(
                f"job {job.number}: the ranking names no shape for program {job.program!r} "
                f"on {job.nodes} nodes"
            )
        return list(choices)

    def _fits(self, shape: Shape) -> bool:
        return all(side <= size for side, size in zip(shape, self.grid.sizes, strict=True))
