"""BT and SP: solvers of the Navier-Stokes equations on a multipartitioned cube.

The cube is cut into ``q**3`` cells for ``q * q`` tasks. Every task holds q cells along a diagonal, one in
each layer of each axis, so that all tasks work in every step of a sweep along any axis::

    cell c of task i + q*j:  x = i + c,  y = j - c,  z = c   (mod q)

All its neighbors along an axis belong to one task on each side: six partners in all. Routines ``make_set``,
``compute_buffer_size`` and ``copy_faces`` of the sources; Naik, "A scalable implementation of the NAS
parallel benchmark BT on distributed memory systems", IBM Systems J. 34(2), 1995.

Each iteration (``adi``) exchanges the cells' faces with the six partners at once (``copy_faces``), then
solves along x, y and z in turn (``x_solve``, ``y_solve``, ``z_solve``) with q - 1 messages to the successor
and q - 1 messages to the predecessor. There are no collectives. Bailey et al. 1991; sources ``BT/*.f`` and
``SP/*.f`` of NPB 3.3.1.

The block-tridiagonal BT sends 5x5 blocks and vectors of 5 for each line (30 numbers), then back vectors only
(5 numbers). Every such message carries ``(points // q + 1)**2`` lines, the largest face a cell may have,
whatever the cell. The scalar-pentadiagonal SP sends two rows of matrix and right-hand side (22 numbers a
line), then back two rows of the solution (10 numbers a line). A message carries the lines of one cell that do
not lie on the surface of the cube, so sizes differ from cell to cell.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isqrt

from netplace.apps.npb.classes import (
    BT_CLASSES,
    SP_CLASSES,
    Cube,
    check_tasks,
    iteration_count,
    problem_of,
    squares,
)
from netplace.apps.npb.timed import Run, timed_program
from netplace.apps.program import Program
from netplace.apps.task import TaskWriter

AXES = (0, 1, 2)
LEAST_CELL = 3  # points along the edge of a cell; the stencil reaches two points into it
TO_SUCCESSOR = (2000, 4000, 7000)  # tags of face messages: east, north, top
TO_PREDECESSOR = (3000, 5000, 6000)  # west, south, bottom
DOUBLE = 8
VARIABLES = 5

Cell = tuple[int, int, int]


@dataclass(frozen=True)
class Multipartition:
    """A cube of `points` along each axis, cut for `tasks` tasks, a square number."""

    points: int
    tasks: int

    @property
    def cuts(self) -> int:
        """Cells along each axis, which is also the number of cells of a task."""
        return isqrt(self.tasks)

    def cells(self, task: int) -> list[Cell]:
        """Return the coordinates of the task's cells, bottom layer first."""
        q = self.cuts
        i, j = task % q, task // q
        return [((i + c) % q, (j - c) % q, c) for c in range(q)]

    def length(self, place: int) -> int:
        """Return the points along the edge of cells with coordinate `place`; the first get the rest."""
        return self.points // self.cuts + (place < self.points % self.cuts)

    def inner_length(self, place: int) -> int:
        """Return the same without the points on the surface of the cube."""
        return self.length(place) - (place == 0) - (place == self.cuts - 1)

    def successor(self, task: int, axis: int) -> int:
        return self._shifted(task, axis, 1)

    def predecessor(self, task: int, axis: int) -> int:
        return self._shifted(task, axis, -1)

    def _shifted(self, task: int, axis: int, step: int) -> int:
        q = self.cuts
        right, up = ((step, 0), (0, step), (-step, step))[axis]
        return (task % q + right) % q + q * ((task // q + up) % q)

    def face_bytes(self, task: int, axis: int, edge: int) -> int:
        """Return the bytes of two planes of each cell of the task but the one at coordinate `edge`."""
        a, b = across(axis)
        planes = sum(
            self.length(cell[a]) * self.length(cell[b]) for cell in self.cells(task) if cell[axis] != edge
        )
        return 2 * VARIABLES * DOUBLE * planes


Message = Callable[[Multipartition, int, Cell, bool], tuple[int, int]]
"""Bytes and tag of the message of a cell along an axis, forward or backward."""


def across(axis: int) -> tuple[int, int]:
    return ((1, 2), (0, 2), (0, 1))[axis]


def _exchange_faces(writer: TaskWriter, grid: Multipartition) -> None:
    """Append the exchange of two planes with the six partners, all at once (``copy_faces``)."""
    if grid.tasks == 1:
        return
    last = grid.cuts - 1
    received, sent = [], []
    for axis in AXES:
        ahead, behind = grid.successor(writer.task, axis), grid.predecessor(writer.task, axis)
        received += [
            (ahead, grid.face_bytes(ahead, axis, 0), TO_PREDECESSOR[axis]),
            (behind, grid.face_bytes(behind, axis, last), TO_SUCCESSOR[axis]),
        ]
        sent += [
            (ahead, grid.face_bytes(writer.task, axis, last), TO_SUCCESSOR[axis]),
            (behind, grid.face_bytes(writer.task, axis, 0), TO_PREDECESSOR[axis]),
        ]
    requests = [writer.irecv(*message) for message in received]
    requests += [writer.isend(*message) for message in sent]
    writer.waitall(requests)


def multipartitioned(
    name: str,
    classes: dict[str, Cube],
    problem_class: str,
    tasks: int,
    iterations: int | None,
    message: Message,
    send_first: bool,
) -> Program:
    """Return the timed section of BT or SP: faces are exchanged, then lines are solved along x, y and z.

    `message` returns bytes and tag of the message of a cell in a sweep. With `send_first`, a step waits for
    the previous send, and then for its receive.
    """
    problem = problem_of(name, classes, problem_class)
    steps = iteration_count(name, iterations, problem.iterations)
    tasks = check_tasks(name, problem_class, tasks, squares(problem.points // LEAST_CELL))
    grid = Multipartition(problem.points, tasks)

    def iteration(writer: TaskWriter) -> None:
        _exchange_faces(writer, grid)
        for axis in AXES:
            layers = sorted(grid.cells(writer.task), key=lambda cell: cell[axis])
            ahead, behind = grid.successor(writer.task, axis), grid.predecessor(writer.task, axis)
            forward = [message(grid, axis, cell, True) for cell in layers]
            backward = [message(grid, axis, cell, False) for cell in reversed(layers)]
            _pass_on(writer, behind, ahead, forward, send_first)
            _pass_on(writer, ahead, behind, backward, send_first)

    return timed_program(f"{name}.{problem_class.upper()}.{tasks}", tasks, lambda _: [Run(iteration, steps)])


def _pass_on(
    writer: TaskWriter, src: int, dst: int, messages: list[tuple[int, int]], send_first: bool
) -> None:
    if len(messages) == 1:
        return
    sent = writer.isend(dst, *messages[0])
    for step, message in enumerate(messages[1:], start=2):
        received = writer.irecv(src, *message)
        writer.waitall((sent, received) if send_first else (received, sent))
        if step < len(messages):
            sent = writer.isend(dst, *message)


# Numbers of a line, and the first tag of each axis; the place of a cell within its layer is added.
BT_FORWARD = 5 * 5 + 5, (3000, 5000, 6000)
BT_BACKWARD = 5, (2000, 4000, 7000)


def bt(problem_class: str, tasks: int, iterations: int | None = None) -> Program:
    """Return the timed section of BT; iterations are time steps.

    `tasks` is a square number; cells must have at least three points along each edge.
    """
    return multipartitioned("bt", BT_CLASSES, problem_class, tasks, iterations, _bt_message, send_first=True)


def _bt_message(grid: Multipartition, axis: int, cell: Cell, forward: bool) -> tuple[int, int]:
    numbers, tags = BT_FORWARD if forward else BT_BACKWARD
    a, b = across(axis)
    lines = (grid.points // grid.cuts + 1) ** 2
    return numbers * lines * DOUBLE, tags[axis] + cell[a] + cell[b] * grid.cuts


SP_FORWARD, SP_BACKWARD = 22, 10  # numbers of a line


def sp(problem_class: str, tasks: int, iterations: int | None = None) -> Program:
    """Return the timed section of SP; iterations are time steps.

    `tasks` is a square number; cells must have at least three points along each edge.
    """
    return multipartitioned("sp", SP_CLASSES, problem_class, tasks, iterations, _sp_message, send_first=False)


def _sp_message(grid: Multipartition, axis: int, cell: Cell, forward: bool) -> tuple[int, int]:
    a, b = across(axis)
    lines = grid.inner_length(cell[a]) * grid.inner_length(cell[b])
    return (SP_FORWARD if forward else SP_BACKWARD) * lines * DOUBLE, 0
