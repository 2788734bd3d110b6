"""Applications in which tasks send messages to task 0 or receive messages from it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from netplace.apps.operation import Op
from netplace.apps.program import Program
from netplace.apps.synthetic.rounds import Round, in_rounds, receive, send

__all__ = ["all_to_one", "binary_tree", "one_to_all"]


def all_to_one(tasks: int, bytes: int = 64, rounds: int = 1) -> Program:
    r"""Each task sends a message to task 0, which receives the messages in order of task number.

    ::

        1 --\
        2 ---> 0
        3 --/
    """
    return in_rounds(
        tasks, bytes, rounds, "all-to-one", _edges, lambda task: _with_root(task, Op.RECV, Op.SEND)
    )


def one_to_all(tasks: int, bytes: int = 64, rounds: int = 1) -> Program:
    r"""Task 0 sends a message to each other task, in order of task number.

    ::

          /--> 1
        0 ---> 2
          \--> 3
    """
    return in_rounds(
        tasks, bytes, rounds, "one-to-all", _edges, lambda task: _with_root(task, Op.SEND, Op.RECV)
    )


def binary_tree(tasks: int, bytes: int = 64, rounds: int = 1) -> Program:
    """Reduce to task 0: for q = 1, 2, 4, .., each task i with i mod 2q = q sends to task i - q.

    ::

        0 <- 1   2 <- 3   4 <- 5   6 <- 7      q = 1
        0 <----- 2        4 <----- 6           q = 2
        0 <--------------- 4                   q = 4
    """

    def once(task: NDArray[np.int64]) -> Round:
        steps = []
        for q in (1 << bit for bit in range((tasks - 1).bit_length())):
            inner, leaf = task % (2 * q) == 0, task % (2 * q) == q
            steps.append(receive(np.where(inner & (task + q < tasks), task + q, -1)))
            steps.append(send(np.where(leaf, task - q, -1)))
        return Round.of(steps)

    return in_rounds(tasks, bytes, rounds, "binary-tree", _edges, once)


def _edges(tasks: int) -> int:
    """Return how many operations it takes if each task but one sends, or receives, one message."""
    return 2 * (tasks - 1)


def _with_root(task: NDArray[np.int64], at_root: Op, elsewhere: Op) -> Round:
    """Return the round in which task 0 has a message with each of the others, in their order."""
    others = len(task) - 1
    first = np.append(0, others + task)
    kind = np.repeat(np.array([at_root, elsewhere], np.int8), others)
    return Round(first, kind, np.append(task[1:], np.zeros(others)).astype(np.int32))
