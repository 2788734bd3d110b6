"""Points with their regression line: what a metric says of run time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from netplace.report.plots.page import COLOURS, page

__all__ = ["draw_scatter"]

_COLUMNS = 3
_SIGNIFICANT = 0.01


def draw_scatter(
    path: Path,
    panels: Mapping[str, tuple[ArrayLike, ArrayLike]],
    xlabel: str,
    ylabel: str,
    title: str,
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

    Raises
    ------
    ValueError
        If there is no panel, or one has more x than y or the reverse.
    """
    if not panels:
        raise ValueError("scatter: there is nothing to draw, expected a panel at least")
    columns = min(_COLUMNS, len(panels))
    rows = math.ceil(len(panels) / columns)
    with page(path, 2.1 * rows + 0.4) as figure:
        grid: Sequence[Axes] = np.atleast_1d(figure.subplots(rows, columns, squeeze=False).ravel()).tolist()
        for axes, (name, (x, y)) in zip(grid, panels.items(), strict=False):
            _draw(axes, name, np.asarray(x, float), np.asarray(y, float))
            axes.set_xlabel(xlabel or name)
        for axes in grid[len(panels) :]:
            axes.set_axis_off()
        figure.supylabel(ylabel, fontsize="medium")
        figure.suptitle(title)


def _draw(axes: Axes, name: str, x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"scatter: panel {name!r} has x of shape {x.shape} and y of shape {y.shape}")
    finite = np.isfinite(x) & np.isfinite(y)
    x, y = x[finite], y[finite]
    axes.plot(x, y, "o", markersize=2.5, alpha=0.7)
    found = name
    if len(x) > 2 and np.ptp(x) > 0 and np.ptp(y) > 0:
        line = stats.linregress(x, y)
        ends = np.array([x.min(), x.max()])
        axes.plot(ends, line.intercept + line.slope * ends, color=COLOURS[1], linewidth=1.2)
        found += f"   r = {line.rvalue:.2f}{'*' if line.pvalue < _SIGNIFICANT else ''}"
    axes.set_title(found)
    axes.locator_params(axis="x", nbins=4)
    axes.ticklabel_format(axis="x", scilimits=(-3, 4))
    axes.grid(alpha=0.3)
