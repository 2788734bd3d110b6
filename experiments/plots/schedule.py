"""Pictures of a schedule: who held which nodes when, and how full the machine was."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from numpy.typing import NDArray

from netplace.experiments.plots.occupancy import job_colours
from netplace.experiments.plots.page import COLOURS, page
from netplace.scheduling import Schedule
from netplace.scheduling.metrics import held_nodes, waiting_jobs

__all__ = ["draw_gantt", "draw_utilisation", "holders"]

_HOUR = 3600.0
_MOST_BOXES = 50_000  # of a Gantt chart; more would be less than a dot each


def draw_gantt(path: Path, schedule: Schedule, title: str) -> None:
    """Draw time from left to right, nodes upwards, and each job as the boxes of nodes that it held.

    Of a schedule with very many boxes the first are drawn, and the title says so.

    Raises
    ------
    ValueError
        If the schedule did not keep the nodes of its jobs.
    """
    if schedule.allocations is None:
        raise ValueError("Gantt chart: the schedule did not keep the nodes of its jobs")
    boxes: list[list[tuple[float, float]]] = []
    jobs: list[int] = []
    drawn = 0
    origin = float(schedule.submit.min())
    for row in np.argsort(schedule.start, kind="stable").tolist():
        drawn += 1
        begin, end = (float(column[row] - origin) / _HOUR for column in (schedule.start, schedule.end))
        for low, high in _intervals(schedule.allocations[row]):
            boxes.append([(begin, low), (end, low), (end, high + 1), (begin, high + 1)])
            jobs.append(int(schedule.number[row]))
        if len(boxes) >= _MOST_BOXES:
            break
    with page(path, 11, 5) as figure:
        axes = figure.subplots()
        made = PolyCollection(boxes, facecolors=job_colours(np.array(jobs, np.int64)), linewidths=0)
        axes.add_collection(made)
        last = max((box[1][0] for box in boxes), default=1.0)
        axes.set(xlim=(0, last or 1.0), ylim=(0, schedule.machine_nodes), xlabel="time (h)", ylabel="node")
        part = f" (the first {drawn:,} of {len(schedule):,} jobs)" if drawn < len(schedule) else ""
        axes.set_title(title + part, fontsize="medium")


def draw_utilisation(path: Path, schedule: Schedule, title: str) -> None:
    """Draw the share of the machine that was held, and the number of jobs that waited, over time."""
    with page(path, 11, 5) as figure:
        upper, lower = figure.subplots(2, 1, sharex=True)
        _draw_means(upper, schedule)
        waiting, origin = waiting_jobs(schedule), float(schedule.submit.min())
        hours = (waiting.time - origin) / _HOUR
        lower.step(hours, waiting.value, where="post", linewidth=0.7, color=COLOURS[3])
        lower.set(ylabel="jobs waiting", xlabel="time (h)")
        for axes in (upper, lower):
            axes.set_ylim(0, None)
            axes.grid(alpha=0.3)
        upper.set_title(title, fontsize="medium")


def _draw_means(axes: Axes, schedule: Schedule) -> None:
    """Draw the held share as it was, and its mean in a hundred windows."""
    held, origin = held_nodes(schedule), float(schedule.submit.min())
    hours = (held.time - origin) / _HOUR
    share = held.value / schedule.machine_nodes
    axes.step(hours, share, where="post", linewidth=0.3, color="0.7", label="held")
    if held.time[-1] > held.time[0]:
        edges = np.linspace(held.time[0], held.time[-1], 101)
        means = held.means(edges) / schedule.machine_nodes
        axes.stairs(means, (edges - origin) / _HOUR, color=COLOURS[0], label="mean of a hundredth")
    axes.set(ylabel="share of the nodes")
    axes.legend(loc="lower right", fontsize="small")


def holders(schedule: Schedule, time: float) -> NDArray[np.int64]:
    """Return for each node the number of the job that holds it at `time`, or -1.

    Raises
    ------
    ValueError
        If the schedule did not keep the nodes of its jobs.
    """
    if schedule.allocations is None:
        raise ValueError("occupancy: the schedule did not keep the nodes of its jobs")
    holder = np.full(schedule.machine_nodes, -1, np.int64)
    for row in np.flatnonzero((schedule.start <= time) & (time < schedule.end)).tolist():
        holder[schedule.allocations[row]] = schedule.number[row]
    return holder


def _intervals(nodes: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return first and last node of each run of consecutive nodes."""
    if not len(nodes):
        return []
    ordered = np.sort(nodes)
    breaks = np.flatnonzero(np.diff(ordered) > 1)
    firsts, lasts = ordered[[0, *(breaks + 1)]], ordered[[*breaks, len(ordered) - 1]]
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))
