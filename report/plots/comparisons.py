"""Schedules side by side, and which of several means is the least by more than chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from netplace.report.plots.charts import bar_marks
from netplace.report.plots.figure import Axis, Figure, Panel
from netplace.scheduling.metrics.comparison import judged, unpaired
from netplace.scheduling.metrics.interval import half_width

__all__ = ["clear_best", "comparison_figure", "estimates"]


def clear_best(mean: ArrayLike, std: ArrayLike, count: ArrayLike) -> int | None:
    """Return the place of the least mean if it is less than every other one by more than chance.

    Each other mean is compared with the least by Welch's test, and all verdicts are clear together, see
    `netplace.scheduling.metrics.judged`. A mean of a
    single value has no spread of its own: it is given the largest relative one of the others. Where nothing
    spreads, chance had no part and the least is the best. Ties have none.

    `mean`, `std`, shape (bars,): means and sample standard deviations; a mean that is NaN takes no part.
    `count`, shape (bars,): values behind each mean.

    Returns
    -------
    int or None
        None if there is no such place, or nothing to compare with.
    """
    means, counts = np.asarray(mean, float), np.asarray(count, float)
    spread = np.where(counts > 1, np.fmax(0.0, np.asarray(std, float)), 0.0)  # 0 where it is not known
    known = np.flatnonzero(np.isfinite(means) & (counts > 0))
    if len(known) < 2:
        return None
    sizes = np.abs(means[known])
    relative = np.divide(spread[known], sizes, out=np.zeros(len(known)), where=sizes > 0)
    single = known[counts[known] < 2]
    spread[single] = relative.max() * np.abs(means[single])
    best = int(known[np.argmin(means[known])])
    moments = [(float(means[place]), float(spread[place]), int(counts[place])) for place in known]
    own = (float(means[best]), float(spread[best]), int(counts[best]))
    others = [moment for place, moment in zip(known, moments, strict=True) if place != best]
    verdicts = judged([unpaired(own, other, known=True) for other in others])
    return best if all(verdict.words == "clearly more" for verdict in verdicts) else None


_HOUR = 3600.0
_SEEDS = 5  # so many tell of chance by themselves, as in verdicts
# Title, column, column of the half width of that within one schedule (empty: there is none), factor.
Measure = tuple[str, str, str, float]
_OF_ALL_JOBS: tuple[Measure, ...] = (
    ("wait (h)", "wait_mean", "", 1 / _HOUR),
    ("bounded slowdown", "bounded_slowdown_mean", "", 1.0),
    ("utilisation (%)", "utilisation", "", 100.0),
)
_STEADY: tuple[Measure, ...] = (
    ("wait (h)", "wait_steady", "wait_half_width", 1 / _HOUR),
    ("bounded slowdown", "bounded_slowdown_steady", "bounded_slowdown_half_width", 1.0),
    ("utilisation (%)", "utilisation_steady", "utilisation_half_width", 100.0),
)


def comparison_figure(
    title: str,
    frame: pd.DataFrame,
    *,
    narrow: bool = False,
    measures: Sequence[Measure] = (),
    same_jobs: bool = False,
) -> Figure:
    """Return waiting, slowdown and utilisation, a bar for each schedule, with 95 % intervals if known.

    Bars are means of the steady state with its intervals where all schedules have them; otherwise they are
    means of all jobs, whose intervals only seeds tell.

    Parameters
    ----------
    title : str
        Title of the figure.
    frame : DataFrame
        A row a schedule: columns ``group`` and ``series`` say where its bar stands, those of the measures how
        high it is; several rows of one place are seeds.
    narrow : bool
        As wide as a column of a paper: the panels below each other.
    measures : sequence of (str, str, str, float)
        What is drawn instead: title, column, column of the half width within one schedule, and factor.
    same_jobs : bool
        Whether all seeds have the same jobs, so that several tell no more of chance than one.
    """
    if not measures:
        columns = [column for _, value, half, _ in _STEADY for column in (value, half)]
        steady = set(columns) <= set(frame) and bool(frame[columns].notna().all(axis=None))
        measures = _STEADY if steady else _OF_ALL_JOBS
        title += ": steady state" if steady else ": all jobs"
    groups, series = (list(dict.fromkeys(frame[name])) for name in ("group", "series"))
    panels, known = [], False
    for name, value, half, factor in measures:
        found = {
            label: np.array(
                [
                    estimates(
                        frame[(frame["series"] == label) & (frame["group"] == group)], value, half, same_jobs
                    )
                    for group in groups
                ]
            ).T
            * factor
            for label in series
        }
        known |= any(bool(np.isfinite(spread).any()) for _, spread in found.values())
        bars = bar_marks(
            {str(label): mean for label, (mean, _) in found.items()},
            {str(label): spread for label, (_, spread) in found.items()},
        )
        panels.append(Panel(marks=bars, x=Axis(names=groups), y=Axis(low=0.0, grid=True), title=name))
    # Bars too thin to be seen side by side: panels one below the other.
    below = narrow or len(groups) * len(series) > 16
    return Figure(
        title=title
        + ("; means" if known else "; means, without intervals: one run each says nothing of chance"),
        panels=panels,
        columns=1 if below else len(panels),
        height=1.0 + (1.9 * len(panels) if below else 2.3),
        whiskers="95 % intervals",
        narrow=narrow,
    )


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
