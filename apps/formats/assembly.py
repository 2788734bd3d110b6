"""From the lines of a trace file to a program."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from netplace.apps.formats.errors import TraceError
from netplace.apps.operation import MOST_TASKS, Op, OperationError
from netplace.apps.program import Program
from netplace.apps.requests import renumbered

__all__ = ["Lines", "count_tasks", "declaration", "in_task_order"]

Columns = dict[str, NDArray[Any]]


@dataclass
class Lines:
    """The lines of a trace file, those of task 0 first, then those of task 1, ..

    Attributes
    ----------
    tasks : int
        Number of tasks.
    task, line : ndarray of int64
        Whose each line is, and its number in the file.
    kind, peer, size, tag, request : ndarray
        As in `Program`; kind -1 where a line is no operation.
    before : ndarray of int64
        Cycles of computation before each line; 0: none.
    blocks : dict of int to dict of str to ndarray
        Operations that stand in the place of a line, as columns.
    marks : list of (int, int)
        Lines at which an iteration begins, and its number.
    sections : dict of str to ndarray of int64, shape (tasks, 2)
        Lines at which each section begins and ends.
    """

    tasks: int
    task: NDArray[np.int64]
    line: NDArray[np.int64]
    kind: NDArray[np.int64]
    peer: NDArray[np.int64]
    size: NDArray[np.int64]
    tag: NDArray[np.int64]
    request: NDArray[np.int64]
    before: NDArray[np.int64]
    blocks: dict[int, Columns] = field(default_factory=dict)
    marks: list[tuple[int, int]] = field(default_factory=list)
    sections: dict[str, NDArray[np.int64]] = field(default_factory=dict)

    def program(self) -> Program:
        """Return the program of all lines, its requests numbered in the order in which they are opened.

        Raises
        ------
        TraceError
            If requests do not pair up, naming the line.
        """
        computes = (self.before > 0).astype(np.int64)
        lengths: NDArray[np.int64] = computes + (self.kind >= 0)
        for row, block in self.blocks.items():
            lengths[row] += len(block["kind"])
        start: NDArray[np.int64] = np.cumsum(lengths) - lengths
        place: NDArray[np.int64] = start + computes
        columns = self._columns(int(lengths.sum()), start, place)
        first = np.zeros(self.tasks + 1, np.int64)
        np.add.at(first, self.task + 1, lengths)
        program = Program(
            first=np.cumsum(first),
            marks=np.array([(self.task[row], place[row], i) for row, i in self.marks], np.int64).reshape(
                -1, 3
            ),
            sections={name: place[rows] for name, rows in self.sections.items()},
            **cast(Any, columns),
        )
        try:
            return replace(program, request=renumbered(program))
        except OperationError as error:
            raise TraceError(int(np.repeat(self.line, lengths)[error.index]), error.reason) from None

    def _columns(self, total: int, start: NDArray[np.int64], place: NDArray[np.int64]) -> Columns:
        computes = start[self.before > 0]
        own = self.kind >= 0
        columns: Columns = {}
        for name, dtype, computing in (
            ("kind", np.int8, int(Op.COMPUTE)),
            ("peer", np.int32, -1),
            ("size", np.int64, self.before[self.before > 0]),
            ("tag", np.int64, 0),
            ("request", np.int64, -1),
        ):
            column = np.empty(total, dtype)
            column[computes] = computing
            column[place[own]] = getattr(self, name)[own]
            for row, block in self.blocks.items():
                column[place[row] : place[row] + len(block[name])] = block[name]
            columns[name] = column
        columns["request"] = _narrow(columns["request"])
        return columns


def _narrow(request: NDArray[Any]) -> NDArray[np.int32]:
    """Return requests with other numbers, equal ones alike, that fit where programs have them."""
    narrow = np.full(len(request), -1, np.int32)
    used = request >= 0
    narrow[used] = np.unique(request[used], return_inverse=True)[1]
    return narrow


def in_task_order(task: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the lines' numbers ordered by task, those of a task as they were."""
    return np.argsort(task, kind="stable")


def declaration(tasks: int) -> str:
    """Return the words by which a comment in the first line tells the number of tasks."""
    return f"tasks {tasks}"


def count_tasks(text: bytes, largest: int, asked: int | None) -> int:
    """Return the number of tasks of a trace.

    Parameters
    ----------
    text : bytes
        The file; a comment in its first line may say how many tasks there are.
    largest : int
        Largest task that the file names.
    asked : int or None
        What the user says.

    Raises
    ------
    ValueError
        If the file names more tasks than it, or the user, says there are.
    """
    said = re.match(rb"#[^\n]*\btasks (\d{1,9})\b", text)
    tasks = asked or (int(said[1]) if said else largest + 1)
    if largest >= tasks:
        raise ValueError(f"task {largest} is too large, expected less than {tasks}, the number of tasks")
    if tasks > MOST_TASKS:
        raise ValueError(f"{tasks} tasks are too many, expected at most {MOST_TASKS}")
    return tasks
