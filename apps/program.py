"""What the tasks of an application do, as flat arrays of operations."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

__all__ = ["Op", "Program"]


class Op(IntEnum):
    """Kinds of operation. The numbers are stored in arrays and files: do not renumber."""

    COMPUTE = 0
    SEND = 1
    ISEND = 2
    RECV = 3
    IRECV = 4
    WAIT = 5


@dataclass(frozen=True, eq=False)
class Program:
    """The operations of every task, in program order.

    Attributes
    ----------
    first : ndarray of int64, shape (tasks + 1,)
        Operations ``first[i]:first[i + 1]`` are those of task ``i``.
    kind : ndarray of int8, shape (operations,)
        `Op` of each operation.
    peer : ndarray of int32
        Destination of a send, source of a receive; -1 for compute and wait.
    size : ndarray of int64
        Bytes of a message; cycles of a compute; 0 for wait.
    tag : ndarray of int64
        Tag of a message; 0 otherwise.
    request : ndarray of int32
        Number, unique within the task, that an isend or irecv opens and a wait completes; -1 otherwise.
    marks : ndarray of int64, shape (marks, 3)
        Rows (task, operation index, iteration): iteration ``i`` of that task begins before that
        operation. Iteration -1 closes the last one. Empty where the source had none.
    name : str
        Where the program came from, for people.
    """

    first: NDArray[np.int64]
    kind: NDArray[np.int8]
    peer: NDArray[np.int32]
    size: NDArray[np.int64]
    tag: NDArray[np.int64]
    request: NDArray[np.int32]
    marks: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 3), np.int64))
    name: str = ""

    @property
    def tasks(self) -> int:
        """Number of tasks."""
        return len(self.first) - 1
