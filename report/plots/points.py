"""Figures of points and curves in panels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from netplace.report.plots.figure import COLOURS, HELD, INK, Axis, Curve, Figure, Mark, Panel, Rule

if TYPE_CHECKING:
    import pandas as pd

MARKS = "osD^vP*X"
_SIGNIFICANT = 0.01


def dot_figure(
    title: str,
    panels: Mapping[str, pd.DataFrame],
    xlabel: str,
    *,
    whiskers: str = "95 % intervals",
    line: float | None = None,
    scale: str = "linear",
) -> Figure:
    """Return a panel for each table, in which every name has a row with a mark for each series.

    Tables have columns ``name``, ``series``, ``value`` and ``half``, half of an interval or NaN; or ``low``
    and ``high``, its ends. `whiskers`: what the intervals are; `line`: where a line stands, no difference.
    """
    import pandas as pd

    every = pd.concat(panels.values())
    names, series = (list(dict.fromkeys(every[column])) for column in ("name", "series"))
    drawn = []
    for title_of, table in panels.items():
        marks: list[Mark] = [] if line is None else [Rule(at=line)]
        for place, label in enumerate(series):
            own = table[table["series"] == label]
            value = own["value"].to_numpy(float)
            ends = (value - own["low"], own["high"] - value) if "low" in own else own["half"]
            aside = 0.5 * (place - (len(series) - 1) / 2) / len(series)
            marks.append(
                Curve(
                    label=label,
                    colour=place,
                    x=value,
                    y=[names.index(name) + aside for name in own["name"]],
                    half_x=np.asarray(ends, float),
                    line="",
                    mark=MARKS[place % len(MARKS)],
                    size=3.5,
                )
            )
        drawn.append(
            Panel(
                marks=marks,
                x=Axis(scale=scale, grid=True),
                y=Axis(names=names, down=True, grid=True),
                title=title_of,
            )
        )
    rows = math.ceil(len(panels) / 3)
    return Figure(
        title=title,
        panels=drawn,
        whiskers=whiskers,
        columns=3,
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
    band: tuple[float, float] | None = None,
) -> Figure:
    """Return a panel of curves for each entry, on a logarithmic y axis with a line at 1."""
    drawn = []
    for name, curves in panels.items():
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
    alone = len(panels) == 1
    return Figure(
        title=title,
        panels=drawn,
        columns=2,
        height=(2.9 if alone else 2.2 * math.ceil(len(panels) / 2)) + 0.9,
        share_x=True,
        x=xlabel,
        y=ylabel,
        narrow=alone,
    )


def scatter_figure(
    title: str,
    panels: Mapping[str, tuple[ArrayLike, ArrayLike]],
    ylabel: str,
    groups: Sequence[str] | None = None,
) -> Figure:
    """Return a panel of points for each entry, with regression line and Pearson's r.

    An asterisk after r says that it is significant at the level 0.01. Points that are not finite do not
    count; without any spread in x or y there is neither line nor r. `panels`: by name, that of the axis, x
    and y; `groups`: that of each point, which gives its color.
    """
    drawn = []
    for name, (x, y) in panels.items():
        title_of, marks = _regression(name, np.asarray(x, float), np.asarray(y, float), groups)
        x_axis = Axis(label=name, grid=True)
        drawn.append(Panel(marks=marks, x=x_axis, y=Axis(grid=True), title=title_of))
    height = 2.1 * math.ceil(len(panels) / 3) + (0.7 if groups else 0.4)
    return Figure(title=title, panels=drawn, columns=3, height=height, y=ylabel)


def _regression(name: str, x: Any, y: Any, groups: Sequence[str] | None) -> tuple[str, list[Mark]]:
    """Return the title and marks of a panel of points."""
    finite = np.isfinite(x) & np.isfinite(y)
    own = np.asarray(groups if groups is not None else [""] * len(x), object)[finite]
    x, y = x[finite], y[finite]
    marks: list[Mark] = [
        Curve(x=x[own == group], y=y[own == group], label=group, colour=place, line="", size=2.5, alpha=0.7)
        for place, group in enumerate(dict.fromkeys(own))
    ]
    if len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return name, marks
    from scipy import stats

    line = stats.linregress(x, y)
    ends = np.array([x.min(), x.max()])
    marks.append(Curve(x=ends, y=line.intercept + line.slope * ends, mark="", colour=HELD if groups else 1))
    return f"{name}   r = {line.rvalue:.2f}{'*' if line.pvalue < _SIGNIFICANT else ''}", marks


def front_figure(title: str, frame: pd.DataFrame) -> Figure:
    """Return the rules of each load: how much longer jobs wait, and energy relative to all nodes on."""
    import pandas as pd

    families = frame["rule"].str.partition(":")[0]
    points = pd.DataFrame(
        {
            "name": families,
            "look": families.map({name: place for place, name in enumerate(families.unique())}),
            "x": frame["wait more s"].astype(float) / 60,
            "y": frame["energy %"].astype(float),
            "front": frame["front"],
        }
    )
    panels = {f"load {load:g}": own for load, own in points.groupby(frame["load"], sort=False)}
    # Most rules cost seconds, some half an hour: both are seen where small waits have room.
    return trade_off_figure(
        title,
        panels,
        "longer mean wait (min); logarithmic beyond 1",
        "energy (% of always on)",
        joined=True,
        x_scale="symlog",
    )


def trade_off_figure(
    title: str,
    panels: Mapping[str, pd.DataFrame],
    xlabel: str,
    ylabel: str,
    *,
    joined: bool = False,
    columns: int = 2,
    x_scale: str = "linear",
    whiskers: str = "95 % intervals over the seeds",
) -> Figure:
    """Return a panel of two costs for each table, with circles at the Pareto-optimal points."""
    import pandas as pd

    drawn = []
    for title_of, table in panels.items():
        best = table[table["front"] == "*"]
        groups = [(look, own.sort_values("x")) for look, own in table.groupby("look")]
        marks: list[Mark] = [
            Curve(
                label=own["name"].iloc[0],
                colour=look,
                x=own["x"].to_numpy(float),
                y=own["y"].to_numpy(float),
                half=own["half"].to_numpy(float) if "half" in own else None,
                half_x=own["half_x"].to_numpy(float) if "half_x" in own else None,
                line="solid" if joined else "",
                mark=MARKS[(look + look // len(COLOURS)) % len(MARKS)],
                width=0.8,
            )
            for look, own in groups
        ]
        x, y = best["x"].to_numpy(float), best["y"].to_numpy(float)
        marks.append(Curve(label="Pareto-optimal", x=x, y=y, line="", hollow=True, size=8.0, colour=INK))
        x_axis, y_axis = Axis(scale=x_scale, grid=True), Axis(grid=True)
        drawn.append(Panel(marks=marks, x=x_axis, y=y_axis, title=title_of))
    names = pd.concat(panels.values())["name"].unique()
    per_row = max(1, int(7 / (0.6 + 0.06 * max(map(len, names)))))  # in the legend
    height = 2.4 * math.ceil(len(panels) / columns) + 0.5 + 0.17 * math.ceil(len(names) / per_row)
    return Figure(
        title=title, panels=drawn, columns=columns, height=height, whiskers=whiskers, x=xlabel, y=ylabel
    )


def load_figure(rows: Sequence[Mapping[str, Any]], title: str = "", *, narrow: bool = False) -> Figure:
    """Return accepted load and delay over offered load, a curve for each network or setting of `curve_rows`.

    `narrow`: as wide as a column of a paper, one panel below the other.
    """
    maximum = max(row["offered"] for row in rows)
    left: list[Mark] = [Curve(x=[0, maximum], y=[0, maximum], line="dotted", mark="", colour=HELD)]
    right: list[Mark] = []
    for place, name in enumerate(dict.fromkeys(row["curve"] for row in rows)):
        own = [row for row in rows if row["curve"] == name]
        offered, mark = [row["offered"] for row in own], MARKS[place % len(MARKS)]
        for marks, column in ((left, "accepted"), (right, "mean")):
            values, half = (
                np.array([row[key] for row in own], float) for key in (column, f"{column}_half_width")
            )
            marks.append(Curve(label=name, colour=place, x=offered, y=values, half=half, mark=mark))
        p95 = np.array([row["p95"] for row in own], float)
        right.append(Curve(colour=place, x=offered, y=p95, line="dashed", mark="", width=0.9))
    x = Axis(label="offered load (phits/node/cycle)", low=0.0, grid=True)
    panels = [
        Panel(marks=left, x=x, y=Axis(label="accepted load (phits/node/cycle)", low=0.0, grid=True)),
        Panel(marks=right, x=x, y=Axis(label="packet delay (cycles)", low=0.0, grid=True)),
    ]
    return Figure(
        title=title or "Load",
        caption="Delay from creation, waiting at the source included: mean; dashed: 95th percentile. Dotted: "
        "accepted load equals offered load.",
        whiskers="95 % intervals over the seeds",
        panels=panels,
        columns=1 if narrow else 2,
        height=6.0 if narrow else 3.3,
        narrow=narrow,
    )
