"""Heat maps of traffic between tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure, SubFigure
from scipy import sparse

from netplace.report.plots.page import SHADES, page

__all__ = ["draw_heat_map", "draw_heat_map_on"]


def draw_heat_map(path: Path, W: Any, title: str) -> None:
    """Draw a traffic matrix, bytes on a logarithmic scale; pairs without traffic stay white.

    Parameters
    ----------
    path : Path
        The picture (png, pdf or svg).
    W : array_like or sparse array, shape (tasks, tasks)
        Bytes from the task of the row to that of the column.
    title : str
        Title of the picture.
    """
    with page(path, 5.4) as figure:
        draw_heat_map_on(figure, W)
        figure.suptitle(title, fontsize="medium")


def draw_heat_map_on(figure: Figure | SubFigure, W: Any) -> None:
    """Draw what `draw_heat_map` draws on a figure or part of one."""
    flows = np.asarray(W.todense() if sparse.issparse(W) else W, float)
    sent = flows[flows > 0]
    least, most = (float(sent.min()), float(sent.max())) if len(sent) else (1.0, 1.0)
    scale = LogNorm(min(least, most / 10), most)  # a decade at least: small differences stay small
    axes = figure.subplots()
    image = axes.imshow(np.ma.masked_equal(flows, 0), norm=scale, cmap=SHADES, interpolation="nearest")
    axes.set(xlabel="to task", ylabel="from task")
    figure.colorbar(image, ax=axes, label="traffic (bytes)", shrink=0.8)
