"""SP: scalar-pentadiagonal solver of the Navier-Stokes equations on a multipartitioned cube.

Each iteration (``adi``) exchanges the cells' faces with the six partners at once (``copy_faces``), then
solves along x, y and z in turn (``x_solve``, ``y_solve``, ``z_solve``): q - 1 messages to the successor of
two rows of matrix and right-hand side (22 numbers a line), then q - 1 messages to the predecessor of two
rows of the solution (10 numbers a line). A message carries the lines of one cell that do not lie on the
surface of the cube, so sizes differ from cell to cell. There are no collectives. Bailey et al. 1991;
sources ``SP/*.f`` of NPB 3.3.1.
"""

from __future__ import annotations

from netplace.apps.npb.classes import SP_CLASSES
from netplace.apps.npb.multipartition import DOUBLE, Cell, Multipartition, across, multipartitioned
from netplace.apps.program import Program

FORWARD, BACKWARD = 22, 10  # numbers of a line


def sp(problem_class: str, tasks: int, iterations: int | None = None) -> Program:
    """Return the timed section of SP; iterations are time steps.

    `tasks` is a square number; cells must have at least three points along each edge.
    """
    return multipartitioned("sp", SP_CLASSES, problem_class, tasks, iterations, _message, send_first=False)


def _message(grid: Multipartition, axis: int, cell: Cell, forward: bool) -> tuple[int, int]:
    a, b = across(axis)
    lines = grid.inner_length(cell[a]) * grid.inner_length(cell[b])
    return (FORWARD if forward else BACKWARD) * lines * DOUBLE, 0
