"""LU: symmetric successive over-relaxation, a wavefront over a grid of tasks.

Columns of the cube are dealt to a grid of ``xdim * ydim`` tasks (``proc_grid``, ``neighbors``,
``subdomain``)::

            west
             |
    north -- task -- south      task = x + xdim * y;  south is x + 1, east is y + 1
             |
            east

Each iteration (``ssor``) sweeps plane by plane from the north-west corner (``blts``: receive a line from
north and west, send one to south and east), then back from the south-east corner (``buts``), and then
exchanges two planes with all four neighbors (``rhs``, ``exchange_3``). The last iteration also computes two
norms, an allreduce of five numbers each (``l2norm``), before and after that exchange. Bailey et al. 1991;
sources ``LU/*.f`` of NPB 3.3.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from netplace.apps.collectives import Collectives, allreduce
from netplace.apps.npb.classes import LU_CLASSES, check_tasks, iteration_count, near_square, problem_of
from netplace.apps.npb.timed import Run, timed_program
from netplace.apps.program import Program
from netplace.apps.task import TaskWriter

FROM_SOUTH, FROM_NORTH, FROM_EAST, FROM_WEST = 1, 2, 3, 4  # tags
LEAST_BLOCK = 3  # points along the edge of a task's block
VARIABLES = 5
DOUBLE = 8


def lu(
    problem_class: str, tasks: int, iterations: int | None = None, collectives: Collectives | None = None
) -> Program:
    """Return the timed section of LU; iterations are pseudo-time steps.

    `tasks` is a power of two, or a product of two factors of which the larger is at most twice the smaller;
    blocks must have at least three points along each edge. Norms are computed in the last iteration, as if
    the benchmark had been built for this number of iterations.
    """
    problem = problem_of("lu", LU_CLASSES, problem_class)
    steps = iteration_count("lu", iterations, problem.iterations)
    tasks = check_tasks("lu", problem_class, tasks, _counts(problem.points))

    def runs(task: int) -> list[Run]:
        block = Block.of(task, tasks, problem.points)
        last = Run(partial(_iteration, block=block, norms=True), 1)
        return [Run(partial(_iteration, block=block, norms=False), steps - 1), last] if steps > 1 else [last]

    return timed_program(f"lu.{problem_class.upper()}.{tasks}", tasks, runs, collectives=collectives)


def _counts(points: int) -> list[int]:
    maximum = points // LEAST_BLOCK
    grids = ((x, y) for x in range(1, maximum + 1) for y in range((x + 1) // 2, x + 1))
    return sorted({x * y for x, y in grids if near_square(x * y) == (x, y)})


@dataclass(frozen=True)
class Block:
    """The part of the cube of one task, and its neighbors; None where the cube ends."""

    # Points along each axis.
    x: int
    y: int
    z: int
    # The same without the points on the surface of the cube, where nothing is solved.
    inner_x: int
    inner_y: int
    # The neighbors.
    north: int | None
    south: int | None
    west: int | None
    east: int | None

    @classmethod
    def of(cls, task: int, tasks: int, points: int) -> Block:
        width, height = near_square(tasks)
        row, column = task % width, task // width
        x = points // width + (row < points % width)
        y = points // height + (column < points % height)
        return cls(
            x=x,
            y=y,
            z=points,
            inner_x=x - (row == 0) - (row == width - 1),
            inner_y=y - (column == 0) - (column == height - 1),
            north=task - 1 if row > 0 else None,
            south=task + 1 if row < width - 1 else None,
            west=task - width if column > 0 else None,
            east=task + width if column < height - 1 else None,
        )


def _iteration(writer: TaskWriter, block: Block, norms: bool) -> None:
    north_south, west_east = VARIABLES * DOUBLE * block.inner_y, VARIABLES * DOUBLE * block.inner_x
    north = (block.north, north_south, FROM_NORTH)
    west = (block.west, west_east, FROM_WEST)
    south = (block.south, north_south, FROM_SOUTH)
    east = (block.east, west_east, FROM_EAST)
    # A message carries the tag of the side on which it arrives, opposite to the one on which it leaves.
    to_south, to_east = (block.south, north_south, FROM_NORTH), (block.east, west_east, FROM_WEST)
    to_north, to_west = (block.north, north_south, FROM_SOUTH), (block.west, west_east, FROM_EAST)
    _planes(writer, block.z - 2, [north, west], [to_south, to_east])
    _planes(writer, block.z - 2, [south, east], [to_north, to_west])
    if norms:
        _norm(writer)
    _shift_both_ways(writer, block.north, block.south, 2 * block.y * block.z, (FROM_NORTH, FROM_SOUTH))
    _shift_both_ways(writer, block.west, block.east, 2 * block.x * block.z, (FROM_WEST, FROM_EAST))
    if norms:
        _norm(writer)


def _planes(
    writer: TaskWriter,
    planes: int,
    receives: list[tuple[int | None, int, int]],
    sends: list[tuple[int | None, int, int]],
) -> None:
    for _ in range(planes):
        for src, bytes, tag in receives:
            if src is not None:
                writer.recv(src, bytes, tag)
        for dst, bytes, tag in sends:
            if dst is not None:
                writer.send(dst, bytes, tag)


def _shift_both_ways(
    writer: TaskWriter, before: int | None, behind: int | None, points: int, tags: tuple[int, int]
) -> None:
    """Append the shift of two planes from `before` to `behind`, and then back."""
    for (src, dst), tag in zip(((before, behind), (behind, before)), tags, strict=True):
        bytes = VARIABLES * DOUBLE * points
        request = writer.irecv(src, bytes, tag) if src is not None else None
        if dst is not None:
            writer.send(dst, bytes, tag)
        if request is not None:
            writer.wait(request)


def _norm(writer: TaskWriter) -> None:
    allreduce(writer, range(writer.tasks), VARIABLES * DOUBLE)
