"""Applications in which tasks on a virtual grid exchange messages with their neighbors.

Each task sends to every neighbor that exists (X+, X-, Y+, Y-, ..), and then receives from all of them in the
same order. On a ring of two tasks, both neighbors are the same task, which gets two messages.

The literature mentions the transposed variants (T-Mesh, T-Torus, T-Sweep) without defining them. In netplace,
they are the same exchange on the transposed grid (`netplace.apps.synthetic.rounds.Grid`): a consecutive
mapping, which is perfect for the plain pattern, then no longer lines up with the network's axes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.apps.program import Program
from netplace.apps.synthetic.rounds import Grid, Round, Sizes, exchange, in_rounds, receive, send
from netplace.inputs import check_int


def mesh_2d(tasks: int, bytes: int = 64, rounds: int = 1, grid: Sizes = None) -> Program:
    """Exchange messages with the neighbors on a 2D grid without wraparound.

    ::

        0 <-> 1 <-> 2
        ^     ^     ^
        v     v     v
        3 <-> 4 <-> 5
    """
    return _exchange_on(Grid.of(tasks, 2, grid), tasks, bytes, rounds, "2d-mesh")


def torus_2d(tasks: int, bytes: int = 64, rounds: int = 1, grid: Sizes = None) -> Program:
    """Exchange messages with the neighbors on a 2D grid whose rows and columns are rings.

    ::

          |     |     |
        - 0 <-> 1 <-> 2 -
          ^     ^     ^
          v     v     v
        - 3 <-> 4 <-> 5 -
          |     |     |
    """
    return _exchange_on(Grid.of(tasks, 2, grid, wraps=True), tasks, bytes, rounds, "2d-torus")


def t_mesh_2d(tasks: int, bytes: int = 64, rounds: int = 1, grid: Sizes = None) -> Program:
    """Exchange messages as in `mesh_2d`, but on the transposed grid.

    ::

        0 <-> 2 <-> 4
        ^     ^     ^
        v     v     v
        1 <-> 3 <-> 5
    """
    return _exchange_on(Grid.of(tasks, 2, grid, transposed=True), tasks, bytes, rounds, "2d-t-mesh")


def t_torus_2d(tasks: int, bytes: int = 64, rounds: int = 1, grid: Sizes = None) -> Program:
    """Exchange messages as in `torus_2d`, but on the transposed grid."""
    return _exchange_on(Grid.of(tasks, 2, grid, True, True), tasks, bytes, rounds, "2d-t-torus")


def mesh_3d(tasks: int, bytes: int = 64, rounds: int = 1, grid: Sizes = None) -> Program:
    """Exchange messages with the neighbors on a 3D grid without wraparound.

    ::

           4 ----- 5
          /|      /|
         0 ----- 1 |
         | 6 ----|-7
         |/      |/
         2 ----- 3
    """
    return _exchange_on(Grid.of(tasks, 3, grid), tasks, bytes, rounds, "3d-mesh")


def torus_3d(tasks: int, bytes: int = 64, rounds: int = 1, grid: Sizes = None) -> Program:
    """Exchange messages with the neighbors on a 3D grid whose lines are all rings.

    ::

            :       :
           9 ----- 10 ..
          /|      /|
       - 0 ----- 1 ----- 2 -
         | :     | :     |
         3 ----- 4 ----- 5 ..
    """
    return _exchange_on(Grid.of(tasks, 3, grid, wraps=True), tasks, bytes, rounds, "3d-torus")


def t_mesh_3d(tasks: int, bytes: int = 64, rounds: int = 1, grid: Sizes = None) -> Program:
    """Exchange messages as in `mesh_3d`, but on the transposed grid."""
    return _exchange_on(Grid.of(tasks, 3, grid, transposed=True), tasks, bytes, rounds, "3d-t-mesh")


def t_torus_3d(tasks: int, bytes: int = 64, rounds: int = 1, grid: Sizes = None) -> Program:
    """Exchange messages as in `torus_3d`, but on the transposed grid."""
    return _exchange_on(Grid.of(tasks, 3, grid, True, True), tasks, bytes, rounds, "3d-t-torus")


def _exchange_on(grid: Grid, tasks: int, bytes: int, rounds: int, name: str) -> Program:
    def once(task: NDArray[np.int64]) -> Round:
        return Round.of(exchange(grid.neighbours(task)))

    return in_rounds(tasks, bytes, rounds, name, lambda _: 4 * grid.steps, once)


# Shifts: in a round each task sends one message up every ring, the last axis first, then receives those that
# come up to it; there are as many rounds as a ring has tasks, so that a message could go all the way round.
# INSEE's generators of 2-D and 3-D tori do so; in its rectangular tori, neighbors exchange once, both ways.


def shift_2d(tasks: int, bytes: int = 64, rounds: int | None = None, grid: Sizes = None) -> Program:
    """Shift messages along the rings of a 2D grid; by default, one round for each task of its longest ring.

    ::

        > 0 --> 1 --> 2 >
          |     |     |
          v     v     v
        > 3 --> 4 --> 5 >
          v     v     v
    """
    return _shift(Grid.of(tasks, 2, grid, wraps=True), tasks, bytes, rounds, "2d-shift")


def t_shift_2d(tasks: int, bytes: int = 64, rounds: int | None = None, grid: Sizes = None) -> Program:
    """Shift messages as in `shift_2d`, but on the transposed grid."""
    return _shift(Grid.of(tasks, 2, grid, True, True), tasks, bytes, rounds, "2d-t-shift")


def shift_3d(tasks: int, bytes: int = 64, rounds: int | None = None, grid: Sizes = None) -> Program:
    """Shift messages as in `shift_2d`, but along the rings of a 3D grid."""
    return _shift(Grid.of(tasks, 3, grid, wraps=True), tasks, bytes, rounds, "3d-shift")


def t_shift_3d(tasks: int, bytes: int = 64, rounds: int | None = None, grid: Sizes = None) -> Program:
    """Shift messages as in `shift_3d`, but on the transposed grid."""
    return _shift(Grid.of(tasks, 3, grid, True, True), tasks, bytes, rounds, "3d-t-shift")


def _shift(grid: Grid, tasks: int, bytes: int, rounds: int | None, name: str) -> Program:
    count = max(grid.sizes) if rounds is None else check_int(rounds, f"rounds of {name}")
    axes = range(len(grid.sizes))[::-1]

    def once(task: NDArray[np.int64]) -> Round:
        up = [send(grid.step(task, axis, 1)) for axis in axes]
        return Round.of([*up, *(receive(grid.step(task, axis, -1)) for axis in axes)])

    return in_rounds(tasks, bytes, count, name, lambda _: 2 * grid.steps, once)
