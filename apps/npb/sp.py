"""SP: scalar-pentadiagonal solver of the Navier-Stokes equations on a multipartitioned cube.

Each iteration (``adi``) exchanges the cells' faces with the six partners at once (``copy_faces``), then
solves along x, y and z in turn (``x_solve``, ``y_solve``, ``z_solve``): q - 1 messages to the successor of
two rows of matrix and right-hand side (22 numbers a line), then q - 1 messages to the predecessor of two
rows of the solution (10 numbers a line). A message carries the lines of one cell that do not lie on the
surface of the cube, so sizes differ from cell to cell. There are no collectives. Bailey et al. 1991;
sources ``SP/*.f`` of NPB 3.3.1.
"""

from __future__ import annotations

from netplace.apps.npb.classes import SP_CLASSES, check_tasks, iteration_count, problem_of, squares
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

__all__ = ["sp"]

TAG = 0
FORWARD_NUMBERS = 22
BACKWARD_NUMBERS = 10


def sp(problem_class: str, tasks: int, iterations: int | None = None) -> Program:
    """Return the timed section of SP.

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
    problem = problem_of("sp", SP_CLASSES, problem_class)
    steps = iteration_count("sp", iterations, problem.iterations)
    tasks = check_tasks("sp", problem_class, tasks, squares(problem.points // LEAST_CELL))
    grid = Multipartition(problem.points, tasks)

    def forward(axis: int, cell: Cell) -> tuple[int, int]:
        return FORWARD_NUMBERS * _lines(grid, axis, cell) * DOUBLE, TAG

    def backward(axis: int, cell: Cell) -> tuple[int, int]:
        return BACKWARD_NUMBERS * _lines(grid, axis, cell) * DOUBLE, TAG

    def iteration(writer: TaskWriter) -> None:
        exchange_faces(writer, grid)
        for axis in AXES:
            sweep(writer, grid, axis, forward, backward, send_first=False)

    return timed_program(f"sp.{problem_class.upper()}.{tasks}", tasks, lambda _: [Run(iteration, steps)])


def _lines(grid: Multipartition, axis: int, cell: Cell) -> int:
    a, b = across(axis)
    return grid.inner_length(cell[a]) * grid.inner_length(cell[b])
