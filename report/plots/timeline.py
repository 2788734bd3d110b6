"""A run over time: tasks as lines, messages from sender to receiver, and the load of links below."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from netplace.netsim import Result
from netplace.report.plots.page import COLOURS, page, until
from netplace.report.terminal.units import seconds_unit

__all__ = ["draw_timeline"]

_MOST_MESSAGES = 20_000  # that are drawn; of more, every so manyth


def draw_timeline(
    path: Path,
    result: Result,
    messages: Sequence[np.ndarray[Any, np.dtype[np.int64]]],
    loads: tuple[int, np.ndarray[Any, np.dtype[np.float64]]] | None,
) -> None:
    """Draw when tasks ran, who wrote to whom, and how loaded the links were.

    Parameters
    ----------
    path : Path
        The picture (png, pdf or svg).
    result : Result
        The run.
    messages : sequence of ndarray of int64, shape (messages, 6)
        Of each job, as `netplace.report.files.messages.message_rows` returns them.
    loads : (int, ndarray of float, shape (windows, 2)), optional
        Length of a window in cycles, and mean and most of the links' loads in each.
    """
    last = result.drained_cycles * result.config.cycle_ns * 1e-9
    size, unit = seconds_unit(last)
    scale = result.config.cycle_ns * 1e-9 / size
    with page(path, 4.0) as figure:
        if loads is None:
            top = figure.subplots()
        else:
            top, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
            window, course = loads
            edges = np.arange(len(course) + 1) * window * scale
            below.stairs(100 * course[:, 1], edges, color=COLOURS[3], label="most loaded link")
            below.stairs(100 * course[:, 0], edges, fill=True, color="0.7", label="mean")
            below.set(ylabel="load (%)")
            below.legend(loc="upper right")
        _draw_tasks(top, result, messages, scale)
        figure.axes[-1].set(xlabel=f"time ({unit})", xlim=until(result.drained_cycles * scale))
        figure.suptitle(f"{result.network}: tasks and messages")


def _draw_tasks(
    axes: Axes, result: Result, messages: Sequence[np.ndarray[Any, np.dtype[np.int64]]], scale: float
) -> None:
    first = 0
    for number, (job, sent) in enumerate(zip(result.jobs, messages, strict=True)):
        tasks = np.arange(len(job.nodes)) + first
        begin = np.full(len(tasks), job.start * scale)
        axes.hlines(tasks, begin, begin + job.task_cycles * scale, color="0.85", linewidth=2, zorder=1)
        step = -(-len(sent) // _MOST_MESSAGES) or 1
        shown = sent[::step]
        lines = np.stack(
            [
                np.column_stack([shown[:, 4] * scale, shown[:, 0] + first]),
                np.column_stack([shown[:, 5] * scale, shown[:, 1] + first]),
            ],
            axis=1,
        )
        label = f"job {number}" + (f", every {step}th message" if step > 1 else "")
        thin = max(0.05, min(0.7, 300 / max(1, len(shown))))
        axes.add_collection(
            LineCollection(
                list(lines), colors=COLOURS[number % len(COLOURS)], linewidths=0.6, alpha=thin, label=label
            )
        )
        first += len(tasks)
    axes.set(ylabel="task", ylim=(first - 0.5, -0.5))
    if len(result.jobs) > 1 or any(len(sent) > _MOST_MESSAGES for sent in messages):
        axes.legend(loc="upper right")
