"""Bars of times relative to one of their kind, the published ones as marks."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from netplace.report.plots import write_figure
from netplace.report.plots.charts import marked_figure
from netplace.scheduling.metrics.comparison import clear_best


def times_of(runs: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Return mean and deviation of the times of each application and kind, in 10,000 cycles."""
    groups = runs.assign(cycles=runs["cycles"] / 1e4).groupby(["app", kind], sort=False)["cycles"]
    return groups.agg(["mean", "std", "count"]).rename(columns={"count": "runs"}).reset_index()


def draw_relative(
    path: Path,
    cells: pd.DataFrame,
    title: str,
    series: str,
    value: str,
    base: str,
    published: str = "",
) -> None:
    """Draw, for each application, bars of times relative to `base`, with marks of the published ones."""
    groups = list(dict.fromkeys(cells["app"]))
    bars, spread, marks = {}, {}, {}
    for name, own in cells.groupby(series, sort=False):
        by_group = own.set_index("app").loc[groups]
        deviation = by_group["std"].fillna(0) * by_group[value] / by_group["mean"]
        bars[str(name)], spread[str(name)] = by_group[value].tolist(), deviation.tolist()
        if published and by_group[published].notna().any():
            marks[str(name)] = by_group[published].tolist()
    best, unit = _best(cells, series), f"run time / {base}"
    figure = marked_figure(title, groups, bars, half=spread, unit=unit, published=marks, best=best)
    write_figure(path, figure)


def _best(cells: pd.DataFrame, series: str) -> dict[str, str]:
    """Return for each application what is better than all else by more than chance."""
    best = {}
    for name, own in cells.groupby("app", sort=False):
        if "winner" in own:  # told by a test of the samples
            first = own.loc[own["winner"] == "*", series].tolist()
            clear = first[0] if first and not (own["winner"] == "=").any() else None
        else:
            place = clear_best(own["mean"], own["std"], own["runs"])
            clear = None if place is None else own[series].iloc[place]
        if clear is not None:
            best[str(name)] = str(clear)
    return best
