"""Figures of values by name: bars, intervals, curves and points."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from netplace.report.plots.figure import COLOURS, HELD, Axis, Bars, Curve, Figure, Mark, Panel, Rule

if TYPE_CHECKING:
    import pandas as pd

# What is clear is in colour, what may be chance is grey.
VERDICT_COLOURS: dict[str, int | str] = {
    "better": 2,
    "worse": 3,
    "less": 0,
    "more": 0,
    **dict.fromkeys(("within chance", "one run", "only in the first", "only in the second"), HELD),
}
_GROUP = 0.84  # width of a group of bars
_LETTER = 0.065  # width of a letter in inches
_BAR = 0.08  # least width of a bar in inches
_PAGE_ROOM, _COLUMN_ROOM = 6.3, 2.8  # width of the axes in inches
_LINE = 0.22  # inches that a line of a slanted name takes along the axis
_LYING_BAR, _LYING_GROUP = 0.09, 0.17  # height of a bar that lies, least height of a group, in inches


def bar_marks(
    series: Mapping[str, Sequence[Any]],
    half: Mapping[str, Sequence[Any]],
    *,
    base: float = 0.0,
    lying: bool = False,
    named: bool = False,
) -> list[Bars]:
    """Return bars for each of the series, side by side in groups at 0, 1, .."""
    count = max(1, len(series))
    named |= len(series) > 1
    return [
        Bars(
            label=name if named else "",
            colour=place,
            hatch=place // len(COLOURS),
            at=np.arange(len(values)) + (place - (count - 1) / 2) * _GROUP / count,
            values=values,
            half=half.get(name),
            width=0.92 * _GROUP / count,
            base=base,
            lying=lying,
        )
        for place, (name, values) in enumerate(series.items())
    ]


def bar_figure(
    title: str,
    groups: Sequence[str],
    series: Mapping[str, Sequence[Any]],
    *,
    half: Mapping[str, Sequence[Any]] | None = None,
    unit: str = "",
    base: float = 0.0,
    whiskers: str = "",
    caption: str = "",
    height: float = 3.6,
) -> Figure:
    """Return bars in groups.

    `series`: by name, a value in each group; `half`: by name, half of the interval around each value;
    `unit`: what the values are; `base`: where bars begin; `whiskers`, `caption`: what the intervals are,
    and how to read the figure; `height` is in inches.
    """
    panel = Panel(
        marks=bar_marks(series, half or {}, base=base), x=Axis(names=groups), y=Axis(label=unit, grid=True)
    )
    return Figure(title=title, panels=[panel], whiskers=whiskers, caption=caption, height=height)


def interval_figure(
    title: str,
    names: Sequence[str],
    values: Sequence[float],
    half: Sequence[float | tuple[float, float] | None],
    groups: Sequence[str],
    *,
    unit: str,
    colours: Mapping[str, int | str] | None = None,
    whiskers: str = "95 % intervals",
    caption: str = "",
) -> Figure:
    """Return a mark with its interval for each name, from top to bottom, and a line at 0.

    `half`: half of the interval around each value, or its parts below and above. A mark has the color of its
    group, hollow in the group ``one run``. Words are those of `bar_figure`.
    """
    marks: list[Mark] = [Rule(at=0.0)]
    for place, group in enumerate(dict.fromkeys(groups)):
        own = [row for row, name in enumerate(groups) if name == group]
        marks.append(
            Curve(
                label=group,
                colour=(colours or {}).get(group, place),
                x=[values[row] for row in own],
                y=own,
                half_x=np.array([_parts(half[row]) for row in own]).T,
                line="",
                hollow=group == "one run",
            )
        )
    panel = Panel(marks=marks, x=Axis(label=unit, grid=True), y=Axis(names=names, down=True))
    height = 1.2 + 0.26 * len(names)
    return Figure(title=title, panels=[panel], whiskers=whiskers, caption=caption, height=height)


def _parts(half: float | tuple[float, float] | None) -> tuple[float, float]:
    return half if isinstance(half, tuple) else (math.nan, math.nan) if half is None else (half, half)


def curve_figure(
    title: str,
    series: Mapping[str, Sequence[Sequence[float | None]]],
    x: str,
    y: str,
    *,
    step: bool = False,
    whiskers: str = "",
    caption: str = "",
) -> Figure:
    """Return curves, or with `step` values that hold until the next one.

    `series`: by name, points of x, y and, if known, half of the interval around y; `x`, `y`: what the axes
    are, with units. Other words are those of `bar_figure`.
    """
    marks = [
        Curve(
            label=name,
            colour=place,
            x=[point[0] for point in points],
            y=[point[1] for point in points],
            half=[point[2] if len(point) > 2 else None for point in points]
            if any(len(point) > 2 for point in points)
            else None,
            step=step,
            mark="" if step else "o",
        )
        for place, (name, points) in enumerate(series.items())
    ]
    ends: dict[str, Any] = {}
    if step and (moments := [float(point[0] or 0.0) for points in series.values() for point in points]):
        ends = {"low": min(moments), "high": max(moments)}
    panel = Panel(marks=marks, x=Axis(label=x, **ends), y=Axis(label=y, grid=True))
    return Figure(title=title, panels=[panel], whiskers=whiskers, caption=caption)


Measure = tuple[str, str, str, float]  # title, column of the mean, column of its half-width, factor


def comparison_figure(
    title: str,
    frame: pd.DataFrame,
    measures: Sequence[Measure],
    *,
    whiskers: str = "95 % intervals",
) -> Figure:
    """Return a panel for each measure, with a bar and its interval for each row of a table.

    `frame`: columns ``group`` and ``series`` tell where a bar is, those of the measures its height and half
    of its interval, NaN where that is not known. `whiskers`: what the intervals are.
    """
    groups, series = (list(dict.fromkeys(frame[name])) for name in ("group", "series"))
    panels, known = [], False
    for name, value, half, factor in measures:
        by_place = frame.set_index(["series", "group"])[[value, half]].astype(float) * factor
        known |= bool(np.isfinite(by_place[half]).any())
        found = {str(label): by_place.loc[label].reindex(groups) for label in series}
        bars = bar_marks(
            {label: rows[value].to_numpy() for label, rows in found.items()},
            {label: rows[half].to_numpy() for label, rows in found.items()},
        )
        panels.append(Panel(marks=bars, x=Axis(names=groups), y=Axis(low=0.0, grid=True), title=name))
    # Bars too thin to be seen side by side: panels one below the other.
    below = len(groups) * len(series) > 16
    return Figure(
        title=title + ("; means" if known else "; means without intervals, significance not known"),
        panels=panels,
        columns=1 if below else len(panels),
        height=1.0 + (1.9 * len(panels) if below else 2.3),
        whiskers=whiskers,
    )


def marked_figure(
    title: str,
    groups: Sequence[str],
    series: Mapping[str, Sequence[Any]],
    *,
    half: Mapping[str, Sequence[Any]] | None = None,
    unit: str = "",
    published: Mapping[str, Sequence[float]] | None = None,
    best: Mapping[str, str] | None = None,
    failed: Mapping[str, Sequence[int]] | None = None,
    narrow: bool = False,
) -> Figure:
    """Return bars in groups for print: relative values, a line at 1, and marks on some bars."""
    half, published, failed = half or {}, published or {}, failed or {}
    room = _COLUMN_ROOM if narrow else _PAGE_ROOM
    rows = _rows(len(groups), len(series), room)
    lying = any(_overlap(groups[row], room, narrow) for row in rows)
    tall = (1.8 if len(rows) > 1 else 2.3) * len(rows)
    if lying:
        rows = [slice(0, len(groups))]
        tall = 0.3 + len(groups) * max(_LYING_GROUP, _LYING_BAR * len(series) / _GROUP)
    panels = []
    for row in rows:
        own, spread, printed, lost = (
            {name: numbers[row] for name, numbers in every.items()}
            for every in (series, half, published, failed)
        )
        marks = _marked(list(groups[row]), own, spread, printed, best or {}, lost, lying)
        along = Axis(names=_outline(groups[row]) if lying else groups[row], down=lying)
        values = Axis(low=0.0, grid=True)
        panels.append(Panel(marks=marks, x=values if lying else along, y=along if lying else values))
    return Figure(
        title=title,
        panels=panels,
        whiskers="one standard deviation",
        height=0.9 + tall,
        narrow=narrow,
        share_y=not lying,
        x=unit if lying else "",
        y="" if lying else unit.replace(" / ", "\n/ ") if narrow else unit,
    )


def _marked(
    groups: Sequence[str],
    series: Mapping[str, Sequence[Any]],
    half: Mapping[str, Sequence[Any]],
    published: Mapping[str, Sequence[float]],
    best: Mapping[str, str],
    failed: Mapping[str, Sequence[Any]],
    lying: bool,
) -> list[Mark]:
    """Return bars, a line at 1, and marks above what is published, the best, or failed."""
    bars, names = bar_marks(series, half, lying=lying, named=True), list(series)
    top = np.array([np.asarray(bar.values, float) for bar in bars])
    top = top + [np.fmax(0.0, np.asarray(half.get(name, np.zeros(len(groups))), float)) for name in names]
    marks: list[Mark] = [*bars, Rule(at=1.0, lying=not lying)]
    known = [
        (names.index(name), np.asarray(values, float)) for name, values in published.items() if name in names
    ]
    if known:
        at = np.concatenate([bars[place].at for place, _ in known])
        marks.append(
            _points(at, np.concatenate([values for _, values in known]), lying, "D", 3.5, "published")
        )
    for place, values in known:
        top[place] = np.fmax(top[place], values)
    step = 0.025 * float(np.nanmax(top, initial=1.0))
    stars = [(names.index(best[name]), group) for group, name in enumerate(groups) if best.get(name) in names]
    crosses = [
        (names.index(name), group)
        for name, counts in failed.items()
        for group, count in enumerate(counts)
        if count > 0
    ]
    for cells, mark, label in ((stars, "*", "best"), (crosses, "x", "failed")):
        if cells:
            place, group = np.array(cells).T
            at = np.array([bars[own].at[one] for own, one in cells])
            marks.append(_points(at, np.fmax(0.0, top[place, group]) + step, lying, mark, 5.0, label))
    return marks


def _points(at: Any, value: Any, lying: bool, mark: str, size: float, label: str) -> Curve:
    x, y = (value, at) if lying else (at, value)
    return Curve(x=x, y=y, line="", mark=mark, size=size, colour="#1a1a1a", label=label)


def _overlap(groups: Sequence[str], room: float, narrow: bool) -> bool:
    """Tell whether names below the groups would overlap, though they were turned."""
    spacing = room / len(groups)
    lines = max(name.count("\n") + 1 for name in groups)
    longest = max(len(line) for name in groups for line in (name or " ").split("\n"))
    return longest * _LETTER > spacing and lines * (_LINE / 2 if narrow else _LINE) > spacing


def _rows(groups: int, bars: int, room: float) -> list[slice]:
    """Return which groups stand in each row, so that bars are wide enough to be seen."""
    fit = max(1, int(room * _GROUP / (_BAR * bars)))
    rows = -(-groups // fit)
    step = -(-groups // rows)
    return [slice(begin, min(begin + step, groups)) for begin in range(0, groups, step)]


def _outline(groups: Sequence[str]) -> list[str]:
    """Return each name in one line, from the first part on that differs from the name before."""
    short, before = [], [""]
    for name in groups:
        parts = name.split("\n")
        same = 0
        while same < len(parts) - 1 and parts[same : same + 1] == before[same : same + 1]:
            same += 1
        short.append(", ".join(parts[same:]))
        before = parts
    return short
