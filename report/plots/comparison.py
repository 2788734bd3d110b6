"""Schedules side by side: what policies and partitioners give the jobs, and the machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from netplace.report.plots.page import COLOURS, explain, page
from netplace.scheduling.metrics.interval import half_width

__all__ = ["draw_comparison", "estimates"]

_HOUR = 3600.0
# Title, column, column of the half width within one schedule, factor.
Panel = tuple[str, str, str, float]
_PANELS: tuple[Panel, ...] = (
    ("wait (h)", "wait_mean", "wait_half_width", 1 / _HOUR),
    ("bounded slowdown", "bounded_slowdown_mean", "bounded_slowdown_half_width", 1.0),
    ("utilisation (%)", "utilisation", "", 100.0),
)
_HATCHES = ("", "//", "..", "xx")


def draw_comparison(
    path: Path,
    frame: pd.DataFrame,
    title: str,
    *,
    column: bool = False,
    panels: Sequence[Panel] = _PANELS,
) -> None:
    """Draw waiting, slowdown and utilisation, a bar for each schedule, with 95 % intervals.

    Parameters
    ----------
    path : Path
        The picture (png, pdf or svg).
    frame : DataFrame
        A row a schedule: columns ``group`` and ``series`` say where its bar stands, those of the panels how
        high it is; several rows of one place are seeds.
    title : str
        Title of the picture.
    column : bool
        As wide as a column of a paper: the panels below each other.
    panels : sequence of (str, str, str, float)
        What is drawn instead: title, column, column of the half width within one schedule, and factor.
    """
    groups, series = (list(dict.fromkeys(frame[name])) for name in ("group", "series"))
    rows, columns = (len(panels), 1) if column else (1, len(panels))
    # Bars too thin to be seen side by side: panels one below the other.
    rows, columns = (rows * columns, 1) if len(groups) * len(series) > 16 else (rows, columns)
    with page(path, 1.0 + (1.9 if columns == 1 else 2.3) * rows, column=column) as figure:
        for axes, (name, value, half, factor) in zip(
            figure.subplots(rows, columns).ravel(), panels, strict=True
        ):
            for place, label in enumerate(series):
                own = frame[frame["series"] == label]
                estimated = [estimates(own[own["group"] == group], value, half) for group in groups]
                mean, spread = np.array(estimated).T * factor
                left = np.arange(len(groups)) + (place - (len(series) - 1) / 2) * 0.84 / len(series)
                axes.bar(
                    left, mean, 0.76 / len(series), yerr=np.nan_to_num(spread), label=str(label), capsize=2,
                    color=COLOURS[place % len(COLOURS)], error_kw={"linewidth": 0.8},
                    hatch=_HATCHES[place // len(COLOURS) % len(_HATCHES)],
                )  # fmt: skip
            axes.set_xticks(np.arange(len(groups)), groups, rotation=30, ha="right")
            axes.set_title(name)
            axes.set_ylim(0, None)
            axes.grid(axis="y", alpha=0.3)
            axes.set_axisbelow(True)
        figure.suptitle(title)
        explain(figure)


def estimates(rows: pd.DataFrame, value: str, half: str) -> tuple[float, float]:
    """Return the mean over the schedules of one place, and half the width of its 95 % interval.

    Over several seeds the interval is Student's; within one schedule it is that of its batch means, where it
    has one. NaN stands for what is not known.
    """
    known = rows[value].dropna().to_numpy(float)
    if not len(known):
        return np.nan, np.nan
    if len(known) > 1:
        return float(known.mean()), half_width(known)
    within = float(rows[half].iloc[0]) if half in rows and pd.notna(rows[half].iloc[0]) else np.nan
    return float(known[0]), within
