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

    Groups stand in as many rows as they need for bars that can be seen.

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

    Raises
    ------
    ValueError
        If there is no bar, or a series has another number of entries than there are groups.
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
    with page(path, 0.9 + (1.8 if len(rows) > 1 else 2.3) * len(rows), column=column) as figure:
        panels = figure.subplots(len(rows), squeeze=False, sharey=True).ravel()
        for axes, row in zip(panels, rows, strict=True):
            own = list(groups[row])
            top = _draw(
                axes,
                names,
                heights[:, row],
                {name: values[row] for name, values in (reference or {}).items()},
            )
            lost = {name: counts[row] for name, counts in (failed or {}).items()}
            _mark(axes, names, top, [best.get(name) for name in own] if best else [], lost)
            _dress(axes, own, room, column)
        axes.set_ylim(0, 1.05 * axes.get_ylim()[1])
        figure.supylabel(ylabel.replace(" / ", "\n/ ") if column else ylabel, fontsize="medium")
        figure.suptitle(title)
        explain(figure, columns=7)


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
    axes: Axes, names: Sequence[str], heights: NDArray[np.float64], reference: Mapping[str, Sequence[float]]
) -> NDArray[np.float64]:
    """Draw bars and published values; return the tops. `heights` has shape (series, groups, 2)."""
    left = _places(*heights.shape[:2])
    cycle = len(COLOURS)
    for place, name in enumerate(names):
        mean, deviation = heights[place].T
        spread = {"yerr": np.nan_to_num(deviation), "capsize": 2, "error_kw": {"linewidth": 0.8}}
        hatch = _HATCHES[place // cycle % len(_HATCHES)]
        axes.bar(left[place], mean, 0.92 * _GROUP / len(names), label=name, hatch=hatch, **spread)
    top = heights[..., 0] + np.nan_to_num(heights[..., 1])
    label = "published"
    for name in [name for name in reference if name in names]:
        place, values = names.index(name), np.asarray(reference[name], float)
        axes.plot(left[place], values, "D", color="0.1", markersize=3.5, label=label)
        top[place] = np.fmax(top[place], values)
        label = ""
    return top


def _mark(
    axes: Axes,
    names: Sequence[str],
    top: NDArray[np.float64],
    best: Sequence[str | None],
    failed: Mapping[str, Sequence[int]],
) -> None:
    """Put a star above what is best in its group, and a cross where runs failed."""
    left, step = _places(*top.shape), 0.025 * axes.get_ylim()[1]
    stars = [(names.index(name), group) for group, name in enumerate(best) if name in names]
    crosses = [
        (names.index(name), group)
        for name, counts in failed.items()
        for group, count in enumerate(counts)
        if count > 0
    ]
    for cells, marker, label in ((stars, "*", "best"), (crosses, "x", "failed")):
        if cells:
            at = tuple(np.array(cells).T)
            height = np.nan_to_num(top[at]) + step
            size = 0.6 * float(rcParams["font.size"])
            axes.plot(left[at], height, marker, color="0.1", markersize=size, label=label, clip_on=False)


def _dress(axes: Axes, groups: Sequence[str], room: float, column: bool) -> None:
    axes.axhline(1, color="0.3", linewidth=0.8)
    long = max(len(line) for name in groups for line in (name or " ").split("\n"))
    narrow = long * _LETTER > room / len(groups)
    turn: dict[str, Any] = {"rotation": 90 if column else 30, "ha": "center" if column else "right"}
    axes.set_xticks(np.arange(len(groups)), groups, **(turn if narrow else {}))
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    axes.margins(x=0.02)
