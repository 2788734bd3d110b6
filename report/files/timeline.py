"""A run over time: tasks, messages and the load of links, as trace events or as a picture.

Trace events are the JSON that Perfetto (ui.perfetto.dev) and chrome://tracing open: an object with
`traceEvents`, each with a phase ``ph``, a time ``ts`` in microseconds, a process ``pid`` and a thread
``tid``. A job is a process, a task a thread with a slice from its start to its end (``X``); a message is an
asynchronous event (``b``, ``e``) of the thread that sends it; the load of links are counters (``C``) of
the process after the jobs'. Process 0 is Perfetto's own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from netplace.apps import Program
from netplace.files import write_atomically
from netplace.netsim import Result
from netplace.report.files.run_details import job_details, message_rows
from netplace.report.plots import write_figure
from netplace.report.plots.figure import Figure
from netplace.report.plots.jobs import timeline_figure
from netplace.topologies import parse


def write_timeline(path: Path, result: Result, programs: Sequence[Program], window: int | None) -> None:
    """Write a run over time, as JSON or as a picture by the ending of `path`."""
    if path.suffix == ".json":
        text = json.dumps(
            {"traceEvents": list(trace_events(result, programs, window)), "displayTimeUnit": "ns"}
        )
        write_atomically(path, text)
    else:
        write_figure(path, run_figure(result, programs, window))


def run_figure(result: Result, programs: Sequence[Program], window: int | None = None) -> Figure:
    """Return when tasks ran, the messages between them, and the parts of the critical path.

    The messages of the run are recorded. Below, loads of links are drawn if they were counted in windows of
    so many cycles.
    """
    jobs = [job_details(result, number, program) for number, program in enumerate(programs)]
    title = f"{result.network}: tasks and messages"
    return timeline_figure(jobs, result.config.cycle_ns, link_courses(result, window), title)


def trace_events(result: Result, programs: Sequence[Program], window: int | None) -> Iterator[dict[str, Any]]:
    """Yield the events of a run in the Trace Event Format; times are microseconds of the simulated clock."""
    micro = result.config.cycle_ns * 1e-3
    for job, (measured, program) in enumerate(zip(result.jobs, programs, strict=True)):
        process = job + 1
        yield _named("process_name", process, 0, f"job {job}: {measured.name or 'program'}")
        for task, (node, cycles) in enumerate(
            zip(measured.nodes.tolist(), measured.task_cycles.tolist(), strict=True)
        ):
            yield _named("thread_name", process, task, f"task {task}")
            blocked = int(measured.injection_blocked[task])
            yield {
                "name": f"task {task} on node {node}",
                "cat": "task",
                "ph": "X",
                "ts": measured.start * micro,
                "dur": cycles * micro,
                "pid": process,
                "tid": task,
                "args": {"node": node, "cycles": cycles, "cycles of waiting for the injector": blocked},
            }
        rows = message_rows(measured, program).tolist()
        for number, (source, target, size, tag, begin, end) in enumerate(rows):
            common = {
                "name": f"{source} to {target}",
                "cat": "message",
                "id": f"{process}.{number}",
                "pid": process,
                "tid": source,
            }
            about = {"bytes": size, "tag": tag, "to": target, "cycles": end + 1 - begin}
            yield common | {"ph": "b", "ts": begin * micro, "args": about}
            yield common | {"ph": "e", "ts": (end + 1) * micro}
    loads = link_courses(result, window)
    if loads is not None:
        links = len(result.jobs) + 1
        yield _named("process_name", links, 0, "links")
        for place, (mean, maximum) in enumerate(loads[1].tolist()):
            yield {
                "name": "load (%)",
                "ph": "C",
                "ts": (loads[0] * place) * micro,
                "pid": links,
                "args": {"mean": round(100 * mean, 2), "most": round(100 * maximum, 2)},
            }


def link_courses(
    result: Result, window: int | None
) -> tuple[int, np.ndarray[Any, np.dtype[np.float64]]] | None:
    """Return the window, and mean and most of the links' loads in each; None if they were not counted."""
    if not result.window_loads or window is None:
        return None
    used = (parse(result.network).neighbor >= 0)[None]
    loads = result.window_load()
    mean = loads.sum(axis=(1, 2), where=used) / used.sum()
    return window, np.column_stack([mean, loads.max(axis=(1, 2))])


def _named(label: str, process: int, thread: int, name: str) -> dict[str, Any]:
    return {"name": label, "ph": "M", "pid": process, "tid": thread, "args": {"name": name}}
