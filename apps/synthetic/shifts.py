"""Applications in which tasks on a grid of rings send to their upper neighbors, round after round.

In a round each task sends one message up every ring, the last axis first, then receives those that come up to
it; there are as many rounds as a ring has tasks, so that what a task sends could go all the way round.
INSEE's generators of 2-D and 3-D tori are so; in `netplace.apps.synthetic.neighbours` neighbors exchange
once, both ways, as in INSEE's rectangular tori. The transposed variants are this project's, as there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from netplace.apps.program import Program
from netplace.apps.synthetic.grid import Grid
from netplace.apps.synthetic.rounds import Round, in_rounds, receive, send
from netplace.checks import check_int

Sizes = str | Sequence[int] | None


def shift_2d(tasks: int, bytes: int = 64, rounds: int | None = None, grid: Sizes = None) -> Program:
    """Shift along the rings of a 2D grid, by default as many rounds as its longest ring has tasks.

    ::

        > 0 --> 1 --> 2 >
          |     |     |
          v     v     v
        > 3 --> 4 --> 5 >
          v     v     v
    """
    return _shift(Grid.of(tasks, 2, grid, wraps=True), tasks, bytes, rounds, "2d-shift")


def t_shift_2d(tasks: int, bytes: int = 64, rounds: int | None = None, grid: Sizes = None) -> Program:
    """Shift as in `shift_2d` on the transposed grid.

    ::

        > 0 --> 2 --> 4 >
          |     |     |
          v     v     v
        > 1 --> 3 --> 5 >
          v     v     v
    """
    return _shift(Grid.of(tasks, 2, grid, True, True), tasks, bytes, rounds, "2d-t-shift")


def shift_3d(tasks: int, bytes: int = 64, rounds: int | None = None, grid: Sizes = None) -> Program:
    """Shift along the rings of a 3D grid, by default as many rounds as its longest ring has tasks.

    ::

        > 0 --> 1 --> 2 >      a task also sends to the one behind it
          |     |     |
          v     v     v
        > 3 --> 4 --> 5 >
          v     v     v
    """
    return _shift(Grid.of(tasks, 3, grid, wraps=True), tasks, bytes, rounds, "3d-shift")


def t_shift_3d(tasks: int, bytes: int = 64, rounds: int | None = None, grid: Sizes = None) -> Program:
    """Shift as in `shift_3d` on the transposed grid.

    ::

        > 0 --> 4 --> 8 >      a task also sends to the one behind it
          |     |     |
          v     v     v
        > 2 --> 6 --> 10 >
          v     v     v
    """
    return _shift(Grid.of(tasks, 3, grid, True, True), tasks, bytes, rounds, "3d-t-shift")


def _shift(grid: Grid, tasks: int, bytes: int, rounds: int | None, name: str) -> Program:
    count = max(grid.sizes) if rounds is None else check_int(rounds, f"rounds of {name}")
    axes = range(len(grid.sizes))[::-1]

    def once(task: NDArray[np.int64]) -> Round:
        up = [send(grid.step(task, axis, 1)) for axis in axes]
        return Round.of([*up, *(receive(grid.step(task, axis, -1)) for axis in axes)])

    return in_rounds(tasks, bytes, count, name, lambda _: 2 * grid.steps, once)
