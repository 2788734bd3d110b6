"""Pictures of energy against waiting: a panel a load, a curve a family of rules."""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd

from netplace.report.plots.page import COLOURS, explain, page

__all__ = ["draw_fronts"]

_MARKS = "osD^v<>P"


def draw_fronts(path: Path, frame: pd.DataFrame, title: str) -> None:
    """Draw the rules of each load: how much longer jobs wait, and energy relative to all nodes on.

    Parameters
    ----------
    path : Path
        The picture (png, pdf or svg).
    frame : DataFrame
        Columns ``load``, ``rule``, ``energy %``, ``wait more s``, ``front``
        (``"*"``: none is better in both).
    title : str
        Title of the picture.
    """
    loads = list(dict.fromkeys(frame["load"]))
    families = list(dict.fromkeys(rule.partition(":")[0] for rule in frame["rule"]))
    rows = math.ceil(len(loads) / 2)
    with page(path, 2.4 * rows + 0.7) as figure:
        panels = figure.subplots(rows, min(2, len(loads)), squeeze=False).ravel()
        for axes in panels[len(loads) :]:
            axes.set_axis_off()
        for axes, load in zip(panels, loads, strict=False):
            group = frame[frame["load"] == load]
            for place, family in enumerate(families):
                own = group[[rule.partition(":")[0] == family for rule in group["rule"]]]
                own = own.sort_values("wait more s")
                axes.plot(
                    own["wait more s"] / 60,
                    own["energy %"],
                    marker=_MARKS[place % len(_MARKS)],
                    color=COLOURS[place % len(COLOURS)],
                    linewidth=0.8,
                    markersize=4,
                    label=family,
                )
            best = group[group["front"] == "*"]
            axes.scatter(
                best["wait more s"] / 60,
                best["energy %"],
                s=70,
                facecolors="none",
                edgecolors="0.3",
                label="unbeaten in both",
            )
            axes.set_title(f"load {load:g}")
            # Most rules cost seconds, some half an hour: both are seen where small waits have room.
            axes.set_xscale("symlog", linthresh=1, linscale=1.5)
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
            axes.grid(alpha=0.3)
        figure.supylabel("energy (% of always on)", fontsize="medium")
        figure.suptitle(title)
        explain(figure, "longer mean wait (min); logarithmic beyond 1")
