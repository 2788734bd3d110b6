"""The record of every message of a run, as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from netplace.apps import Op, Program
from netplace.checks.csv_cells import write_rows
from netplace.netsim import Result
from netplace.netsim.result import JobResult

COLUMNS = ("source", "destination", "bytes", "tag", "start", "end")


def write_messages(path: Path, results: Sequence[Result], programs: Sequence[Program]) -> None:
    """Write a line for each message of each run: seed, job, and `message_rows`."""
    rows = (
        (result.seed, job, *row)
        for result in results
        for job, program in enumerate(programs)
        for row in message_rows(result.jobs[job], program).tolist()
    )
    write_rows(path, ("seed", "job", *COLUMNS), rows)


def message_rows(job: JobResult, program: Program) -> NDArray[np.int64]:
    """Return the messages of a job in the order of its sends, shape (messages, 6): see `COLUMNS`."""
    assert job.message_start is not None
    assert job.message_end is not None
    task = program.task_of()
    sent = ((program.kind == Op.SEND) | (program.kind == Op.ISEND)) & (program.peer != task)
    own = [np.asarray(column[sent], np.int64) for column in (task, program.peer, program.size, program.tag)]
    return np.column_stack([*own, job.message_start, job.message_end])
