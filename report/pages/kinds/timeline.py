"""Tasks and messages of a run over time, with the critical path through them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from netplace.netsim.critical_path import COMPONENTS
from netplace.report.pages.figures import Bars, Timeline
from netplace.report.terminal.units import seconds_unit

__all__ = ["path_bars", "timeline"]


def timeline(jobs: Sequence[Mapping[str, Any]], cycle_ns: float) -> Timeline:
    """Return when tasks ran, who wrote to whom, and what held the longest chain up.

    Parameters
    ----------
    jobs : sequence of mapping
        What `netplace.report.files.run_details.details_of` tells of each job.
    cycle_ns : float
        Length of a cycle in nanoseconds.
    """
    last = max((max(job["ends"], default=0) for job in jobs), default=0) * cycle_ns * 1e-9
    second, unit = seconds_unit(last)
    scale = cycle_ns * 1e-9 / second
    rows: list[str] = []
    tasks, messages, path = [], [], []
    components = list(COMPONENTS)
    for number, job in enumerate(jobs):
        first = len(rows)
        rows += [
            f"job {number}, task {task}" if len(jobs) > 1 else f"task {task}"
            for task in range(len(job["ends"]))
        ]
        tasks += [(job["start"] * scale, end * scale, first + task) for task, end in enumerate(job["ends"])]
        messages += [
            (begin * scale, (end + 1) * scale, first + source, first + target, size)
            for source, target, size, _, begin, end in job["messages"]
        ]
        path += [
            (begin * scale, end * scale, first + task, components.index(component))
            for component, task, begin, end in job["path"] or ()
        ]
    sent, shown = sum(job["sent"] for job in jobs), len(messages)
    thinned = f" {shown:,} of {sent:,} messages are drawn." if shown < sent else ""
    return Timeline(
        title="Tasks and messages over time",
        caption="Grey: a task from its start to its end; thin: a message from sender to receiver. In colour "
        "the critical path, the chain of causes along which the time adds up, by what it is spent on: "
        f"shorten one of its stretches, and the job may end sooner.{thinned}",
        height=min(900, 200 + 14 * len(rows)),
        rows=rows,
        tasks=tasks,
        messages=messages,
        path=path,
        components=components,
        x=f"time ({unit})",
    )


def path_bars(jobs: Sequence[Mapping[str, Any]]) -> list[Bars]:
    """Return what the critical path of each job is spent on, in shares of it, if there is any."""
    known = [(number, job) for number, job in enumerate(jobs) if job["spent"]]
    if not known:
        return []
    wholes = [sum(job["spent"].values()) or 1 for _, job in known]
    series = {
        component: [
            100 * job["spent"][component] / whole for (_, job), whole in zip(known, wholes, strict=True)
        ]
        for component in COMPONENTS
    }
    if len(known) == 1:
        series = {"share": [own for (own,) in series.values()]}
        groups = list(COMPONENTS)
    else:
        groups = [f"{number}: {job['name']}" for number, job in known]
    return [
        Bars(
            title="What the critical path is spent on",
            caption="; ".join(f"{name}: {what}" for name, what in COMPONENTS.items()) + ".",
            groups=groups,
            series=series,
            unit="% of the critical path",
        )
    ]
