"""Figures of jobs on a shared machine and of a run over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from netplace.netsim.critical_path import COMPONENTS
from netplace.report.plots.figure import (
    FREE,
    INK,
    PALE,
    Axis,
    Bars,
    Boxes,
    Cells,
    Curve,
    Figure,
    Links,
    Mark,
    Panel,
    Rule,
    Shades,
    Words,
)
from netplace.report.plots.schedules import gantt_panel, step_boxes
from netplace.report.terminal.units import seconds_unit
from netplace.topologies.host_lists import node_runs

if TYPE_CHECKING:
    from netplace.cosim.job_row import JobRow
    from netplace.cosim.waiting import LinkWaiting, Waiting

_ROOM = 0.04  # share of the time that a number needs
_BARS = 15
_MOST_MESSAGES = 20_000


def held_panel(jobs: Sequence[JobRow], nodes: int | None = None, high: float | None = None) -> Panel:
    """Return the nodes of jobs over time, each in the shade of its slowdown; jobs without one are gray."""
    ran = [job for job in jobs if job.nodes and job.end > job.start]
    origin = min((job.submit for job in ran), default=0.0)
    second, unit = seconds_unit(max((job.end for job in ran), default=0.0) - origin)
    tips = [
        f"job {job.job}: {job.application or 'computation alone'}, {job.size} nodes, slowdown "
        + ("unknown" if job.slowdown is None else f"{job.slowdown:.3f}")
        for job in ran
    ]
    maximum = max((max(job.nodes) for job in ran), default=0) + 1
    return gantt_panel(
        [(job.start - origin) / second for job in ran],
        [(job.end - origin) / second for job in ran],
        [_runs(job) for job in ran],
        [job.slowdown for job in ran],
        tips,
        nodes=nodes or maximum,
        x=f"time since the first submission ({unit})",
        shades=Shades(label="slowdown", low=None if high is None else 1.0, high=high),
    )


def _runs(job: JobRow) -> list[tuple[int, int]]:
    return [(first, last + 1) for first, last in node_runs(np.unique(np.asarray(job.nodes, np.int64)))]


def sharing_figure(jobs: Sequence[JobRow], title: str = "") -> Figure:
    """Return time and nodes, each job in the shade of its slowdown, and the slowdowns by application.

    Jobs without a slowdown, which did not end well, are gray.
    """
    known = [job.slowdown for job in jobs if job.slowdown is not None]
    high = max(float(np.percentile(known, 98)) if known else 1.0, 1.05)
    held = held_panel(jobs, high=high)
    last, origin = held.x.high or 1.0, min((job.submit for job in jobs), default=0.0)
    unit = seconds_unit(max((job.end for job in jobs), default=0.0) - origin)[0]
    numbers = {"#000000": list[tuple[float, float, str]](), "#ffffff": []}
    for job in jobs:
        if not job.nodes or job.end <= job.start:
            continue
        begin, end = (job.start - origin) / unit, (job.end - origin) / unit
        low, top = max(_runs(job), key=lambda run: run[1] - run[0])  # the largest of its boxes
        if end - begin > _ROOM * last and top - low > 1:
            dark = job.slowdown is not None and (job.slowdown - 1) / (high - 1) > 0.5
            numbers["#ffffff" if dark else "#000000"].append(
                ((begin + end) / 2, (low + top) / 2, str(job.job))
            )
    words = [
        Words(x=x, y=y, texts=texts, colour=colour)
        for colour, placed in numbers.items()
        if placed
        for x, y, texts in [tuple(zip(*placed, strict=True))]
    ]
    left = Panel(marks=[*held.marks, *words], x=held.x, y=held.y, shades=held.shades, weight=(2.2, 1.0))
    return Figure(title=title or "Sharing", panels=[left, _by_application(jobs)], columns=2, height=3.8)


def _by_application(jobs: Sequence[JobRow]) -> Panel:
    """Return the slowdown of each job, by application: hollow where it may be chance."""
    from netplace.cosim.job_row import ended

    by_name: dict[str, list[tuple[float, bool]]] = {}
    for job, times in sorted(ended(jobs), key=lambda pair: pair[1].slowdown):
        name = job.application.partition(",")[0] or "computation"
        by_name.setdefault(name, []).append((times.slowdown, job.within_chance))
    means = {name: float(np.mean([slowdown for slowdown, _ in values])) for name, values in by_name.items()}
    names = sorted(by_name, key=means.__getitem__)
    spots = [
        (slowdown, place + (number % 5 - 2) * 0.08, chance)
        for place, name in enumerate(names)
        for number, (slowdown, chance) in enumerate(by_name[name])
    ]
    marks: list[Mark] = [Rule(at=1.0, colour=PALE)]
    for hollow, label in ((False, "a job"), (True, "within chance")):
        own = [(x, y) for x, y, chance in spots if chance is hollow]
        if own:
            x, y = zip(*own, strict=True)
            marks.append(Curve(x=x, y=y, line="", size=3.0, alpha=0.6, hollow=hollow, label=label))
    middle = [means[name] for name in names]
    marks.append(Curve(x=middle, y=range(len(names)), line="", mark="|", size=14.0, colour=INK, label="mean"))
    maximum = max((slowdown for slowdown, *_ in spots), default=1.0)
    scale = "log" if maximum > 3 else "linear"
    return Panel(marks=marks, x=Axis(label="slowdown", scale=scale, grid=True), y=Axis(names=names))


def waiting_panel(pairs: Sequence[Sequence[Any]], jobs: Sequence[int], *, log: bool = False) -> Panel:
    """Return the cycles that packets of a row's job waited because of a column's job."""
    place = {job: number for number, job in enumerate(jobs)}
    kept = [(place[a], place[b], cycles) for a, b, cycles in pairs if a in place and b in place]
    rows, columns, values = np.array(kept, float).reshape(-1, 3).T
    names = [f"job {job}" for job in jobs]
    maximum = float(values.max(initial=1.0))
    low, high = (max(1.0, maximum / 1e4), max(maximum, 2.0)) if log else (0.0, maximum)
    cells = Cells(x=columns.astype(int), y=rows.astype(int), wide=len(jobs), tall=len(jobs), values=values)
    return Panel(
        marks=[cells] if len(jobs) else [],
        x=Axis(label="job charged", names=names),
        y=Axis(label="job that waited", names=names, down=True),
        shades=Shades(label="cycles waited", low=low, high=high, log=log),
    )


def waiting_figure(waiting: Waiting, links: Sequence[str], second: float, title: str = "") -> Figure:
    """Return the matrix of waiting, the links with most of it, and its course; `second`: of a cycle."""
    jobs = sorted({job for waited, charged, _ in waiting.jobs for job in (waited, charged)})
    panels = [
        waiting_panel(waiting.jobs, jobs, log=True),
        _links(waiting.links[:_BARS], links),
        _course(waiting, second),
    ]
    return Figure(title=title or "Waiting", panels=panels, columns=2, height=5.6)


def _course(waiting: Waiting, second: float) -> Panel:
    count = 1 + max((row[0] for row in waiting.over_time), default=0)
    own, others = np.zeros(count), np.zeros(count)
    for window, waited, charged, cycles in waiting.over_time:
        (own if waited == charged else others)[window] += cycles / waiting.window
    unit, name = seconds_unit(count * waiting.window * second)
    edges = np.arange(count + 1) * waiting.window * second / unit
    marks = [
        step_boxes(edges, np.zeros(count), own, "waiting for own packets", PALE),
        step_boxes(edges, own, own + others, "waiting for other jobs", 3),
    ]
    return Panel(
        marks=marks,
        x=Axis(label=f"time ({name})", low=0.0, high=float(edges[-1])),
        y=Axis(label="packets that wait, mean", low=0.0, grid=True),
    )


def _links(waits: Sequence[LinkWaiting], links: Sequence[str]) -> Panel:
    places, own = np.arange(len(waits)), np.array([wait.own for wait in waits], float)
    both = own + np.array([wait.others for wait in waits], float)
    marks = [
        Bars(at=places, values=own, colour=PALE, lying=True, label="waiting for own packets"),
        Bars(at=places, values=both, base=own, colour=3, lying=True, label="waiting for other jobs"),
    ]
    names = list(links[: len(waits)])
    return Panel(marks=marks, x=Axis(label="cycles of waiting at the link"), y=Axis(names=names, down=True))


def timeline_figure(
    jobs: Sequence[Mapping[str, Any]],
    cycle_ns: float,
    loads: tuple[int, np.ndarray[Any, np.dtype[np.float64]]] | None = None,
    title: str = "Tasks and messages over time",
) -> Figure:
    """Return tasks and messages over time and the critical path; `loads`: mean and maximum of each window."""
    last = max((max(job["ends"], default=0) for job in jobs), default=0) * cycle_ns * 1e-9
    size, unit = seconds_unit(last)
    scale = cycle_ns * 1e-9 / size
    rows, tasks, messages, path = list[str](), list[Any](), list[Any](), list[Any]()
    for number, job in enumerate(jobs):
        first, count = len(rows), len(job["ends"])
        rows += [f"job {number}, task {task}" if len(jobs) > 1 else f"task {task}" for task in range(count)]
        tasks += [(job["start"] * scale, end * scale, first + task) for task, end in enumerate(job["ends"])]
        messages += [
            (begin * scale, first + source, (end + 1) * scale, first + target, size)
            for source, target, size, _, begin, end in job["messages"]
        ]
        path += [
            (begin * scale, end * scale, first + task, name) for name, task, begin, end in job["path"] or ()
        ]
    marks = [_stretches([(*task, "") for task in tasks], "", FREE, 0.4, rows), *_messages(messages, rows)]
    turns = [
        (one[1], one[2], after[0], after[2])
        for one, after in pairwise(path)
        if after[2] != one[2] and abs(after[0] - one[1]) <= 1e-3 * one[1] + 1e-12
    ]
    if turns:
        x0, y0, x1, y1 = zip(*turns, strict=True)
        marks.append(Links(x0=x0, y0=y0, x1=x1, y1=y1, colour=INK, width=1.0))
    for place, name in enumerate(COMPONENTS):
        own = [one for one in path if one[3] == name]
        if own:
            marks.append(_stretches(own, name, place, 0.25, rows))
    sent = sum(job["sent"] for job in jobs)
    thinned = f" {len(messages):,} of {sent:,} messages are drawn." if len(messages) < sent else ""
    x = Axis(label=f"time ({unit})", low=0.0, high=last / size)
    top = Panel(marks=marks, x=x, y=Axis(names=rows, down=True), weight=(1.0, 3.0))
    height = min(9.0, 2.0 + 0.14 * len(rows))
    return Figure(
        title=title,
        caption="Gray: a task from its start to its end. Thin: a message from sender to receiver. Colored: "
        f"the parts of the critical path. A shorter part can make the job faster.{thinned}",
        panels=[top] if loads is None else [top, _loads(loads, scale, x)],
        share_x=True,
        height=height if loads is None else height + 1.2,
    )


def _stretches(
    stretches: Sequence[Any], label: str, colour: int | str, half: float, rows: Sequence[str]
) -> Boxes:
    begin, end, row = (np.array([one[place] for one in stretches], float) for place in range(3))
    tips = [
        f"{rows[one[2]]}{f': {label}' if label else ''}, {one[0]:.6g} to {one[1]:.6g}" for one in stretches
    ]
    return Boxes(label=label, colour=colour, x0=begin, x1=end, y0=row - half, y1=row + half, tips=tips)


def _messages(messages: Sequence[Any], rows: Sequence[str]) -> list[Links]:
    if not messages:
        return []
    kept = messages[:: -(-len(messages) // _MOST_MESSAGES)]
    x0, y0, x1, y1, _ = zip(*kept, strict=True)
    tips = [
        f"{rows[a]} to {rows[b]}: {size:,} bytes, {begin:.6g} to {end:.6g}" for begin, a, end, b, size in kept
    ]
    alpha = max(0.08, min(0.6, 300 / len(kept)))
    return [
        Links(x0=x0, y0=y0, x1=x1, y1=y1, colour=INK, alpha=alpha, width=0.6, tips=tips, label="messages")
    ]


def _loads(loads: tuple[int, np.ndarray[Any, np.dtype[np.float64]]], scale: float, x: Axis) -> Panel:
    window, course = loads
    edges, zero = np.arange(len(course) + 1) * window * scale, np.zeros(len(course))
    maximum = np.append(course[:, 1], course[-1:, 1])
    marks = [
        step_boxes(edges, zero, 100 * course[:, 0], "mean load of links", PALE),
        Curve(
            x=edges[: len(maximum)], y=100 * maximum, step=True, mark="", colour=3, label="most loaded link"
        ),
    ]
    return Panel(marks=marks, x=x, y=Axis(label="load (%)", low=0.0, grid=True))
