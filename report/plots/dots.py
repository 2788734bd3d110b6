"""Marks with their intervals by name, in panels."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes

from netplace.report.plots.page import COLOURS, explain, page

__all__ = ["draw_dots"]

_MARKS = "osD^vP"


def draw_dots(
    path: Path,
    panels: Mapping[str, pd.DataFrame],
    xlabel: str,
    title: str,
    *,
    line: float | None = None,
    columns: int = 3,
) -> None:
    """Draw a panel for each table, in which every name has a row with a mark for each series.

    Parameters
    ----------
    path : Path
        The picture (png, pdf or svg).
    panels : mapping of str to DataFrame
        Tables with columns ``name``, ``series``, ``value`` and ``half``, half of an interval or NaN.
    xlabel, title : str
        What the values are, and title of the picture.
    line : float, optional
        Value at which a line stands: no difference.
    columns : int
        Panels side by side at most.
    """
    if not panels:
        raise ValueError("dots: there is nothing to draw, expected a panel at least")
    every = pd.concat(panels.values())
    names, series = (list(dict.fromkeys(every[column])) for column in ("name", "series"))
    columns = min(columns, len(panels))
    rows = math.ceil(len(panels) / columns)
    with page(path, (0.55 + 0.16 * len(names)) * rows + 0.9, column=len(panels) == 1) as figure:
        grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
        for axes, (name, table) in zip(grid, panels.items(), strict=False):
            _draw(axes, table, names, series)
            axes.set_title(name)
            if line is not None:
                axes.axvline(line, color="0.3", linewidth=0.8)
        for axes in grid[len(panels) :]:
            axes.set_axis_off()
        grid[0].set_yticks(range(len(names)), names)
        grid[0].invert_yaxis()
        figure.suptitle(title)
        explain(figure, xlabel)


def _draw(axes: Axes, table: pd.DataFrame, names: list[str], series: list[str]) -> None:
    for place, label in enumerate(series):
        own = table[table["series"] == label]
        aside = 0.5 * (place - (len(series) - 1) / 2) / len(series)
        axes.errorbar(
            own["value"],
            [names.index(name) + aside for name in own["name"]],
            xerr=own["half"].to_numpy(float),
            fmt=_MARKS[place % len(_MARKS)],
            color=COLOURS[place % len(COLOURS)],
            markersize=3.5,
            elinewidth=0.9,
            capsize=1.5,
            label=label,
        )
    axes.grid(axis="x", alpha=0.3)
    axes.grid(axis="y", alpha=0.15)
    axes.set_axisbelow(True)
