"""The program of the tasks of an application: flat arrays of operations, repeated iterations stored once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from netplace.apps.arrays import Operations, Traffic, traffic
from netplace.apps.iterations import block, cut, iterations, repeat, section
from netplace.apps.operation import Op, check_written
from netplace.apps.replay import check_columns, check_progress
from netplace.apps.task import TaskWriter
from netplace.notebook import html_matrix, html_table

_MOST_BLOCKS = 64  # rows of the matrix that a notebook shows


@dataclass(frozen=True, eq=False)
class Program(Operations):
    """The operations of every task, in program order.

    Messages of a task to itself stay in the program; the simulator ignores them.

    Attributes
    ----------
    first : ndarray of int64, shape (tasks + 1,)
        Operations ``first[i]:first[i + 1]`` are those of task ``i``.
    kind : ndarray of int8, shape (operations,)
        `Op` of each operation.
    peer : ndarray of int32
        Destination of a send, or source of a receive; -1 for compute and wait.
    size : ndarray of int64
        Bytes of a message, or cycles of a compute; 0 for wait.
    tag : ndarray of int64
        Tag of a message; 0 otherwise.
    request : ndarray of int32
        Number of the request, unique within the task, that an isend or irecv opens and a wait completes; -1
        otherwise.
    marks : ndarray of int64, shape (marks, 3)
        Rows (task, operation index, iteration): this iteration of the task begins before the operation with
        this index in the arrays. Iteration -1 closes the last iteration. Empty if the source has no marks.
    name : str
        Origin of the program, for error messages.
    sections : mapping of str to ndarray of int64, shape (tasks, 2)
        Named sections, such as ``"timed"``: for each task, the first operation in the section and the end of
        the last one.
    interleaved : bool
        Whether non-blocking sends of the program take turns, packet by packet, as on real machines, unless
        the settings of the network specify otherwise; true for programs from MPI.
    """

    @classmethod
    def of(cls, writers: Iterable[TaskWriter], name: str = "") -> Program:
        """Combine the writers of tasks 0, 1, .., in order and with the same sections, into one program."""
        writers = list(writers)
        for task, writer in enumerate(writers):
            if (writer.task, writer.tasks) != (task, len(writers)):
                raise ValueError(
                    f"writers: number {task} belongs to task {writer.task} of {writer.tasks}, expected task "
                    f"{task} of {len(writers)}"
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
        for column in joined.values():
            column.flags.writeable = False  # so that the program holds these arrays, and no copies
        return cls(
            first=first,
            marks=np.array(marks, np.int64).reshape(-1, 3),
            name=name,
            sections=_join_sections(writers, first),
            **joined,  # type: ignore[arg-type]
        )

    def check(self, eager_limit: int | None = None) -> None:
        """Check that this program can run, and that it meets all assumptions of the engines.

        Each number must be in its range, each send must have a receive of the same number of bytes, each
        receive must have a send, each request must be opened once and then waited for once, and no tasks may
        wait for each other forever if operations take no time. The check takes a few tenths of a second for a
        million operations.

        Parameters
        ----------
        eager_limit : int or None
            Messages with more bytes than this wait until their receive is posted, as in `Config`; None means
            that no send waits.

        Raises
        ------
        ValueError
            If the program cannot run; the message names the task, the operation number and the missing part,
            or the tasks that wait for each other. If a single operation is wrong, the error is an
            `OperationError`.
        """
        self.check_columns()
        check_progress(self, eager_limit)

    def check_columns(self) -> None:
        """Check that every number is in its range; this is the quick part of `check`."""
        check_columns(self)

    def _repr_html_(self) -> str:
        sent = self.traffic()
        count = min(self.tasks, _MOST_BLOCKS)
        W = np.zeros((count, count))
        source, target = sent.W.nonzero()
        np.add.at(W, (source * count // self.tasks, target * count // self.tasks), sent.W[source, target])
        rows = [
            ("tasks", self.tasks),
            ("operations", len(self.kind)),
            ("messages", int(sent.N.sum())),
            ("bytes", int(sent.W.sum())),
        ]
        label = "bytes from each task (row) to each other" + (", in blocks" if count < self.tasks else "")
        return html_table(self.name or "program", rows) + html_matrix(label, W.tolist())

    def traffic(self) -> Traffic:
        """Return how many bytes and messages each task sends to each other task, and which pairs send any."""
        self.check_columns()
        return traffic(self)

    def iterations(self) -> NDArray[np.int64]:
        """Return the marked iterations as rows (task, first operation, end, iteration)."""
        self.check_columns()
        return iterations(self)

    def cut(self, first: int, last: int) -> Program:
        """Return iterations `first` to `last` (inclusive) of every task; no message may cross the cut."""
        self.check_columns()
        return cut(self, first, last)

    def repeat(self, times: int) -> Program:
        """Return the program with its marked iterations repeated, so that they occur `times` times.

        The operations before and after them do not change, and the iterations of the copies are numbered
        consecutively. A program without marks counts as one iteration. No request or section may cross the
        beginning or the end of the iterations.
        """
        self.check_columns()
        return repeat(self, times)

    def section(self, name: str = "timed") -> Program:
        """Return only the operations of a named section; no request may cross its beginning or end."""
        self.check_columns()
        return section(self, name)

    def equals(self, other: Program) -> bool:
        """Return whether `other` has the same operations, marks and sections, whatever its name."""
        arrays = [item.name for item in fields(self) if item.name not in ("name", "sections", "interleaved")]
        return (
            all(np.array_equal(getattr(self, name), getattr(other, name)) for name in arrays)
            and self.sections.keys() == other.sections.keys()
            and all(np.array_equal(bounds, other.sections[name]) for name, bounds in self.sections.items())
        )


def _join_sections(writers: list[TaskWriter], first: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
    sections = [writer.sections() for writer in writers]
    names = list(sections[0]) if sections else []
    for task, own in enumerate(sections):
        if set(own) != set(names):
            raise ValueError(f"sections: task {task} has {sorted(own)}, task 0 has {sorted(names)}")
    return {name: np.array([own[name] for own in sections], np.int64) + first[:-1, None] for name in names}


@dataclass(frozen=True, eq=False)
class Repeated:
    """A program whose marked iterations occur `times` times, as `Program.repeat` would write them."""

    program: Program  # what comes before, the iterations once, and what comes after
    times: int = 1  # how often they stand; 1: the program as it is

    @property
    def operations(self) -> int:
        if self.times == 1:
            return len(self.program)
        begin, end, _ = block(self.program)
        return len(self.program) + (self.times - 1) * int((end - begin).sum())

    @cached_property
    def bytes_sent(self) -> int:
        sends = (self.program.kind == Op.SEND) | (self.program.kind == Op.ISEND)
        return self.total(np.where(sends, self.program.size, 0))

    def total(self, amounts: NDArray[np.int64]) -> int:
        """Return the sum, all times counted, of amounts of the program's operations, shape (operations,)."""
        up_to = np.concatenate([[0], np.cumsum(amounts)])
        if self.times == 1:
            return int(up_to[-1])
        begin, end, _ = block(self.program)
        return int(up_to[-1]) + (self.times - 1) * int((up_to[end] - up_to[begin]).sum())

    def traffic(self) -> Traffic:
        """Return how much each task sends to each other, all times counted."""
        once = traffic(self.program)
        if self.times == 1:
            return once
        twice = traffic(self.program.repeat(2))
        more = self.times - 1
        return Traffic(once.W + more * (twice.W - once.W), once.N + more * (twice.N - once.N), once.B)

    def written_out(self) -> Program:
        if self.times == 1:
            return self.program
        check_written(self.operations, self.program.name or "the trace")
        return replace(self.program.repeat(self.times), name=self.program.name)
