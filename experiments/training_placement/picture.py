"""Steps of a training job as bars: alone, and what its neighbours add."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from netplace.report.plots.page import COLOURS, page

__all__ = ["draw_steps"]


def draw_steps(path: Path, steps: pd.DataFrame, title: str) -> None:
    """Draw for each partitioner a bar for each order of ranks: alone, more live, and half its spread."""
    partitioners = steps["partitioner"].drop_duplicates().tolist()
    orders = steps["order"].drop_duplicates().tolist()
    width = 0.8 / len(orders)
    with page(path, 3.7) as figure:
        axes = figure.subplots()
        for number, order in enumerate(orders):
            own = steps[steps["order"] == order].set_index("partitioner").loc[partitioners]
            places = np.arange(len(partitioners)) + (number - (len(orders) - 1) / 2) * width
            colour = COLOURS[number]
            axes.bar(places, own["alone"], width * 0.92, color=colour, label=f"{order}, alone")
            axes.bar(
                places,
                own["live"] - own["alone"],
                width * 0.92,
                bottom=own["alone"],
                yerr=own["live, spread"] / 2,
                capsize=2,
                color="white",
                edgecolor=colour,
                hatch="//",
                label=f"{order}, more live",
            )
        axes.set_xticks(range(len(partitioners)), partitioners)
        axes.set_ylabel("a step, ms")
        figure.legend(loc="outside lower center", ncols=len(orders), frameon=False)
        figure.suptitle(title, fontsize="medium")
