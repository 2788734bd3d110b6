"""Slowdowns by sharing as points with intervals: a row for each feature or fabric, panels by routing."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from matplotlib.ticker import NullFormatter

from netplace.report.plots.page import COLOURS, explain, page

__all__ = ["draw_slowdowns"]

_LINEAR_TO = 5.0  # times; more is drawn on a logarithmic axis


def draw_slowdowns(path: Path, table: pd.DataFrame, title: str) -> None:
    """Draw slowdowns with intervals; partitioners differ in color and form."""
    rows = "feature" if "feature" in table else "fabric"
    names = list(dict.fromkeys(table[rows]))
    partitioners = list(dict.fromkeys(table["partitioner"]))
    routings = list(dict.fromkeys(table["routing"]))
    wide = table["slowdown"].max() > _LINEAR_TO
    with page(path, 1.6 + 0.34 * len(names)) as figure:
        panels = figure.subplots(1, len(routings), sharex=True, sharey=True, squeeze=False)[0]
        for axes, routing in zip(panels, routings, strict=True):
            for n, partitioner in enumerate(partitioners):
                own = table[(table["routing"] == routing) & (table["partitioner"] == partitioner)]
                middle = own["slowdown"].to_numpy()
                shift = 0.3 * (n - (len(partitioners) - 1) / 2)
                axes.errorbar(
                    middle,
                    [names.index(name) + shift for name in own[rows]],
                    xerr=[middle - own["low"], own["high"] - middle],
                    fmt="os^D"[n % 4],
                    color=COLOURS[n],
                    label=partitioner,
                    capsize=2,
                    markersize=4,
                )
            axes.set_title(routing)
            if wide:
                axes.set_xscale("log")
                axes.xaxis.set_major_formatter("{x:g}")
                axes.xaxis.set_minor_formatter(NullFormatter())
            axes.axvline(1.0, color="#999999", linewidth=0.8, zorder=0)
            axes.grid(axis="x", which="both", color="#dddddd", linewidth=0.5)
            axes.set_axisbelow(True)
        panels[0].set_yticks(range(len(names)), names)
        panels[0].invert_yaxis()
        figure.suptitle(title, fontsize="medium")
        explain(figure, "live over alone, geometric mean over jobs, 95 % over draws")
