"""BT: block-tridiagonal solver of the Navier-Stokes equations on a multipartitioned cube.

Each iteration (``adi``) exchanges the cells' faces with the six partners at once (``copy_faces``), then
solves along x, y and z in turn (``x_solve``, ``y_solve``, ``z_solve``): q - 1 messages to the successor of
5x5 blocks and vectors of 5 for each line (30 numbers), then q - 1 messages to the predecessor of vectors
only (5 numbers). Every such message carries ``(points // q + 1)**2`` lines, the largest face a cell may
have, whatever the cell. There are no collectives. Bailey et al. 1991; sources ``BT/*.f`` of NPB 3.3.1.
"""

from __future__ import annotations

from netplace.apps.npb.classes import BT_CLASSES, check_tasks, iteration_count, problem_of, squares
from netplace.apps.npb.multipartition import (
    AXES,
    DOUBLE,
    LEAST_CELL,
    Cell,
    Multipartition,
    across,
    exchange_faces,
    sweep,
)
from netplace.apps.npb.timed import Run, timed_program
from netplace.apps.program import Program
from netplace.apps.task import TaskWriter

__all__ = ["bt"]

FORWARD_TAGS = (3000, 5000, 6000)
BACKWARD_TAGS = (2000, 4000, 7000)
FORWARD_NUMBERS = 5 * 5 + 5
BACKWARD_NUMBERS = 5


def bt(problem_class: str, tasks: int, iterations: int | None = None) -> Program:
    """Return the timed section of BT.

    Parameters
    ----------
    problem_class : str
        S, W, A, B, C or D.
    tasks : int
        A square number, with cells of at least three points along each edge.
    iterations : int, optional
        Time steps; the benchmark's own number if not given.

    Raises
    ------
    ValueError
        If the class does not exist, cannot run on this number of tasks, or the program would be too large.
    """
    problem = problem_of("bt", BT_CLASSES, problem_class)
    steps = iteration_count("bt", iterations, problem.iterations)
    tasks = check_tasks("bt", problem_class, tasks, squares(problem.points // LEAST_CELL))
    grid = Multipartition(problem.points, tasks)
    lines = (problem.points // grid.cuts + 1) ** 2

    def forward(axis: int, cell: Cell) -> tuple[int, int]:
        return FORWARD_NUMBERS * lines * DOUBLE, FORWARD_TAGS[axis] + _place(grid, axis, cell)

    def backward(axis: int, cell: Cell) -> tuple[int, int]:
        return BACKWARD_NUMBERS * lines * DOUBLE, BACKWARD_TAGS[axis] + _place(grid, axis, cell)

    def iteration(writer: TaskWriter) -> None:
        exchange_faces(writer, grid)
        for axis in AXES:
            sweep(writer, grid, axis, forward, backward, send_first=True)

    return timed_program(f"bt.{problem_class.upper()}.{tasks}", tasks, lambda _: [Run(iteration, steps)])


def _place(grid: Multipartition, axis: int, cell: Cell) -> int:
    """Return the number of a cell within its layer, which the tags of its messages carry."""
    a, b = across(axis)
    return cell[a] + cell[b] * grid.cuts
