"""Latency-throughput curves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from netplace.report.plots.page import explain, page

__all__ = ["draw_load", "draw_load_on"]

_MARKERS = "osD^vP*X"


def draw_load(path: Path, frame: pd.DataFrame, title: str, *, column: bool = False) -> None:
    """Draw accepted load and delay over offered load, a curve for each network or setting.

    Parameters
    ----------
    path : Path
        The picture (png, pdf or svg).
    frame : DataFrame
        As `netplace.report.tables.load.curve_frame` returns.
    title : str
        Title of the picture.
    column : bool
        As wide as a column of a paper, one panel below the other.
    """
    with page(path, 6.0 if column else 3.3, column=column) as figure:
        left, right = figure.subplots(2, 1) if column else figure.subplots(1, 2)
        draw_load_on(left, right, frame)
        explain(figure)
        figure.suptitle(title)


def draw_load_on(left: Axes, right: Axes, frame: pd.DataFrame) -> None:
    """Draw accepted load on `left`, mean delay with the 95th percentile above it (dashed) on `right`."""
    most = float(frame["offered"].max())
    left.plot([0, most], [0, most], color="0.7", linestyle=":", linewidth=1)
    for number, (name, own) in enumerate(frame.groupby("curve", sort=False)):
        look: dict[str, Any] = {
            "marker": _MARKERS[number % len(_MARKERS)], "markersize": 4, "linewidth": 1.2, "capsize": 2,
            "elinewidth": 0.8,
        }  # fmt: skip
        drawn = left.errorbar(own["offered"], own["accepted"], own["accepted_half_width"], label=name, **look)
        colour = drawn.lines[0].get_color()
        right.errorbar(own["offered"], own["mean"], own["mean_half_width"], color=colour, **look)
        right.plot(own["offered"], own["p95"], "--", linewidth=0.9, color=colour)
    left.set(xlabel="offered load (phits/node/cycle)", ylabel="accepted load (phits/node/cycle)")
    right.set(xlabel="offered load (phits/node/cycle)", ylabel="packet delay (cycles)")
    right.plot([], [], color="0.3", label="mean")
    right.plot([], [], "--", color="0.3", linewidth=0.9, label="95th percentile")
    right.legend(loc="upper left", frameon=False)
    for axes in (left, right):
        axes.set_xlim(0, None)
        axes.set_ylim(0, None)
        axes.grid(alpha=0.3)
