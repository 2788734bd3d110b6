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
_SEEDS = 5  # so many tell of chance by themselves, as in verdicts
# Title, column, column of the half width of that within one schedule (empty: there is none), factor.
Panel = tuple[str, str, str, float]
_OF_ALL_JOBS: tuple[Panel, ...] = (
    ("wait (h)", "wait_mean", "", 1 / _HOUR),
    ("bounded slowdown", "bounded_slowdown_mean", "", 1.0),
    ("utilisation (%)", "utilisation", "", 100.0),
)
_STEADY: tuple[Panel, ...] = (
    ("wait (h)", "wait_steady", "wait_half_width", 1 / _HOUR),
    ("bounded slowdown", "bounded_slowdown_steady", "bounded_slowdown_half_width", 1.0),
    ("utilisation (%)", "utilisation_steady", "utilisation_half_width", 100.0),
)
_HATCHES = ("", "//", "..", "xx")
_WHISKERS = "means and 95 % intervals"
_NO_WHISKERS = "means, without intervals: one run each says nothing of chance"


def draw_comparison(
    path: Path,
    frame: pd.DataFrame,
    title: str,
    *,
    column: bool = False,
    panels: Sequence[Panel] = (),
    same_jobs: bool = False,
) -> None:
    """Draw waiting, slowdown and utilization, a bar for each schedule, with 95 % intervals if known.

    Bars are means of the steady state with its intervals where all schedules have them; otherwise they are
    means of all jobs, whose intervals only seeds tell.

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
        What is drawn instead: title, column, column of the half-width within one schedule, and factor.
    same_jobs : bool
        Whether all seeds have the same jobs, so that several tell no more of chance than one.
    """
    if not panels:
        columns_of_steady = [column for _, value, half, _ in _STEADY for column in (value, half)]
        is_steady = set(columns_of_steady) <= set(frame) and bool(
            frame[columns_of_steady].notna().all(axis=None)
        )
        panels = _STEADY if is_steady else _OF_ALL_JOBS
        title += ": steady state" if is_steady else ": all jobs"
    groups, series = (list(dict.fromkeys(frame[name])) for name in ("group", "series"))
    rows, columns = (len(panels), 1) if column else (1, len(panels))
    # Bars too thin to be seen side by side: panels one below the other.
    rows, columns = (rows * columns, 1) if len(groups) * len(series) > 16 else (rows, columns)
    whiskers = False
    with page(path, 1.0 + (1.9 if columns == 1 else 2.3) * rows, column=column) as figure:
        for axes, (name, value, half, factor) in zip(
            figure.subplots(rows, columns).ravel(), panels, strict=True
        ):
            for place, label in enumerate(series):
                own = frame[frame["series"] == label]
                estimated = [
                    estimates(own[own["group"] == group], value, half, same_jobs) for group in groups
                ]
                mean, spread = np.array(estimated).T * factor
                whiskers |= bool(np.isfinite(spread).any())
                left = np.arange(len(groups)) + (place - (len(series) - 1) / 2) * 0.84 / len(series)
                axes.bar(
                    left, mean, 0.76 / len(series), yerr=spread, label=str(label), capsize=2,
                    color=COLOURS[place % len(COLOURS)], error_kw={"linewidth": 0.8},
                    hatch=_HATCHES[place // len(COLOURS) % len(_HATCHES)],
                )  # fmt: skip
            axes.set_xticks(np.arange(len(groups)), groups, rotation=30, ha="right")
            axes.set_title(name)
            axes.set_ylim(0, None)
            axes.grid(axis="y", alpha=0.3)
            axes.set_axisbelow(True)
        figure.suptitle(f"{title}; {_WHISKERS if whiskers else _NO_WHISKERS}")
        explain(figure)


def estimates(rows: pd.DataFrame, value: str, half: str, same_jobs: bool = False) -> tuple[float, float]:
    """Return the mean over the schedules of one place, and half the width of its 95 % interval.

    Over five seeds the interval is Student's, and over fewer where schedules have none of their own;
    otherwise it is made of those, of other jobs in every seed unless they are the same ones. NaN stands for
    what is not known.
    """
    known = rows[rows[value].notna()]
    means = known[value].to_numpy(float)
    if not len(means):
        return np.nan, np.nan
    within = known[half].to_numpy(float) if half in known else np.full(len(means), np.nan)
    if same_jobs:
        return float(means.mean()), float(within.mean())
    if len(means) >= _SEEDS or (len(means) > 1 and not np.isfinite(within).all()):
        return float(means.mean()), half_width(means)
    return float(means.mean()), float(np.sqrt((within**2).sum()) / len(means))
