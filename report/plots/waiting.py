"""Who waited for whom: jobs by jobs, over time, and on which links."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm

from netplace.cosim.waiting import LinkWaiting, Waiting
from netplace.report.plots.page import COLOURS, SHADES, page
from netplace.report.terminal.units import seconds_unit

__all__ = ["draw_waiting"]

_BARS = 15
_MOST_NAMES = 24  # of jobs along an axis


def draw_waiting(path: Path, waiting: Waiting, links: Sequence[str], second: float, title: str) -> None:
    """Draw the matrix of waiting, its course, and the links with most of it.

    Parameters
    ----------
    path : Path
        Picture.
    waiting : Waiting
        Who waited for whom.
    links : sequence of str
        Names of its links.
    second : float
        Length of a cycle in seconds.
    title : str
        What it is of.
    """
    with page(path, 5.2) as figure:
        shown = figure.subplot_mosaic([["jobs", "links"], ["course", "course"]], height_ratios=(3, 2))
        _draw_matrix(shown["jobs"], waiting.jobs)
        _draw_course(shown["course"], waiting, second)
        _draw_links(shown["links"], waiting.links[:_BARS], links)
        figure.suptitle(title)


def _draw_matrix(axes: Axes, pairs: Sequence[Sequence[int]]) -> None:
    jobs = sorted({job for waited, charged, _ in pairs for job in (waited, charged)})
    place = {job: n for n, job in enumerate(jobs)}
    cycles = np.full((len(jobs), len(jobs)), np.nan)
    for waited, charged, count in pairs:
        cycles[place[waited], place[charged]] = count
    axes.set(xlabel="job charged", ylabel="job that waited")
    if not jobs:
        return
    most = float(np.nanmax(cycles))
    made = axes.imshow(cycles, cmap=SHADES, norm=LogNorm(max(1.0, most / 1e4), max(most, 2.0)))
    step = -(-len(jobs) // _MOST_NAMES)
    shown = range(0, len(jobs), step)
    axes.set_xticks(shown, [str(job) for job in jobs[::step]], rotation=90 if jobs[-1] > 99 else 0)
    axes.set_yticks(shown, [str(job) for job in jobs[::step]])
    axes.figure.colorbar(made, ax=axes, label="cycles waited", pad=0.02, shrink=0.85)


def _draw_course(axes: Axes, waiting: Waiting, second: float) -> None:
    count = 1 + max((row[0] for row in waiting.over_time), default=0)
    own, others = np.zeros(count), np.zeros(count)
    for window, waited, charged, cycles in waiting.over_time:
        (own if waited == charged else others)[window] += cycles / waiting.window
    last = count * waiting.window * second
    unit, name = seconds_unit(last)
    edges = np.arange(count + 1) * waiting.window * second / unit
    axes.stairs(own, edges, fill=True, color="0.75", label="the job's own packets")
    axes.stairs(own + others, edges, baseline=own, fill=True, color=COLOURS[3], label="other jobs")
    axes.set(xlabel=f"time ({name})", ylabel="packets that wait, mean", xlim=(0, edges[-1]))
    axes.legend(title="waiting for", loc="upper right")


def _draw_links(axes: Axes, waits: Sequence[LinkWaiting], links: Sequence[str]) -> None:
    names = links[: len(waits)]
    places = np.arange(len(waits))
    own = [wait.own for wait in waits]
    axes.barh(places, own, color="0.75")
    axes.barh(places, [wait.others for wait in waits], left=own, color=COLOURS[3])
    axes.set_yticks(places, names)
    axes.invert_yaxis()
    axes.set(xlabel="cycles waited at the link")
