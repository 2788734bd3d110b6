"""Steps of a training job as two maps, alone and live: a row for each partitioner, a column an order."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.image import AxesImage

from netplace.report.plots.page import SHADES, page

__all__ = ["draw_steps"]


def draw_steps(path: Path, steps: pd.DataFrame, title: str) -> None:
    """Draw the mean milliseconds of a step by partitioner and order of ranks, alone and beside others."""
    maps = {
        name: steps.pivot_table(column, "partitioner", "order", sort=False)
        for name, column in (("alone", "alone"), ("live, beside others", "live"))
    }
    scale = Normalize(min(map(_least, maps.values())), max(map(_most, maps.values())))
    with page(path, 1.9 + 0.2 * len(maps["alone"])) as figure:
        panels = figure.subplots(1, 2, sharey=True)
        for axes, (name, means) in zip(panels, maps.items(), strict=True):
            image = _draw_map(axes, means, scale)
            axes.set_title(name)
        figure.colorbar(image, ax=panels, label="a step, ms", shrink=0.9)
        figure.suptitle(title, fontsize="medium")


def _draw_map(axes: Axes, means: pd.DataFrame, scale: Normalize) -> AxesImage:
    image = axes.imshow(means.to_numpy(), cmap=SHADES, norm=scale, aspect="auto", interpolation="nearest")
    orders = [name.replace("-cp", "").replace("-", " ") for name in means.columns]
    axes.set_xticks(range(len(orders)), orders, rotation=40, ha="right")
    axes.set_yticks(range(len(means)), means.index)
    for row, values in enumerate(means.to_numpy()):
        for column, value in enumerate(values):
            dark = scale(value) > 0.6
            axes.text(
                column,
                row,
                f"{value:.0f}",
                ha="center",
                va="center",
                fontsize="small",
                color="white" if dark else "black",
            )
    return image


def _least(means: pd.DataFrame) -> float:
    return float(means.to_numpy().min())


def _most(means: pd.DataFrame) -> float:
    return float(means.to_numpy().max())
