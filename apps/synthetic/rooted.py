"""Applications in which messages go to task 0 or come from it."""

from __future__ import annotations

from netplace.apps.program import Program
from netplace.apps.synthetic.rounds import in_rounds
from netplace.apps.task import TaskWriter

__all__ = ["all_to_one", "binary_tree", "one_to_all"]


def all_to_one(tasks: int, bytes: int = 64, rounds: int = 1) -> Program:
    r"""Each task sends a message to task 0, which receives them in order of task.

    ::

        1 --\
        2 ---> 0
        3 --/
    """

    def write(writer: TaskWriter) -> None:
        if writer.task:
            writer.send(0, bytes)
        else:
            for source in range(1, tasks):
                writer.recv(source, bytes)

    return in_rounds(tasks, bytes, rounds, write, "all-to-one")


def one_to_all(tasks: int, bytes: int = 64, rounds: int = 1) -> Program:
    r"""Task 0 sends a message to each other task, in order of task.

    ::

          /--> 1
        0 ---> 2
          \--> 3
    """

    def write(writer: TaskWriter) -> None:
        if writer.task:
            writer.recv(0, bytes)
        else:
            for target in range(1, tasks):
                writer.send(target, bytes)

    return in_rounds(tasks, bytes, rounds, write, "one-to-all")


def binary_tree(tasks: int, bytes: int = 64, rounds: int = 1) -> Program:
    """Reduce to task 0: for q = 1, 2, 4, .. the tasks i with i mod 2q = q send to i - q.

    ::

        0 <- 1   2 <- 3   4 <- 5   6 <- 7      q = 1
        0 <----- 2        4 <----- 6           q = 2
        0 <--------------- 4                   q = 4
    """

    def write(writer: TaskWriter) -> None:
        q = 1
        while q < tasks and writer.task % (2 * q) == 0:
            if writer.task + q < tasks:
                writer.recv(writer.task + q, bytes)
            q *= 2
        if q < tasks:
            writer.send(writer.task - q, bytes)

    return in_rounds(tasks, bytes, rounds, write, "binary-tree")
