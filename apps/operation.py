"""Kinds of operation of a task's program, and their names in messages."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from netplace.inputs import check_size

MOST_TASKS = 1 << 22
MOST_CYCLES = (
    1 << 59
)  # of a computation, sixty years of 3.2 ns; more does not fit beside what the engines add
MOST_OPERATIONS = 200_000_000  # of a program; 25 bytes each
BYTES_PER_OPERATION = 80  # measured at the peak, while the tasks' columns are joined; 25 are left at the end


class Op(IntEnum):
    """Kinds of operations. The numbers are stored in arrays and files: do not change them."""

    COMPUTE = 0
    SEND = 1
    ISEND = 2
    RECV = 3
    IRECV = 4
    WAIT = 5


@dataclass(frozen=True)
class Operation:
    """One operation, as shown in error messages; the other fields are those of `Program`.

    Attributes
    ----------
    task, number : int
        Task of the operation, and index of the operation in the program of the task, from 0.
    """

    task: int
    number: int
    kind: Op
    peer: int
    size: int
    tag: int
    request: int

    def __str__(self) -> str:
        if self.kind == Op.COMPUTE:
            return f"compute {self.size} cycles"
        if self.kind == Op.WAIT:
            return f"wait for request {self.request}"
        way = "to" if self.kind in (Op.SEND, Op.ISEND) else "from"
        return f"{self.kind.name.lower()} {self.size} bytes {way} task {self.peer}, tag {self.tag}"


class OperationError(ValueError):
    """An error in one operation of a program.

    Attributes
    ----------
    index : int
        The operation's index in the program's arrays.
    """

    def __init__(self, index: int, operation: Operation, reason: str) -> None:
        super().__init__(f"task {operation.task}, operation {operation.number} ({operation}): {reason}")
        self.index = index
        self.reason = reason


def check_length(operations: int, label: str) -> None:
    """Check before memory is spent on it that a program is not absurdly long."""
    if operations > MOST_OPERATIONS:
        raise ValueError(f"{label}: {operations} operations are too many, expected at most {MOST_OPERATIONS}")


def check_written(operations: int, label: str) -> None:
    """Check before they are written, task by task, that there are not too many operations."""
    check_length(operations, label)
    check_size(operations, BYTES_PER_OPERATION, "operations", label)
