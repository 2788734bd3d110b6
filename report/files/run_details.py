"""Details of a run for files and pages: loads of links, messages, tasks and the critical path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.apps import Op, Program
from netplace.csv_files import write_rows
from netplace.netsim import Result
from netplace.netsim.critical_path import CriticalPath, critical_path
from netplace.netsim.result import JobResult
from netplace.runs.execute import Executed
from netplace.runs.job_programs import programs_of
from netplace.topologies import Topology, parse

MOST_MESSAGES = 5_000  # of a job that are kept one by one; of more, every so manyth
_MOST_WALKED = 500_000  # messages of a job whose critical path is looked for
_MOST_WINDOWS = 60
_MOST_STRETCHES = 4_000


def details_of(executed: Executed) -> dict[str, Any]:
    """Return the data of a run's page: loads of links in phits per cycle, and times in cycles of the run."""
    result = executed.result
    details: dict[str, Any] = {"links": _links(result, executed.window)}
    if all(job.message_start is not None for job in result.jobs):
        programs = programs_of(executed.run)
        details["timeline"] = [
            job_details(result, number, program) for number, program in enumerate(programs)
        ]
    return details


def _links(result: Result, window: int | None) -> dict[str, Any]:
    ends: list[int] = []
    loads = result.link_load[None]
    if window is not None and result.window_loads:
        course = result.window_load()
        step = -(-len(course) // _MOST_WINDOWS)
        begins = np.arange(0, len(course), step)
        counts = np.diff(np.append(begins, len(course)))
        means = np.add.reduceat(course, begins, axis=0) / counts[:, None, None]
        loads = np.concatenate([loads, means])
        ends = ((begins + counts) * window).tolist()
    router, port = np.nonzero(loads.any(axis=0))
    values = loads[:, router, port].T.round(5).tolist()
    rows = [[*link, *row] for *link, row in zip(router.tolist(), port.tolist(), values, strict=True)]
    return {"cycles": result.drained_cycles, "ends": ends, "rows": rows}


def job_details(result: Result, number: int, program: Program) -> dict[str, Any]:
    """Return the tasks' ends, messages and critical path of a job, in cycles of the run."""
    job = result.jobs[number]
    messages = message_rows(job, program)
    step = max(1, -(-len(messages) // MOST_MESSAGES))
    path = _path(result, number, program) if len(messages) <= _MOST_WALKED else None
    return {
        "name": job.name,
        "start": job.start,
        "ends": (job.start + job.task_cycles).tolist(),
        "sent": len(messages),
        "messages": messages[::step].tolist(),
        "spent": None if path is None else path.by_component(),
        "path": None if path is None else _stretches(job, path),
    }


def _path(result: Result, number: int, program: Program) -> CriticalPath:
    return critical_path(parse(result.network), result.config, program, result.jobs[number])


def _stretches(job: JobResult, path: CriticalPath) -> list[list[Any]]:
    """Return component, task, first cycle and the one after the last of each stretch of a critical path."""
    # Of very many only the longest in each of `_MOST_STRETCHES` windows of time are kept.
    stretches = path.stretches
    if len(stretches) > _MOST_STRETCHES:
        wide = max(1, -(-(job.end - job.start) // _MOST_STRETCHES))
        longest: dict[int, Any] = {}
        for stretch in stretches:
            kept = longest.get(stretch.begin // wide)
            if kept is None or stretch.end - stretch.begin > kept.end - kept.begin:
                longest[stretch.begin // wide] = stretch
        stretches = tuple(longest.values())
    return [
        [stretch.component, stretch.task, job.start + stretch.begin, job.start + stretch.end]
        for stretch in stretches
    ]


LINK_COLUMNS = ("link", "router", "port", "to", "start", "end", "load")


def write_links(path: Path, network: Topology, links: Mapping[str, Any]) -> None:
    """Write the load (phits per cycle) of each used link: first of the whole run, then of each window."""
    ends = links["ends"]
    windows = [(0, links["cycles"]), *zip([0, *ends], ends, strict=False)]
    rows = (
        (network.link_name(router, port), router, port, int(network.neighbor[router, port]), *window, load)
        for router, port, *loads in links["rows"]
        for window, load in zip(windows, loads, strict=True)
    )
    write_rows(path, LINK_COLUMNS, rows)


MESSAGE_COLUMNS = ("source", "destination", "bytes", "tag", "start", "end")


def write_messages(path: Path, results: Sequence[Result], programs: Sequence[Program]) -> None:
    """Write a line for each message of each run: seed, job, and `message_rows`."""
    rows = (
        (result.seed, job, *row)
        for result in results
        for job, program in enumerate(programs)
        for row in message_rows(result.jobs[job], program).tolist()
    )
    write_rows(path, ("seed", "job", *MESSAGE_COLUMNS), rows)


def message_rows(job: JobResult, program: Program) -> NDArray[np.int64]:
    """Return the messages of a job in the order of its sends, shape (messages, 6): see `MESSAGE_COLUMNS`.

    Messages that did not arrive, because a fault stopped the job or destroyed packets, are left out.
    """
    assert job.message_start is not None
    assert job.message_end is not None
    task = program.task_of()
    sent = ((program.kind == Op.SEND) | (program.kind == Op.ISEND)) & (program.peer != task)
    own = [np.asarray(column[sent], np.int64) for column in (task, program.peer, program.size, program.tag)]
    rows = np.column_stack([*own, job.message_start, job.message_end])
    return rows[(job.message_start >= 0) & (job.message_end >= 0)]
