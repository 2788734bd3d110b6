"""Bars with their deviation: groups of them side by side, the best of each group marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from numpy.typing import NDArray

from netplace.report.plots.page import COLOURS, explain, page

__all__ = ["draw_bars"]

_LETTER = 0.065  # width of a letter in inches
_BAR = 0.08  # least width of a bar in inches
_PAGE_ROOM, _COLUMN_ROOM = 6.3, 2.8  # width of the axes in inches
_GROUP = 0.84  # width of a group of bars
_LINE = 0.22  # inches that a line of a slanted name takes along the axis
_LYING_BAR, _LYING_GROUP = 0.09, 0.17  # height of a bar that lies, least height of a group, in inches
_HATCHES = ("", "//", "..", "xx")  # where there are more series than colours


def draw_bars(
    path: Path,
    groups: Sequence[str],
    series: Mapping[str, Sequence[tuple[float, float]]],
    title: str,
    ylabel: str,
    reference: Mapping[str, Sequence[float]] | None = None,
    best: Mapping[str, str] | None = None,
    failed: Mapping[str, Sequence[int]] | None = None,
    *,
    column: bool = False,
) -> None:
    """Draw a group of bars for each name in `groups`, a bar in it for each of the `series`.

    Groups stand in as many rows as they need for bars that can be seen. Where their names would overlap, bars
    lie, one group below the other, and of a name only what differs from the group above is said.

    A line is drawn at 1, where relative times begin. NaN stands for a bar that is not there.

    Parameters
    ----------
    path : Path
        The picture (png, pdf or svg).
    groups : sequence of str
        Names of the groups, from left to right.
    series : mapping of str to sequence of (float, float)
        For each series, mean and standard deviation in each group.
    title, ylabel : str
        Title of the picture and name of the vertical axis.
    reference : mapping of str to sequence of float, optional
        Published means of some of the series in each group, drawn as diamonds on their bars.
    best : mapping of str to str, optional
        The series that gets a star, of each group in which one is better than the others by more than chance
        (see `netplace.report.plots.best.clear_best`).
    failed : mapping of str to sequence of int, optional
        How many runs of some of the series failed in each group; where any did, a cross says so.
    column : bool
        As wide as a column of a paper.
    """
    named: list[tuple[str, Sequence[object]]] = [
        (f"series {name!r}", values) for name, values in series.items()
    ]
    named += [(f"failed {name!r}", values) for name, values in (failed or {}).items()]
    named += [(f"reference {name!r}", values) for name, values in (reference or {}).items()]
    for name, values in named:
        if len(values) != len(groups):
            raise ValueError(f"bars: {name} has {len(values)} entries, expected {len(groups)}, one a group")
    if not groups or not series:
        raise ValueError("bars: there is nothing to draw, expected a group and a series at least")
    names, room = list(series), _COLUMN_ROOM if column else _PAGE_ROOM
    heights = np.array([[(float(mean), float(std)) for mean, std in values] for values in series.values()])
    rows = _rows(len(groups), len(names), room)
    lying = any(_overlap(groups[row], room, column) for row in rows)
    tall = (1.8 if len(rows) > 1 else 2.3) * len(rows)
    if lying:
        rows = [slice(0, len(groups))]
        tall = 0.3 + len(groups) * max(_LYING_GROUP, _LYING_BAR * len(names) / _GROUP)
    with page(path, 0.9 + tall, column=column) as figure:
        panels = figure.subplots(len(rows), squeeze=False, sharey=not lying).ravel()
        for axes, row in zip(panels, rows, strict=True):
            own = list(groups[row])
            of_row = {name: values[row] for name, values in (reference or {}).items()}
            top = _draw(axes, names, heights[:, row], of_row, lying)
            lost = {name: counts[row] for name, counts in (failed or {}).items()}
            _mark(axes, names, top, [best.get(name) for name in own] if best else [], lost, lying)
            _dress(axes, own, room, column, lying)
        if lying:
            axes.set_xlim(0, 1.05 * axes.get_xlim()[1])
            axes.set_xlabel(ylabel)
        else:
            axes.set_ylim(0, 1.05 * axes.get_ylim()[1])
            figure.supylabel(ylabel.replace(" / ", "\n/ ") if column else ylabel, fontsize="medium")
        whiskers = "\nwhiskers: one standard deviation" if (heights[..., 1] > 0).any() else ""
        figure.suptitle(title + whiskers)
        explain(figure, columns=7)


def _overlap(groups: Sequence[str], room: float, column: bool) -> bool:
    """Return whether names below the groups would overlap, though they were turned."""
    spacing = room / len(groups)
    lines = max(name.count("\n") + 1 for name in groups)
    turned = _LINE / 2 if column else _LINE
    return _longest(groups) * _LETTER > spacing and lines * turned > spacing


def _longest(groups: Sequence[str]) -> int:
    """Return the letters of the longest line of a name."""
    return max(len(line) for name in groups for line in (name or " ").split("\n"))


def _rows(groups: int, bars: int, room: float) -> list[slice]:
    """Return which groups stand in each row, so that bars are wide enough to be seen."""
    fit = max(1, int(room * _GROUP / (_BAR * bars)))
    rows = -(-groups // fit)
    step = -(-groups // rows)
    return [slice(begin, min(begin + step, groups)) for begin in range(0, groups, step)]


def _places(count: int, groups: int) -> NDArray[np.float64]:
    """Return where the bars stand, shape (series, groups)."""
    return np.arange(groups)[None, :] + (np.arange(count)[:, None] - (count - 1) / 2) * _GROUP / count


def _draw(
    axes: Axes,
    names: Sequence[str],
    heights: NDArray[np.float64],
    reference: Mapping[str, Sequence[float]],
    lying: bool,
) -> NDArray[np.float64]:
    """Draw bars and published values; return the tops. `heights` has shape (series, groups, 2)."""
    left = _places(*heights.shape[:2])
    cycle = len(COLOURS)
    for place, name in enumerate(names):
        mean, deviation = heights[place].T
        spread = {"xerr" if lying else "yerr": deviation, "error_kw": {"linewidth": 0.8}}
        hatch = _HATCHES[place // cycle % len(_HATCHES)]
        bars = axes.barh if lying else axes.bar
        width = 0.92 * _GROUP / len(names)
        bars(left[place], mean, width, label=name, hatch=hatch, capsize=1 if lying else 2, **spread)
    top = heights[..., 0] + np.fmax(0.0, heights[..., 1])
    label = "published"
    for name in [name for name in reference if name in names]:
        place, values = names.index(name), np.asarray(reference[name], float)
        _plot(axes, left[place], values, lying, marker="D", markersize=3.5, label=label)
        top[place] = np.fmax(top[place], values)
        label = ""
    return top


def _plot(axes: Axes, left: Any, height: Any, lying: bool, **look: Any) -> None:
    """Draw points where bars end."""
    across, up = (height, left) if lying else (left, height)
    axes.plot(across, up, linestyle="", color="0.1", **look)


def _mark(
    axes: Axes,
    names: Sequence[str],
    top: NDArray[np.float64],
    best: Sequence[str | None],
    failed: Mapping[str, Sequence[int]],
    lying: bool,
) -> None:
    """Put a star above what is best in its group, and a cross where runs failed."""
    left, step = _places(*top.shape), 0.025 * (axes.get_xlim() if lying else axes.get_ylim())[1]
    stars = [(names.index(name), group) for group, name in enumerate(best) if name in names]
    crosses = [
        (names.index(name), group)
        for name, counts in failed.items()
        for group, count in enumerate(counts)
        if count > 0
    ]
    size = 0.6 * float(rcParams["font.size"])
    for cells, marker, label in ((stars, "*", "best"), (crosses, "x", "failed")):
        if cells:
            at = tuple(np.array(cells).T)
            height = np.fmax(0.0, top[at]) + step
            _plot(axes, left[at], height, lying, marker=marker, markersize=size, label=label, clip_on=False)


def _dress(axes: Axes, groups: Sequence[str], room: float, column: bool, lying: bool) -> None:
    """Name the groups, and draw what makes heights comparable."""
    ticks = np.arange(len(groups))
    if lying:
        axes.axvline(1, color="0.3", linewidth=0.8)
        axes.set_yticks(ticks, _outline(groups))
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(groups) - 0.4, -0.6)  # the first group is the uppermost
    else:
        axes.axhline(1, color="0.3", linewidth=0.8)
        narrow = _longest(groups) * _LETTER > room / len(groups)
        turn: dict[str, Any] = {"rotation": 90 if column else 30, "ha": "center" if column else "right"}
        axes.set_xticks(ticks, groups, **(turn if narrow else {}))
        axes.margins(x=0.02)
    axes.grid(axis="x" if lying else "y", alpha=0.3)
    axes.set_axisbelow(True)


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
