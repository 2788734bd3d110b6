"""The record of every message of a run, as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from netplace.apps import Op, Program
from netplace.netsim import Result
from netplace.report.files.outputs import whole_file

__all__ = ["write_messages"]

COLUMNS = ("seed", "job", "source", "destination", "bytes", "tag", "start", "end")


def write_messages(path: Path, results: Sequence[Result], programs: Sequence[Program]) -> None:
    """Write a line for each message of each run: tasks, bytes, tag, first and last cycle.

    ``start`` is the cycle in which the first packet was created, ``end`` that in which the last tail was
    consumed. Messages to oneself do not appear.
    """
    with whole_file(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for result in results:
            for job, program in enumerate(programs):
                writer.writerows((result.seed, job, *row) for row in _rows(result, job, program))


def _rows(result: Result, job: int, program: Program) -> Iterator[tuple[int, ...]]:
    measured = result.jobs[job]
    assert measured.message_start is not None
    assert measured.message_end is not None
    task = program.task_of()
    sent = ((program.kind == Op.SEND) | (program.kind == Op.ISEND)) & (program.peer != task)
    columns = (
        *(column[np.flatnonzero(sent)] for column in (task, program.peer, program.size, program.tag)),
        measured.message_start,
        measured.message_end,
    )
    return zip(*(column.tolist() for column in columns), strict=True)
