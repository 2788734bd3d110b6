"""The arrays of a program, separate from its methods, and the traffic between all pairs of tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from netplace.apps.operation import Op, Operation, OperationError
from netplace.inputs import shortened
from netplace.records import check_fields, freeze_arrays, integers_as

_COLUMNS: dict[str, tuple[type[np.signedinteger[Any]], int]] = {  # the type of each, and its dimensions
    "first": (np.int64, 1),
    "kind": (np.int8, 1),
    "peer": (np.int32, 1),
    "size": (np.int64, 1),
    "tag": (np.int64, 1),
    "request": (np.int32, 1),
    "marks": (np.int64, 2),
}


_LONGEST_NAME = 255  # it stands in messages


@dataclass(frozen=True, eq=False)
class Operations:
    """The operations of every task, in program order, as `netplace.apps.Program` describes them."""

    first: NDArray[np.int64]
    kind: NDArray[np.int8]
    peer: NDArray[np.int32]
    size: NDArray[np.int64]
    tag: NDArray[np.int64]
    request: NDArray[np.int32]
    marks: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 3), np.int64))
    name: str = ""
    sections: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    interleaved: bool = False

    def __post_init__(self) -> None:
        label = shortened(self.name) if isinstance(self.name, str) and self.name else "program"
        for column, (kind, dims) in _COLUMNS.items():
            given = getattr(self, column)
            made = integers_as(kind, given, f"{label}: {column}", dims)
            if made is not given:
                object.__setattr__(self, column, made)
        check_fields(self)
        freeze_arrays(self)
        if len(self.name) > _LONGEST_NAME:
            raise ValueError(
                f"{label}: a name of {len(self.name)} characters, expected at most {_LONGEST_NAME}"
            )
        if not len(self.first):
            raise ValueError(
                f"{label}: first is empty, expected the first operation of each task and the end of the last "
                f"task"
            )

    @property
    def tasks(self) -> int:
        return len(self.first) - 1

    def __len__(self) -> int:
        return len(self.kind)

    def task_of(self) -> NDArray[np.int32]:
        return np.repeat(np.arange(self.tasks, dtype=np.int32), np.diff(self.first))

    def operations(self, task: int) -> Iterator[Operation]:
        """Yield the operations of `task`, for messages."""
        if not 0 <= task < self.tasks:
            raise ValueError(
                f"task: {task} is not a task of {self.name or 'the program'}, which has {self.tasks}"
            )
        yield from map(self.operation, range(self.first[task], self.first[task + 1]))

    def operation(self, index: int) -> Operation:
        """Return the operation at `index` of the arrays, for messages."""
        task = int(np.searchsorted(self.first, index, side="right")) - 1
        columns = (self.peer, self.size, self.tag, self.request)
        place = index - int(self.first[task])
        return Operation(task, place, Op(self.kind[index]), *(int(column[index]) for column in columns))

    def error(self, index: int, reason: str) -> OperationError:
        """Return an error that names the operation at `index` and says what is wrong with it."""
        return OperationError(index, self.operation(index), reason)

    def taken(self, index: NDArray[np.int64], first: NDArray[np.int64]) -> Self:
        """Return the operations at `index`, divided into tasks by `first`; marks and sections stay old."""
        columns = {name: getattr(self, name)[index] for name in ("kind", "peer", "size", "tag", "request")}
        return replace(self, first=first, **columns)


DENSE_TASKS = 2048  # above, an int64 matrix would take more than 32 MiB


@dataclass(frozen=True, eq=False)
class Traffic:
    """Traffic of a program by source task (row) and destination task (column); the diagonal is zero.

    The attributes are NumPy arrays for up to `DENSE_TASKS` tasks, and SciPy CSR arrays for more tasks.

    Attributes
    ----------
    W, N : int64, shape (tasks, tasks)
        Numbers of bytes and of messages.
    B : bool, shape (tasks, tasks)
        Whether there are any messages.
    """

    W: Any
    N: Any
    B: Any


def traffic(program: Operations) -> Traffic:
    """Count what `program` sends."""
    from scipy import sparse

    sends = (program.kind == Op.SEND) | (program.kind == Op.ISEND)
    source = program.task_of()
    sends &= program.peer != source
    source, target, size = source[sends], program.peer[sends], program.size[sends]
    shape = (program.tasks, program.tasks)
    if program.tasks > DENSE_TASKS:
        W = sparse.coo_array((size, (source, target)), shape).tocsr()
        N = sparse.coo_array((np.ones_like(size), (source, target)), shape).tocsr()
        return Traffic(W, N, N.astype(bool))
    W, N = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    np.add.at(W, (source, target), size)
    np.add.at(N, (source, target), 1)
    return Traffic(W, N, N > 0)
