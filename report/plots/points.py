"""Figures of points and curves in panels, and of schedules side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from netplace.report.plots.charts import bar_marks
from netplace.report.plots.figure import HELD, INK, Axis, Curve, Figure, Mark, Panel, Rule
from netplace.scheduling.metrics.interval import half_width

__all__ = [
    "comparison_figure",
    "dot_figure",
    "estimates",
    "front_figure",
    "line_figure",
    "load_figure",
    "scatter_figure",
]

MARKS = "osD^vP*X"
_SIGNIFICANT = 0.01


def dot_figure(
    title: str,
    panels: Mapping[str, pd.DataFrame],
    xlabel: str,
    *,
    whiskers: str = "95 % intervals",
    line: float | None = None,
    columns: int = 3,
) -> Figure:
    """Return a panel for each table, in which every name has a row with a mark for each series.

    Parameters
    ----------
    title : str
        Title of the figure.
    panels : mapping of str to DataFrame
        Tables with columns ``name``, ``series``, ``value`` and ``half``, half of an interval or NaN.
    xlabel : str
        What the values are.
    whiskers : str
        What the intervals are.
    line : float, optional
        Value at which a line stands: no difference.
    columns : int
        Panels side by side at most.

    Raises
    ------
    ValueError
        If there is no panel.
    """
    if not panels:
        raise ValueError("dots: there is nothing to draw, expected a panel at least")
    every = pd.concat(panels.values())
    names, series = (list(dict.fromkeys(every[column])) for column in ("name", "series"))
    drawn = []
    for title_of, table in panels.items():
        marks: list[Mark] = [] if line is None else [Rule(at=line)]
        for place, label in enumerate(series):
            own = table[table["series"] == label]
            aside = 0.5 * (place - (len(series) - 1) / 2) / len(series)
            marks.append(
                Curve(
                    label=label,
                    colour=place,
                    x=own["value"].to_numpy(float),
                    y=[names.index(name) + aside for name in own["name"]],
                    half_x=own["half"].to_numpy(float),
                    line="",
                    mark=MARKS[place % len(MARKS)],
                    size=3.5,
                )
            )
        drawn.append(
            Panel(marks=marks, x=Axis(grid=True), y=Axis(names=names, down=True, grid=True), title=title_of)
        )
    rows = math.ceil(len(panels) / columns)
    return Figure(
        title=title,
        panels=drawn,
        whiskers=whiskers,
        columns=columns,
        height=(0.55 + 0.16 * len(names)) * rows + 0.9,
        share_x=True,
        share_y=True,
        x=xlabel,
        narrow=len(panels) == 1,
    )


def line_figure(
    title: str,
    panels: Mapping[str, Mapping[str, Sequence[float]]],
    x: Sequence[float],
    xlabel: str,
    ylabel: str,
    *,
    columns: int = 3,
    band: tuple[float, float] | None = None,
) -> Figure:
    """Return a panel of curves for each entry, on a logarithmic axis with a line at 1.

    `title`: title of the figure. `panels`: for each panel its curves by name, one value over 0 for each of
    `x`. `x`: abscissas of all curves. `xlabel`, `ylabel`: names of the axes. `columns`: panels side by side.
    `band`: abscissas between which the background is tinted.
    """
    if not panels:
        raise ValueError("lines: there is nothing to draw, expected a panel at least")
    drawn = []
    for name, curves in panels.items():
        for label, values in curves.items():
            if len(values) != len(x):
                raise ValueError(f"lines: {label!r} has {len(values)} values, expected {len(x)}")
        found = [value for values in curves.values() for value in values if value > 0] + [1.0]
        ticks = [
            step * 10.0**power
            for power in range(math.floor(math.log10(min(found))), math.ceil(math.log10(max(found))) + 1)
            for step in ((1, 1.2, 1.5, 2, 3, 5) if max(found) < 100 * min(found) else (1,))
            if min(found) / 1.1 <= step * 10.0**power <= 1.1 * max(found)
        ]
        marks: list[Mark] = [] if band is None else [Rule(at=band[0], until=band[1], colour="#e5e5e5")]
        marks += [
            Curve(label=label, colour=place, x=x, y=values, size=2.5, width=1.1)
            for place, (label, values) in enumerate(curves.items())
        ]
        y = Axis(scale="log", ticks=ticks, grid=True)
        drawn.append(Panel(marks=[*marks, Rule(at=1.0, lying=True)], x=Axis(grid=True), y=y, title=name))
    columns, alone = min(columns, len(panels)), len(panels) == 1
    height = (2.9 if alone else 2.2 * math.ceil(len(panels) / columns)) + 0.9
    return Figure(
        title=title,
        panels=drawn,
        columns=columns,
        height=height,
        share_x=True,
        x=xlabel,
        y=ylabel,
        narrow=alone,
    )


def scatter_figure(
    title: str,
    panels: Mapping[str, tuple[ArrayLike, ArrayLike]],
    xlabel: str,
    ylabel: str,
    groups: Sequence[str] | None = None,
) -> Figure:
    """Return a panel of points for each entry, with regression line and Pearson's r.

    An asterisk after r says that it is significant at the level 0.01. Points that are not finite do not
    count; without any spread in x or y there is neither line nor r.

    Parameters
    ----------
    title : str
        Title of the figure.
    panels : mapping of str to (x, y)
        The name of each panel, and its points as two sequences of one length.
    xlabel, ylabel : str
        Names of the axes (an empty `xlabel`: each panel's axis bears its name).
    groups : sequence of str, optional
        The group of each point, of which each has a colour; they are the same points in every panel.

    Raises
    ------
    ValueError
        If there is no panel, or one has more x than y or the reverse, or other than a group for each.
    """
    if not panels:
        raise ValueError("scatter: there is nothing to draw, expected a panel at least")
    drawn = []
    for name, (x, y) in panels.items():
        title_of, marks = _regression(name, np.asarray(x, float), np.asarray(y, float), groups)
        axis = Axis(label=xlabel or name, grid=True)
        drawn.append(Panel(marks=marks, x=axis, y=Axis(grid=True), title=title_of))
    height = 2.1 * math.ceil(len(panels) / 3) + (0.7 if groups else 0.4)
    return Figure(title=title, panels=drawn, columns=3, height=height, y=ylabel)


def _regression(name: str, x: Any, y: Any, groups: Sequence[str] | None) -> tuple[str, list[Mark]]:
    """Return the title and marks of a panel of points."""
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"scatter: panel {name!r} has x of shape {x.shape} and y of shape {y.shape}")
    if groups is not None and len(groups) != len(x):
        raise ValueError(f"scatter: panel {name!r} has {len(x)} points, and there are {len(groups)} groups")
    finite = np.isfinite(x) & np.isfinite(y)
    own = np.asarray(groups if groups is not None else [""] * len(x), object)[finite]
    x, y = x[finite], y[finite]
    marks: list[Mark] = [
        Curve(x=x[own == group], y=y[own == group], label=group, colour=place, line="", size=2.5, alpha=0.7)
        for place, group in enumerate(dict.fromkeys(own))
    ]
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return name, marks
    line = stats.linregress(x, y)
    ends = np.array([x.min(), x.max()])
    marks.append(Curve(x=ends, y=line.intercept + line.slope * ends, mark="", colour=HELD if groups else 1))
    return f"{name}   r = {line.rvalue:.2f}{'*' if line.pvalue < _SIGNIFICANT else ''}", marks


def front_figure(title: str, frame: pd.DataFrame) -> Figure:
    """Return the rules of each load: how much longer jobs wait, and energy relative to all nodes on.

    `title`: title of the figure. `frame`: columns ``load``, ``rule``, ``energy %``, ``wait more s``,
    ``front`` (``"*"``: unbeaten in both).
    """
    loads = list(dict.fromkeys(frame["load"]))
    families = list(dict.fromkeys(rule.partition(":")[0] for rule in frame["rule"]))
    panels = []
    for load in loads:
        group = frame[frame["load"] == load]
        own = [
            group[[rule.partition(":")[0] == family for rule in group["rule"]]].sort_values("wait more s")
            for family in families
        ]
        best = group[group["front"] == "*"]
        marks = [
            Curve(
                label=family,
                colour=place,
                x=rules["wait more s"].to_numpy(float) / 60,
                y=rules["energy %"].to_numpy(float),
                mark=MARKS[place % len(MARKS)],
                width=0.8,
            )
            for place, (family, rules) in enumerate(zip(families, own, strict=True))
        ]
        x, y = best["wait more s"].to_numpy(float) / 60, best["energy %"].to_numpy(float)
        marks.append(Curve(label="unbeaten in both", x=x, y=y, line="", hollow=True, size=8.0, colour=INK))
        # Most rules cost seconds, some half an hour: both are seen where small waits have room.
        axis = Axis(scale="symlog", grid=True)
        panels.append(Panel(marks=marks, x=axis, y=Axis(grid=True), title=f"load {load:g}"))
    return Figure(
        title=title,
        panels=panels,
        columns=2,
        height=2.4 * math.ceil(len(loads) / 2) + 0.7,
        x="longer mean wait (min); logarithmic beyond 1",
        y="energy (% of always on)",
    )


def load_figure(frame: pd.DataFrame, title: str = "", *, narrow: bool = False) -> Figure:
    """Return accepted load and delay over offered load, a curve for each network or setting.

    Parameters
    ----------
    frame : DataFrame
        As `netplace.report.tables.load.curve_frame` returns.
    title : str
        Title of the figure.
    narrow : bool
        As wide as a column of a paper, one panel below the other.
    """
    most = float(frame["offered"].max())
    left: list[Mark] = [Curve(x=[0, most], y=[0, most], line="dotted", mark="", colour=HELD)]
    right: list[Mark] = []
    for place, (name, own) in enumerate(frame.groupby("curve", sort=False)):
        offered, mark = own["offered"].to_numpy(float), MARKS[place % len(MARKS)]
        for marks, column in ((left, "accepted"), (right, "mean")):
            half = own[f"{column}_half_width"].to_numpy(float)
            values = own[column].to_numpy(float)
            marks.append(Curve(label=str(name), colour=place, x=offered, y=values, half=half, mark=mark))
        p95 = own["p95"].to_numpy(float)
        right.append(Curve(colour=place, x=offered, y=p95, line="dashed", mark="", width=0.9))
    x = Axis(label="offered load (phits/node/cycle)", low=0.0, grid=True)
    panels = [
        Panel(marks=left, x=x, y=Axis(label="accepted load (phits/node/cycle)", low=0.0, grid=True)),
        Panel(marks=right, x=x, y=Axis(label="packet delay (cycles)", low=0.0, grid=True)),
    ]
    return Figure(
        title=title or "Load",
        caption="Delay: mean; dashed: 95th percentile. Dotted: all that is offered is accepted.",
        whiskers="95 % intervals over the seeds",
        panels=panels,
        columns=1 if narrow else 2,
        height=6.0 if narrow else 3.3,
        narrow=narrow,
    )


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
