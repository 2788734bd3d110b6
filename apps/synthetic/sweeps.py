"""Applications in which a wavefront from task 0 crosses a virtual grid.

Each task receives from the lower neighbors that exist, and then sends to the upper ones (X, then Y, then Z).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.apps.program import Program
from netplace.apps.synthetic.rounds import Grid, Round, Sizes, in_rounds, receive, send

__all__ = ["sweep_2d", "sweep_3d", "t_sweep_2d", "waterfall"]


def sweep_2d(tasks: int, bytes: int = 64, rounds: int = 1, grid: Sizes = None) -> Program:
    """Let a wavefront cross a 2D grid.

    ::

        0 --> 1 --> 2
        |     |     |
        v     v     v
        3 --> 4 --> 5
    """
    return _sweep(Grid.of(tasks, 2, grid), tasks, bytes, rounds, "2d-sweep")


def t_sweep_2d(tasks: int, bytes: int = 64, rounds: int = 1, grid: Sizes = None) -> Program:
    """Let a wavefront cross a grid as in `sweep_2d`, but on the transposed grid."""
    return _sweep(Grid.of(tasks, 2, grid, transposed=True), tasks, bytes, rounds, "2d-t-sweep")


def sweep_3d(tasks: int, bytes: int = 64, rounds: int = 1, grid: Sizes = None) -> Program:
    """Let a wavefront cross a 3D grid.

    ::

           4 ----> 5
          ^       ^
         0 ----> 1         and down: 0 -> 2, 1 -> 3, 4 -> 6, 5 -> 7
           6 ----> 7
          ^       ^
         2 ----> 3
    """
    return _sweep(Grid.of(tasks, 3, grid), tasks, bytes, rounds, "3d-sweep")


def waterfall(tasks: int, bytes: int = 64, rounds: int = 10, grid: Sizes = None) -> Program:
    """Let wavefronts cross a 2D grid one behind the other: `sweep_2d` with several rounds.

    ::

        0 ==> 1 ==> 2        a task sends the front of round r + 1
        |     |     |        while that of round r travels on
        v     v     v
        3 ==> 4 ==> 5
    """
    return _sweep(Grid.of(tasks, 2, grid), tasks, bytes, rounds, "waterfall")


def _sweep(grid: Grid, tasks: int, bytes: int, rounds: int, name: str) -> Program:
    def once(task: NDArray[np.int64]) -> Round:
        lower, upper = grid.neighbours(task, [-1]), grid.neighbours(task, [1])
        return Round.of([*map(receive, lower), *map(send, upper)])

    return in_rounds(tasks, bytes, rounds, name, lambda _: 2 * grid.steps, once)
