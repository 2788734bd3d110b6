"""Points with their regression line: what a metric says of run time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from netplace.report.plots.page import COLOURS, explain, page

__all__ = ["draw_scatter"]

_COLUMNS = 3
_SIGNIFICANT = 0.01


def draw_scatter(
    path: Path,
    panels: Mapping[str, tuple[ArrayLike, ArrayLike]],
    xlabel: str,
    ylabel: str,
    title: str,
    groups: Sequence[str] | None = None,
) -> None:
    """Draw a panel of points for each entry, with regression line and Pearson's r.

    An asterisk after r says that it is significant at the level 0.01. Points that are not finite do not
    count; without any spread in x or y there is neither line nor r.

    Parameters
    ----------
    path : Path
        The picture (png, pdf or svg).
    panels : mapping of str to (x, y)
        The name of each panel, and its points as two sequences of one length.
    xlabel, ylabel, title : str
        Names of the axes (an empty `xlabel`: each panel's axis bears its name) and title of the picture.
    groups : sequence of str, optional
        The group of each point, of which each has a color; they are the same points in every panel.
    """
    if not panels:
        raise ValueError("scatter: there is nothing to draw, expected a panel at least")
    columns = min(_COLUMNS, len(panels))
    rows = math.ceil(len(panels) / columns)
    with page(path, 2.1 * rows + (0.7 if groups else 0.4)) as figure:
        grid: Sequence[Axes] = np.atleast_1d(figure.subplots(rows, columns, squeeze=False).ravel()).tolist()
        for axes, (name, (x, y)) in zip(grid, panels.items(), strict=False):
            _draw(axes, name, np.asarray(x, float), np.asarray(y, float), groups)
            axes.set_xlabel(xlabel or name)
        for axes in grid[len(panels) :]:
            axes.set_axis_off()
        figure.supylabel(ylabel, fontsize="medium")
        figure.suptitle(title)
        if groups:
            explain(figure)


def _draw(
    axes: Axes, name: str, x: NDArray[np.float64], y: NDArray[np.float64], groups: Sequence[str] | None
) -> None:
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"scatter: panel {name!r} has x of shape {x.shape} and y of shape {y.shape}")
    if groups is not None and len(groups) != len(x):
        raise ValueError(f"scatter: panel {name!r} has {len(x)} points, and there are {len(groups)} groups")
    finite = np.isfinite(x) & np.isfinite(y)
    own = np.asarray(groups if groups is not None else [""] * len(x), object)[finite]
    x, y = x[finite], y[finite]
    for place, group in enumerate(dict.fromkeys(own)):
        colour = COLOURS[place % len(COLOURS)]
        axes.plot(x[own == group], y[own == group], "o", label=group, color=colour, markersize=2.5, alpha=0.7)
    shown = name
    if len(x) > 2 and np.ptp(x) > 0 and np.ptp(y) > 0:
        line = stats.linregress(x, y)
        ends = np.array([x.min(), x.max()])
        colour = "0.4" if groups else COLOURS[1]
        axes.plot(ends, line.intercept + line.slope * ends, color=colour, linewidth=1.2)
        shown += f"   r = {line.rvalue:.2f}{'*' if line.pvalue < _SIGNIFICANT else ''}"
    axes.set_title(shown)
    axes.locator_params(axis="x", nbins=4)
    axes.ticklabel_format(axis="x", scilimits=(-3, 4))
    axes.grid(alpha=0.3)
