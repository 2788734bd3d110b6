"""Pictures of a schedule: who held which nodes when, and how full the machine was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PolyCollection
from matplotlib.colors import Normalize
from numpy.typing import NDArray

from netplace.checks import check_choice
from netplace.report.plots.page import COLOURS, SHADES, page
from netplace.scheduling import Schedule
from netplace.scheduling.metrics import held_nodes, waiting_jobs
from netplace.topologies.host_lists import node_runs

__all__ = ["GANTT_COLOURS", "draw_gantt", "draw_utilisation", "holders"]

_HOUR = 3600.0
_MOST_BOXES = 50_000  # of a Gantt chart that is drawn box by box
_EDGED = 3_000  # boxes up to which each has an edge
_PIXELS = (1400, 600)  # of its upper part


def draw_gantt(
    path: Path,
    schedule: Schedule,
    title: str,
    begin: float | None = None,
    end: float | None = None,
    colour: str = "waiting",
) -> None:
    """Draw who held which nodes over time, and below it how many jobs waited.

    Time goes from left to right, nodes upwards, each job is the boxes of nodes that it held. Where boxes are
    too small to be seen one by one, each spot has the mean color of what is in it.

    Parameters
    ----------
    path : Path
        The picture (png, pdf or svg).
    schedule : Schedule
        With the nodes of its jobs.
    title : str
        Title of the picture.
    begin, end : float, optional
        The window to draw, in seconds since the first submission; by default all.
    colour : str
        What colors tell of a job: a key of `GANTT_COLOURS`.
    """
    label, of = GANTT_COLOURS[check_choice(colour, GANTT_COLOURS, "colour")]
    if schedule.allocations is None:
        raise ValueError("Gantt chart: the schedule did not keep the nodes of its jobs")
    origin = float(schedule.submit.min())
    values = of(schedule)
    window = gantt_window(schedule, begin, end)
    boxes = _boxes(schedule, values, origin, window)
    with page(path, 4.4) as figure:
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(4, 1))
        norm = Normalize(
            float(values.min()), max(float(np.percentile(values, 98)), float(values.min()) + 1e-9)
        )
        shades = ScalarMappable(norm, SHADES)
        if _visible(boxes, window, schedule.machine_nodes):
            _draw_boxes(upper, boxes, shades)
        else:
            _draw_density(upper, boxes, window, schedule.machine_nodes, shades)
            label += "\nmeans: jobs are too small to see"
        figure.colorbar(
            shades, ax=upper, label=label, extend="max" if values.max() > norm.vmax else "neither", pad=0.01
        )
        hours = (window[0] / _HOUR, window[1] / _HOUR)
        upper.set(xlim=hours, ylim=(0, schedule.machine_nodes), ylabel="node")
        waiting = waiting_jobs(schedule)
        at = waiting.time - origin
        lower.step(at / _HOUR, waiting.value, where="post", linewidth=0.8, color=COLOURS[3])
        inside = waiting.value[(at >= window[0]) & (at <= window[1])]
        lower.set(ylabel="jobs waiting", xlabel="time (h)")
        lower.set_ylim(0, max(1.0, 1.1 * float(inside.max(initial=0))))
        lower.grid(alpha=0.3)
        upper.set_title(title)


def gantt_window(schedule: Schedule, begin: float | None, end: float | None) -> tuple[float, float]:
    """Return the seconds since the first submission between which a chart shows the jobs that ran."""
    origin = float(schedule.submit.min())
    last = float(schedule.end.max()) - origin
    window = (0.0 if begin is None else begin, last if end is None else min(end, last))
    inside = (schedule.start - origin < window[1]) & (schedule.end - origin > window[0])
    if not window[0] < window[1] or not inside.any():
        raise ValueError(
            f"Gantt chart: no job ran between {window[0] / _HOUR:g} and {window[1] / _HOUR:g} h after the "
            f"first submission; the schedule ends after {last / _HOUR:g} h"
        )
    return window


def _slowdowns(schedule: Schedule) -> NDArray[np.float64]:
    """Return (wait + run time) / run time, of jobs of ten seconds at least."""
    run = np.maximum(schedule.end - schedule.start, 10.0)
    return np.maximum(1.0, (schedule.end - schedule.submit) / run)


# What colours of a Gantt chart tell of a job: the name of the scale, and a value for each job.
GANTT_COLOURS: dict[str, tuple[str, Callable[[Schedule], NDArray[np.float64]]]] = {
    "waiting": ("waited (h)", lambda schedule: (schedule.start - schedule.submit) / _HOUR),
    "size": ("nodes", lambda schedule: np.asarray(schedule.nodes, float)),
    "slowdown": ("bounded slowdown", _slowdowns),
}


def _boxes(
    schedule: Schedule, values: NDArray[np.float64], origin: float, window: tuple[float, float]
) -> NDArray[np.float64]:
    """Return the boxes in a window, shape (boxes, 5): begin and end (s), first and last node, value."""
    assert schedule.allocations is not None
    start, end = schedule.start - origin, schedule.end - origin
    boxes = [
        (float(start[row]), float(end[row]), low, high, float(values[row]))
        for row in np.flatnonzero((end > window[0]) & (start < window[1])).tolist()
        for low, high in node_runs(np.sort(schedule.allocations[row]))
    ]
    return np.array(boxes, float).reshape(-1, 5)


def _visible(boxes: NDArray[np.float64], window: tuple[float, float], nodes: int) -> bool:
    """Return whether most of what is held is in boxes of a pixel at least, and they are not too many."""
    across = (boxes[:, 1] - boxes[:, 0]) / (window[1] - window[0]) * _PIXELS[0]
    tall = (boxes[:, 3] - boxes[:, 2] + 1) / nodes * _PIXELS[1]
    area = across * tall
    return len(boxes) <= _MOST_BOXES and area[(across >= 1) & (tall >= 1)].sum() >= 0.5 * area.sum()


def _draw_boxes(axes: Axes, boxes: NDArray[np.float64], shades: ScalarMappable) -> None:
    begin, end = boxes[:, 0] / _HOUR, boxes[:, 1] / _HOUR
    low, high = boxes[:, 2], boxes[:, 3] + 1
    corners = np.stack([begin, low, end, low, end, high, begin, high], axis=1).reshape(-1, 4, 2)
    edge = 0.3 if len(boxes) < _EDGED else 0.0  # so that neighbours of one colour are two
    colours = shades.to_rgba(boxes[:, 4])
    axes.add_collection(
        PolyCollection(list(corners), facecolors=colours, edgecolors="white", linewidths=edge)
    )


def _draw_density(
    axes: Axes, boxes: NDArray[np.float64], window: tuple[float, float], nodes: int, shades: ScalarMappable
) -> None:
    """Draw the mean of what was held, spot by spot, the paler the less was held."""
    wide, tall = _PIXELS[0] // 2, min(nodes, _PIXELS[1] // 2)
    share, sums = np.zeros((tall, wide)), np.zeros((tall, wide))
    for begin, end, low, high, value in boxes.tolist():
        columns = _covered(begin - window[0], end - window[0], window[1] - window[0], wide)
        rows = _covered(low, high + 1, nodes, tall)
        spot = np.s_[rows[0] : rows[0] + len(rows[1]), columns[0] : columns[0] + len(columns[1])]
        held = np.outer(rows[1], columns[1])
        share[spot] += held
        sums[spot] += value * held
    extent = (window[0] / _HOUR, window[1] / _HOUR, 0, nodes)
    image = shades.to_rgba(sums / np.maximum(share, 1e-12))
    image[..., 3] = np.minimum(share, 1.0)
    axes.imshow(image, origin="lower", aspect="auto", extent=extent, interpolation="nearest")


def _covered(begin: float, end: float, length: float, cells: int) -> tuple[int, NDArray[np.float64]]:
    """Return the first of equal cells of 0..length that an interval touches, and what it covers of each."""
    begin, end = (min(max(value, 0.0), length) * cells / length for value in (begin, end))
    first, last = min(int(begin), cells - 1), min(int(np.ceil(end)), cells)
    edges = np.arange(first, max(last, first + 1) + 1)
    return first, np.maximum(np.minimum(edges[1:], end) - np.maximum(edges[:-1], begin), 0.0)


def draw_utilisation(path: Path, schedule: Schedule, title: str) -> None:
    """Draw the share of the machine that was held, and the number of jobs that waited, over time."""
    with page(path, 4.0) as figure:
        upper, lower = figure.subplots(2, 1, sharex=True)
        _draw_means(upper, schedule)
        waiting, origin = waiting_jobs(schedule), float(schedule.submit.min())
        hours = (waiting.time - origin) / _HOUR
        lower.step(hours, waiting.value, where="post", linewidth=0.7, color=COLOURS[3])
        lower.set(ylabel="jobs waiting", xlabel="time (h)")
        for axes in (upper, lower):
            axes.set_ylim(0, None)
            axes.grid(alpha=0.3)
        upper.set_title(title)


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


def holders(schedule: Schedule, time: float, nodes: int | None = None) -> NDArray[np.int64]:
    """Return for each node the number of the job that holds it at `time`, or -1.

    Parameters
    ----------
    nodes : int, optional
        Nodes of the machine, those included that the scheduler did not have; by default those that it had.
    """
    if schedule.allocations is None:
        raise ValueError("occupancy: the schedule did not keep the nodes of its jobs")
    holder = np.full(schedule.machine_nodes if nodes is None else nodes, -1, np.int64)
    for row in np.flatnonzero((schedule.start <= time) & (time < schedule.end)).tolist():
        holder[schedule.allocations[row]] = schedule.number[row]
    return holder
