"""The multipartition of BT and SP, and their common communication.

The cube is cut into ``q**3`` cells for ``q * q`` tasks. Every task holds q cells along a diagonal, one in
each layer of each axis, so that all tasks work in every step of a sweep along any axis::

    cell c of task i + q*j:  x = i + c,  y = j - c,  z = c   (mod q)

All its neighbors along an axis belong to one task on each side: six partners in all. Routines ``make_set``,
``compute_buffer_size`` and ``copy_faces`` of the sources; Naik, "A scalable implementation of the NAS
parallel benchmark BT on distributed memory systems", IBM Systems J. 34(2), 1995.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isqrt

from netplace.apps.npb.classes import Cube, check_tasks, iteration_count, problem_of, squares
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
