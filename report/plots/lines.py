"""Curves in panels, with a level that they cross."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.ticker import LogLocator, NullFormatter, ScalarFormatter

from netplace.report.plots.page import explain, page

__all__ = ["draw_lines"]


def draw_lines(
    path: Path,
    panels: Mapping[str, Mapping[str, Sequence[float]]],
    x: Sequence[float],
    xlabel: str,
    ylabel: str,
    title: str,
    columns: int = 3,
    band: tuple[float, float] | None = None,
) -> None:
    """Draw a panel of curves for each entry, on a logarithmic axis with a line at 1.

    Parameters
    ----------
    path : Path
        The picture (png, pdf or svg).
    panels : mapping of str to mapping of str to sequence of float
        For each panel its curves by name, one value over 0 for each of `x`.
    x : sequence of float
        Abscissas of all curves.
    xlabel, ylabel, title : str
        Names of the axes and title of the picture.
    columns : int
        Panels side by side.
    band : (float, float), optional
        Abscissas between which the background is tinted.
    """
    if not panels:
        raise ValueError("lines: there is nothing to draw, expected a panel at least")
    columns = min(columns, len(panels))
    rows = math.ceil(len(panels) / columns)
    alone = len(panels) == 1
    with page(path, (2.9 if alone else 2.2 * rows) + 0.9, column=alone) as figure:
        grid = figure.subplots(rows, columns, squeeze=False, sharex=True).ravel()
        for axes, (name, curves) in zip(grid, panels.items(), strict=False):
            for label, values in curves.items():
                if len(values) != len(x):
                    raise ValueError(f"lines: {label!r} has {len(values)} values, expected {len(x)}")
                axes.plot(x, values, "o-", markersize=2.5, linewidth=1.1, label=label)
            axes.axhline(1, color="0.3", linewidth=0.8)
            if band:
                axes.axvspan(*band, color="0.9", zorder=0)
            axes.set_yscale("log")
            axes.yaxis.set_major_locator(LogLocator(subs=(1, 1.2, 1.5, 2, 3, 5)))
            axes.yaxis.set_major_formatter(ScalarFormatter())
            axes.yaxis.set_minor_formatter(NullFormatter())
            axes.set_title(name)
            axes.grid(alpha=0.3)
        for axes in grid[len(panels) :]:
            axes.set_axis_off()
        figure.supylabel(ylabel, fontsize="medium")
        figure.suptitle(title)
        explain(figure, xlabel)
