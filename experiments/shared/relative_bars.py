"""Bars of times relative to one of their kind, the published ones as marks."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from netplace.report.plots import write_figure
from netplace.report.plots.charts import marked_figure
from netplace.report.plots.comparisons import clear_best


def draw_relative(
    path: Path, cells: pd.DataFrame, title: str, series: str, value: str, published: str, base: str
) -> None:
    """Draw, for each application, bars of times relative to `base`, with marks of the published ones."""
    apps = list(dict.fromkeys(cells["app"]))
    bars, spread, marks = {}, {}, {}
    for name, own in cells.groupby(series, sort=False):
        by_app = own.set_index("app").loc[apps]
        deviation = by_app["std"].fillna(0) * by_app[value] / by_app["mean"]
        bars[str(name)], spread[str(name)] = by_app[value].tolist(), deviation.tolist()
        if by_app[published].notna().any():
            marks[str(name)] = by_app[published].tolist()
    figure = marked_figure(
        title,
        apps,
        bars,
        half=spread,
        unit=f"run time / {base}",
        published=marks,
        best=_best(cells, series),
    )
    write_figure(path, figure)


def _best(cells: pd.DataFrame, series: str) -> dict[str, str]:
    """Return for each application what is better than all else by more than chance."""
    best = {}
    for app, own in cells.groupby("app", sort=False):
        if "winner" in own:  # told by a test of the samples
            first = own.loc[own["winner"] == "*", series].tolist()
            clear = first[0] if first and not (own["winner"] == "=").any() else None
        else:
            place = clear_best(own["mean"], own["std"], own["runs"])
            clear = None if place is None else own[series].iloc[place]
        if clear is not None:
            best[str(app)] = str(clear)
    return best
