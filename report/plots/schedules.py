"""Figures of a schedule: who held which nodes when, how full the machine was, and what it drew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netplace.report.plots.figure import FREE, Axis, Boxes, Cells, Curve, Figure, Mark, Panel, Shades, Values
from netplace.scheduling import Schedule
from netplace.scheduling.energy import Energy
from netplace.scheduling.metrics import allocated_nodes, waiting_jobs
from netplace.scheduling.workload import Workload
from netplace.scheduling.workload.summary import hours
from netplace.topologies.host_lists import node_runs

_HOUR = 3600.0
_MOST_BOXES = 50_000  # of a Gantt chart that is drawn box by box
_PIXELS = (1400, 600)  # of its upper part
_MOST_STEPS = 1000  # of power, beyond which means of windows are drawn
# From the bottom: what works, what is ready, what is in between, what is off.
_STATES: dict[str, int | str] = {"busy": 0, "idle": "#c9d6e8", "booting": 1, "stopping": 3, "off": FREE}


def gantt_panel(
    begin: Sequence[float],
    end: Sequence[float],
    ranges: Sequence[Sequence[tuple[int, int]]],
    values: Sequence[float | None],
    tips: Sequence[str],
    *,
    nodes: int,
    x: str,
    shades: Shades,
) -> Panel:
    """Return which nodes jobs held when: time from left to right, nodes upward."""
    boxes = [(job, low, high) for job, held in enumerate(ranges) for low, high in held]
    job, low, high = np.array(boxes, np.int64).reshape(-1, 3).T
    known = np.array([np.nan if value is None else value for value in values], float)
    starts, ends = np.asarray(begin, float), np.asarray(end, float)
    mark = Boxes(
        x0=starts[job],
        x1=ends[job],
        y0=low,
        y1=high,
        values=known[job],
        edge=True,
        tips=[tips[one] for one in job.tolist()] if len(tips) else (),
    )
    first, last = float(starts.min(initial=np.inf)), float(ends.max(initial=-np.inf))
    if not len(starts):
        first, last = 0.0, 1.0
    return Panel(
        marks=[mark],
        x=Axis(label=x, low=first, high=last),
        y=Axis(label="node", low=0.0, high=float(nodes)),
        shades=shades,
        weight=(1.0, 4.0),
    )


def gantt_figure(
    schedule: Schedule, title: str = "", begin: float | None = None, end: float | None = None
) -> Figure:
    """Return who held which nodes over time, shaded by how long each job waited, and how many waited.

    Where boxes are too small to be seen one by one, each spot has the mean shade of its contents. `begin`
    and `end` bound a window, in seconds since the first submission. ValueError if the schedule did not keep
    the nodes of its jobs, or nothing is in the window.
    """
    if schedule.allocations is None:
        raise ValueError("Gantt chart: the schedule does not contain the nodes of its jobs")
    label, values = "waited (h)", (schedule.start - schedule.submit) / _HOUR
    origin = float(schedule.submit.min())
    window = gantt_window(schedule, begin, end)
    sides = (window[0] / _HOUR, window[1] / _HOUR)
    start, last = (schedule.start - origin) / _HOUR, (schedule.end - origin) / _HOUR
    rows = np.flatnonzero((last > sides[0]) & (start < sides[1]))
    ranges = [
        [(low, high + 1) for low, high in node_runs(np.sort(schedule.allocations[row]))]
        for row in rows.tolist()
    ]
    minimum = float(values.min())
    high = max(float(np.percentile(values, 98)), minimum + 1e-9)
    shades = Shades(label=label, low=minimum, high=high)
    panel = gantt_panel(
        start[rows].tolist(), last[rows].tolist(), ranges, values[rows].tolist(), (),
        nodes=schedule.machine_nodes, x="", shades=shades,
    )  # fmt: skip
    [boxes] = panel.marks
    assert isinstance(boxes, Boxes)
    if not _visible(boxes, sides, schedule.machine_nodes):
        boxes = _density(boxes, sides, schedule.machine_nodes)
        shades = Shades(label=f"{label}\nmeans: jobs are too small to see", low=minimum, high=high)
    x = Axis(low=sides[0], high=sides[1])
    upper = Panel(marks=[boxes], x=x, y=panel.y, shades=shades, weight=panel.weight)
    waiting = waiting_jobs(schedule)
    hours = (waiting.time - origin) / _HOUR
    inside = waiting.value[(hours >= sides[0]) & (hours <= sides[1])]
    lower = Panel(
        marks=[_steps(hours, waiting.value, 3)],
        x=Axis(label="time (h)", low=sides[0], high=sides[1], grid=True),
        y=Axis(label="jobs waiting", low=0.0, high=max(1.0, 1.1 * float(inside.max(initial=0))), grid=True),
    )
    return Figure(title=title or "Schedule", panels=[upper, lower], share_x=True, height=4.4)


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


def _visible(boxes: Boxes, window: tuple[float, float], nodes: int) -> bool:
    """Tell whether most of what is held is in boxes of a pixel at least, and they are not too many."""
    across = (boxes.x1 - boxes.x0) / (window[1] - window[0]) * _PIXELS[0]
    tall = (boxes.y1 - boxes.y0) / nodes * _PIXELS[1]
    area = across * tall
    return len(across) <= _MOST_BOXES and area[(across >= 1) & (tall >= 1)].sum() >= 0.5 * area.sum()


def _density(boxes: Boxes, window: tuple[float, float], nodes: int) -> Cells:
    """Return the mean of what was held, spot by spot, the paler the less was held."""
    wide, tall = _PIXELS[0] // 2, min(nodes, _PIXELS[1] // 2)
    share, sums = np.zeros((tall, wide)), np.zeros((tall, wide))
    each = np.stack([boxes.x0, boxes.x1, boxes.y0, boxes.y1, boxes.values], axis=1)
    for begin, end, low, high, value in each.tolist():
        columns = _covered(begin - window[0], end - window[0], window[1] - window[0], wide)
        rows = _covered(low, high, nodes, tall)
        spot = np.s_[rows[0] : rows[0] + len(rows[1]), columns[0] : columns[0] + len(columns[1])]
        held = np.outer(rows[1], columns[1])
        share[spot] += held
        sums[spot] += value * held
    y, x = np.nonzero(share > 0)
    mean, opacity = sums[y, x] / share[y, x], np.minimum(share[y, x], 1.0)
    extent = (*window, 0.0, float(nodes))
    return Cells(x=x, y=y, wide=wide, tall=tall, values=mean, opacity=opacity, extent=extent)


def _covered(begin: float, end: float, length: float, cells: int) -> tuple[int, NDArray[np.float64]]:
    """Return the first of equal cells of 0..length that an interval touches, and what it covers of each."""
    begin, end = (min(max(value, 0.0), length) * cells / length for value in (begin, end))
    first, last = min(int(begin), cells - 1), min(int(np.ceil(end)), cells)
    edges = np.arange(first, max(last, first + 1) + 1)
    return first, np.maximum(np.minimum(edges[1:], end) - np.maximum(edges[:-1], begin), 0.0)


def _steps(x: Values, y: Values, colour: int | str, label: str = "", width: float = 0.8) -> Curve:
    return Curve(x=x, y=y, step=True, mark="", colour=colour, label=label, width=width)


def utilisation_figure(schedule: Schedule, title: str = "") -> Figure:
    """Return the share of the machine that was held, and the number of jobs that waited, over time."""
    held, origin = allocated_nodes(schedule), float(schedule.submit.min())
    waiting = waiting_jobs(schedule)
    marks = [
        _steps((held.time - origin) / _HOUR, held.value / schedule.machine_nodes, "#b0b6bd", "held", 0.4)
    ]
    if held.time[-1] > held.time[0]:
        edges = np.linspace(held.time[0], held.time[-1], 101)
        means = held.means(edges) / schedule.machine_nodes
        marks.append(
            _steps((edges - origin) / _HOUR, np.append(means, means[-1]), 0, "mean of one percent", 1.0)
        )
    upper = Panel(marks=marks, x=Axis(grid=True), y=Axis(label="share of the nodes", low=0.0, grid=True))
    lower = Panel(
        marks=[_steps((waiting.time - origin) / _HOUR, waiting.value, 3)],
        x=Axis(label="time (h)", grid=True),
        y=Axis(label="jobs waiting", low=0.0, grid=True),
    )
    return Figure(title=title or "Utilisation", panels=[upper, lower], share_x=True, height=4.0)


def holders(schedule: Schedule, time: float, nodes: int | None = None) -> NDArray[np.int64]:
    """Return for each node the number of the job that holds it at `time`, or -1."""
    if schedule.allocations is None:
        raise ValueError("occupancy: the schedule does not contain the nodes of its jobs")
    holder = np.full(schedule.machine_nodes if nodes is None else nodes, -1, np.int64)
    for row in np.flatnonzero((schedule.start <= time) & (time < schedule.end)).tolist():
        holder[schedule.allocations[row]] = schedule.number[row]
    return holder


def kept_steps(moments: NDArray[Any], series: Sequence[NDArray[Any]], maximum: int) -> NDArray[np.int64]:
    """Return at most `maximum` steps that look like all: ends and extremes of each line in every dot."""
    count = len(moments)
    if count <= maximum:
        return np.arange(count)
    bins = max(1, maximum // (2 + 2 * len(series)))
    span = max(float(moments[-1] - moments[0]), np.finfo(float).tiny)
    dot = np.minimum(((moments - moments[0]) / span * bins).astype(np.int64), bins - 1)
    first = np.flatnonzero(np.diff(dot, prepend=-1))
    kept = [first, np.append(first[1:], count) - 1]
    for values in series:
        order = np.lexsort((values, dot))
        kept += [order[first], order[kept[1]]]
    return np.unique(np.concatenate(kept))


def step_boxes(
    edges: NDArray[Any], low: NDArray[Any], high: NDArray[Any], label: str, colour: int | str
) -> Boxes:
    """Return what lies between two values that change at edges, shape (steps + 1,), as boxes."""
    full = np.flatnonzero(high > low)
    return Boxes(label=label, colour=colour, x0=edges[full], x1=edges[full + 1], y0=low[full], y1=high[full])


def power_figure(energy: Energy, title: str = "") -> Figure:
    """Return how many nodes are in which state over time, and below it what all of them draw.

    Where there are too many changes to be seen, means of windows are drawn.
    """
    time, values = _windows(energy)
    hours = (time - energy.time[0]) / _HOUR
    base, marks = np.zeros(len(time) - 1), list[Mark]()
    for state, colour in _STATES.items():
        if values[state].any():
            marks.append(step_boxes(hours, base, base + values[state], state, colour))
            base = base + values[state]
    watts = np.asarray(sum(values[state] * energy.watts[state] for state in values)) / 1000
    end = float(hours[-1])
    upper = Panel(
        marks=marks,
        x=Axis(low=0.0, high=end),
        y=Axis(label="nodes", low=0.0, high=float(base.max(initial=0.0))),
        weight=(1.0, 3.0),
    )
    lower = Panel(
        marks=[_steps(hours, np.append(watts, watts[-1]), 0)],
        x=Axis(label="time (h)", low=0.0, high=end, grid=True),
        y=Axis(label="power (kW)", low=0.0, grid=True),
        weight=(1.0, 2.0),
    )
    return Figure(title=title or "Power", panels=[upper, lower], share_x=True, height=4.4)


def _windows(energy: Energy) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
    if len(energy.time) - 1 <= _MOST_STEPS:
        return energy.time, {state: energy.nodes[state].astype(float) for state in _STATES}
    edges = np.linspace(energy.time[0], energy.time[-1], _MOST_STEPS // 2 + 1)
    lasting = np.diff(energy.time)
    by_state = {}
    for state in _STATES:
        sums = np.concatenate([[0.0], np.cumsum(energy.nodes[state] * lasting)])
        by_state[state] = np.diff(np.interp(edges, energy.time, sums)) / np.diff(edges)
    return edges, by_state


def workload_figure(workload: Workload, title: str = "") -> Figure:
    """Return the sizes, run times, and submissions by hour of the day of a workload's jobs."""
    largest = int(workload.nodes.max())
    # A bar for the sizes about a power of two. Times of less than a second go with those of one:
    # a logarithm has no place for 0.
    sizes = np.exp2(np.arange(largest.bit_length() + 2) - 0.5)
    times = np.geomspace(1, max(float(workload.run_time.max()), 2.0), 41)
    counted = (
        ("nodes", "log2", sizes, np.histogram(workload.nodes, sizes)[0]),
        ("run time (s)", "log", times, np.histogram(np.maximum(workload.run_time, 1), times)[0]),
        ("hour of submission", "linear", np.arange(25.0), np.bincount(hours(workload), minlength=24)),
    )
    panels = [
        Panel(
            marks=[Boxes(x0=edges[:-1], x1=edges[1:], y0=np.zeros(len(jobs)), y1=jobs, edge=True)],
            x=Axis(label=name, scale=scale, low=float(edges[0]), high=float(edges[-1])),
            y=Axis(label="jobs", low=0.0, grid=True, whole=True),
        )
        for name, scale, edges, jobs in counted
    ]
    return Figure(
        title=f"{title or 'Workload'}: {len(workload):,} jobs", panels=panels, columns=3, height=2.4
    )
