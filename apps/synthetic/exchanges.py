"""Applications in which each task exchanges messages with others: all at once, or one after another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.apps.program import Program
from netplace.apps.synthetic.rounds import Round, exchange, in_rounds
from netplace.checks import check_choice

__all__ = ["ORDERS", "all_to_all", "butterfly"]

ORDERS = {
    "rotated": "task i sends to i+1, i+2, .., i-1",
    "identifier": "every task sends to 0, 1, 2, .. except itself",
}


def all_to_all(tasks: int, bytes: int = 64, rounds: int = 1, order: str = "rotated") -> Program:
    """Each task sends to all others, and then receives from all of them in the same order.

    ::

        0 --> 1 2 3      then      0 <-- 1 2 3
        1 --> 2 3 0                1 <-- 2 3 0
        2 --> 3 0 1                2 <-- 3 0 1
        3 --> 0 1 2                3 <-- 0 1 2

    With ``order="identifier"``, all tasks begin with task 0, where their messages meet.
    """
    check_choice(order, ORDERS, "order of all-to-all")

    def once(task: NDArray[np.int64]) -> Round:
        if order == "rotated":
            return Round.of(exchange((task + k) % tasks for k in range(1, tasks)))
        return Round.of(exchange(k + (k >= task) for k in range(tasks - 1)))

    return in_rounds(tasks, bytes, rounds, "all-to-all", lambda tasks: 2 * tasks * (tasks - 1), once)


def butterfly(tasks: int, bytes: int = 64, rounds: int = 1) -> Program:
    """In stage k, each task exchanges messages with the task whose number differs in bit k.

    ::

        stage 0      stage 1      stage 2
        0 <-> 1      0 <-> 2      0 <-> 4
        2 <-> 3      1 <-> 3      1 <-> 5
        4 <-> 5      4 <-> 6      2 <-> 6
        6 <-> 7      5 <-> 7      3 <-> 7
    """
    if tasks < 2 or tasks & (tasks - 1):
        raise ValueError(f"tasks of butterfly: {tasks} is not a power of two of at least 2")

    stages = tasks.bit_length() - 1

    def once(task: NDArray[np.int64]) -> Round:
        return Round.of(step for bit in range(stages) for step in exchange([task ^ 1 << bit]))

    return in_rounds(tasks, bytes, rounds, "butterfly", lambda tasks: 2 * tasks * stages, once)
