"""BT: block-tridiagonal solver of the Navier-Stokes equations on a multipartitioned cube.

Each iteration (``adi``) exchanges the cells' faces with the six partners at once (``copy_faces``), then
solves along x, y and z in turn (``x_solve``, ``y_solve``, ``z_solve``): q - 1 messages to the successor of
5x5 blocks and vectors of 5 for each line (30 numbers), then q - 1 messages to the predecessor of vectors
only (5 numbers). Every such message carries ``(points // q + 1)**2`` lines, the largest face a cell may
have, whatever the cell. There are no collectives. Bailey et al. 1991; sources ``BT/*.f`` of NPB 3.3.1.
"""

from __future__ import annotations

from netplace.apps.npb.classes import BT_CLASSES
from netplace.apps.npb.multipartition import DOUBLE, Cell, Multipartition, across, multipartitioned
from netplace.apps.program import Program

# Numbers of a line, and the first tag of each axis; the place of a cell within its layer is added.
FORWARD = 5 * 5 + 5, (3000, 5000, 6000)
BACKWARD = 5, (2000, 4000, 7000)


def bt(problem_class: str, tasks: int, iterations: int | None = None) -> Program:
    """Return the timed section of BT; iterations are time steps.

    `tasks` is a square number; cells must have at least three points along each edge.
    """
    return multipartitioned("bt", BT_CLASSES, problem_class, tasks, iterations, _message, send_first=True)


def _message(grid: Multipartition, axis: int, cell: Cell, forward: bool) -> tuple[int, int]:
    numbers, tags = FORWARD if forward else BACKWARD
    a, b = across(axis)
    lines = (grid.points // grid.cuts + 1) ** 2
    return numbers * lines * DOUBLE, tags[axis] + cell[a] + cell[b] * grid.cuts
