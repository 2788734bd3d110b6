"""Jobs on a machine that they share: who sat where when, and what sharing the network cost each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import Normalize

from netplace.cosim.job_row import JobRow, ended
from netplace.report.plots.page import COLOURS, SHADES, page, until
from netplace.report.terminal.units import seconds_unit
from netplace.topologies.host_lists import node_runs

__all__ = ["draw_sharing"]

_MOST_BOXES = 50_000
_ROOM = 0.04  # share of the time that a number needs


def draw_sharing(path: Path, jobs: Sequence[JobRow], title: str) -> None:
    """Draw time and nodes, each job in the color of its slowdown, and the slowdowns by application.

    Jobs without a slowdown, which did not end well, are gray.
    """
    slowdowns = np.array([job.slowdown or np.nan for job in jobs], float)
    known = slowdowns[np.isfinite(slowdowns)]
    most = float(np.percentile(known, 98)) if len(known) else 1.0
    norm = Normalize(1.0, max(most, 1.05))
    with page(path, 3.6) as figure:
        left, right = figure.subplots(1, 2, width_ratios=(2.2, 1))
        made = _draw_jobs(left, jobs, slowdowns, norm)
        figure.colorbar(made, ax=left, label="slowdown by sharing", pad=0.01, extend="max")
        _draw_slowdowns(right, jobs)
        figure.suptitle(title)


def _draw_jobs(
    axes: Axes, jobs: Sequence[JobRow], slowdowns: np.ndarray[Any, Any], norm: Normalize
) -> PolyCollection:
    colours = SHADES
    origin = min((job.submit for job in jobs), default=0.0)
    last = max((job.end for job in jobs), default=1.0) - origin
    unit, name = seconds_unit(last)
    boxes, filled = [], []
    for job, slowdown in zip(jobs, slowdowns, strict=True):
        begin, end = (job.start - origin) / unit, (job.end - origin) / unit
        for low, high in node_runs(np.sort(job.nodes)):
            boxes.append([(begin, low), (end, low), (end, high + 1), (begin, high + 1)])
            filled.append(colours(norm(slowdown)) if np.isfinite(slowdown) else (0.7, 0.7, 0.7, 1.0))
        if len(boxes) > _MOST_BOXES:
            break
        _name_job(
            axes, job, (begin, end), last / unit, dark=bool(np.isfinite(slowdown)) and norm(slowdown) > 0.5
        )
    made = PolyCollection(boxes, facecolors=filled, edgecolors="white", linewidths=0.15)
    made.set(cmap=colours, norm=norm)
    axes.add_collection(made)
    highest = max((max(job.nodes) for job in jobs), default=0)
    axes.set(xlim=until(last / unit), ylim=(0, highest + 1), xlabel=f"time ({name})", ylabel="node")
    return made


def _name_job(axes: Axes, job: JobRow, time: tuple[float, float], last: float, *, dark: bool) -> None:
    """Write the number of a job on the largest of its boxes, if that has room for it."""
    low, high = max(node_runs(np.sort(job.nodes)), key=lambda run: run[1] - run[0])
    if time[1] - time[0] > _ROOM * last and high > low:
        colour = "white" if dark else "black"
        place = (sum(time) / 2, (low + high + 1) / 2)
        axes.text(
            *place, str(job.job), color=colour, fontsize="small", ha="center", va="center", clip_on=True
        )


def _draw_slowdowns(axes: Axes, jobs: Sequence[JobRow]) -> None:
    by_name: dict[str, list[float]] = {}
    by_chance: dict[str, list[bool]] = {}
    for job, times in sorted(ended(jobs), key=lambda pair: pair[1].slowdown):
        name = job.application.partition(",")[0] or "computation"
        by_name.setdefault(name, []).append(times.slowdown)
        by_chance.setdefault(name, []).append(job.within_chance)
    names = sorted(by_name, key=lambda name: float(np.mean(by_name[name])))
    for place, name in enumerate(names):
        values, chance = np.array(by_name[name]), np.array(by_chance[name])
        spread = place + (np.arange(len(values)) % 5 - 2) * 0.08
        style: dict[str, Any] = {"markersize": 3, "alpha": 0.6, "color": COLOURS[0]}
        axes.plot(values[~chance], spread[~chance], "o", **style)
        axes.plot(values[chance], spread[chance], "o", fillstyle="none", **style)
        axes.plot([np.mean(values)], [place], "|", color="black", markersize=14, markeredgewidth=1.8)
    axes.axvline(1.0, color="0.5", linewidth=0.8)
    most = max((max(values) for values in by_name.values()), default=1.0)
    if most > 3:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.xaxis.set_minor_formatter(lambda value, _: "")
    axes.set_yticks(range(len(names)), names)
    hollow = ", hollow: chance" if any(map(any, by_chance.values())) else ""
    axes.set(xlabel=f"slowdown\n(bar: mean{hollow})")
    axes.grid(axis="x", alpha=0.3)
