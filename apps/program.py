"""What the tasks of an application do, as flat arrays of operations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from apps.operation import Op
from apps.task import TaskWriter

__all__ = ["Op", "Program"]


@dataclass(frozen=True, eq=False)
class Program:
    """The operations of every task, in program order.

    Messages to oneself stay in the program; a simulator drops them.

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
    sections : mapping of str to ndarray of int64, shape (tasks, 2)
        Named sections, such as ``"timed"``: each task's first operation in it and the end of its last.
    """

    first: NDArray[np.int64]
    kind: NDArray[np.int8]
    peer: NDArray[np.int32]
    size: NDArray[np.int64]
    tag: NDArray[np.int64]
    request: NDArray[np.int32]
    marks: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 3), np.int64))
    name: str = ""
    sections: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)

    @classmethod
    def of(cls, writers: Iterable[TaskWriter], name: str = "") -> Program:
        """Join the tasks' writers, given in order of task, into one program.

        Raises
        ------
        ValueError
            If they are not the writers of tasks 0, 1, .. in order, or disagree on their sections.
        """
        writers = list(writers)
        for task, writer in enumerate(writers):
            if (writer.task, writer.tasks) != (task, len(writers)):
                raise ValueError(
                    f"writers: number {task} is that of task {writer.task} of {writer.tasks}, "
                    f"expected task {task} of {len(writers)}"
                )
        first = np.cumsum([0, *map(len, writers)], dtype=np.int64)
        columns = [writer.columns() for writer in writers]
        joined = {
            key: np.concatenate([column[key] for column in columns]) if columns else np.empty(0, dtype)
            for key, dtype in (
                ("kind", np.int8),
                ("peer", np.int32),
                ("size", np.int64),
                ("tag", np.int64),
                ("request", np.int32),
            )
        }
        marks = [(w.task, first[w.task] + place, i) for w in writers for place, i in w.marks()]
        return cls(
            first=first,
            marks=np.array(marks, np.int64).reshape(-1, 3),
            name=name,
            sections=_join_sections(writers, first),
            **joined,  # type: ignore[arg-type]
        )

    @property
    def tasks(self) -> int:
        """Number of tasks."""
        return len(self.first) - 1

    def __len__(self) -> int:
        return len(self.kind)


def _join_sections(writers: list[TaskWriter], first: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
    sections = [writer.sections() for writer in writers]
    names = list(sections[0]) if sections else []
    for task, section in enumerate(sections):
        if set(section) != set(names):
            raise ValueError(f"sections: task {task} has {sorted(section)}, task 0 has {sorted(names)}")
    return {
        name: np.array([section[name] for section in sections], np.int64) + first[:-1, None] for name in names
    }
