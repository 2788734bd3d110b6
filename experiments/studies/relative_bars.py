"""Bars of times relative to one of their kind, the published ones as marks."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from netplace.experiments.plots.bars import draw_bars

__all__ = ["draw_relative"]


def draw_relative(
    path: Path, cells: pd.DataFrame, title: str, series: str, value: str, published: str, base: str
) -> None:
    """Draw a group of bars for each application.

    Parameters
    ----------
    path : Path
        The picture.
    cells : DataFrame
        A row for each application and series: ``app``, the columns named below, ``mean`` and ``std`` of the
        times.
    title : str
        Title of the picture.
    series, value, published : str
        Columns of the names of the bars, the relative times, and the published ones; series of which none is
        published get no marks.
    base : str
        What times are relative to.
    """
    apps = list(dict.fromkeys(cells["app"]))
    bars, marks = {}, {}
    for name, own in cells.groupby(series, sort=False):
        by_app = own.set_index("app").loc[apps]
        deviation = by_app["std"].fillna(0) * by_app[value] / by_app["mean"]
        bars[str(name)] = list(zip(by_app[value], deviation, strict=True))
        if by_app[published].notna().any():
            marks[str(name)] = by_app[published].tolist()
    draw_bars(path, apps, bars, title, f"run time / {base}", marks)
