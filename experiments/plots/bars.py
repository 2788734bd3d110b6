"""Bars with their deviation: groups of them side by side, the best of each group marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from netplace.experiments.files.outputs import whole_file

__all__ = ["draw_bars"]

_LABEL_WIDTH = 9  # characters of a group's name that fit below it
_LEGEND_COLUMNS = 6


def draw_bars(
    path: Path,
    groups: Sequence[str],
    series: Mapping[str, Sequence[tuple[float, float]]],
    title: str,
    ylabel: str,
    reference: Mapping[str, Sequence[float]] | None = None,
) -> None:
    """Draw a group of bars for each name in `groups`, a bar in it for each of the `series`.

    The least mean of a group is marked with a star, and a line is drawn at 1, where relative times begin. NaN
    stands for a bar that is not there.

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

    Raises
    ------
    ValueError
        If there is no bar, or a series has another number of entries than there are groups.
    """
    named: list[tuple[str, Sequence[object]]] = [
        (f"series {name!r}", values) for name, values in series.items()
    ]
    named += [(f"reference {name!r}", values) for name, values in (reference or {}).items()]
    for name, values in named:
        if len(values) != len(groups):
            raise ValueError(f"bars: {name} has {len(values)} entries, expected {len(groups)}, one a group")
    if not groups or not series:
        raise ValueError("bars: there is nothing to draw, expected a group and a series at least")
    count = len(series)
    figure = Figure(figsize=(max(6.0, 1.2 + len(groups) * (0.35 + 0.25 * count)), 4.6), layout="constrained")
    axes = figure.subplots()
    found = np.array([[(float(mean), float(std)) for mean, std in values] for values in series.values()])
    _draw(axes, list(series), found, reference or {})
    _dress(axes, groups, title, ylabel, count + 2)
    with whole_file(path) as temporary:
        figure.savefig(temporary, dpi=150)


def _draw(
    axes: Axes, names: Sequence[str], found: NDArray[np.float64], reference: Mapping[str, Sequence[float]]
) -> None:
    """Draw bars, best marks and published values; `found` has shape (series, groups, 2)."""
    count, groups = found.shape[:2]
    width = 0.84 / count
    left = np.arange(groups)[None, :] + (np.arange(count)[:, None] - (count - 1) / 2) * width
    for place, name in enumerate(names):
        mean, deviation = found[place].T
        spread = {"yerr": np.nan_to_num(deviation), "capsize": 2.5, "error_kw": {"linewidth": 1}}
        axes.bar(left[place], mean, 0.92 * width, label=name, **spread)
    top = found[..., 0] + np.nan_to_num(found[..., 1])
    label = "published"
    for name in [name for name in reference if name in names]:
        place, values = names.index(name), np.asarray(reference[name], float)
        axes.plot(left[place], values, "D", color="0.1", markersize=3.5, label=label)
        top[place] = np.fmax(top[place], values)
        label = ""
    _mark_best(axes, left, found[..., 0], top)


def _mark_best(
    axes: Axes, left: NDArray[np.float64], mean: NDArray[np.float64], top: NDArray[np.float64]
) -> None:
    """Put a star above the least bar of each group."""
    groups = np.flatnonzero(np.isfinite(mean).any(axis=0))
    best = np.nanargmin(mean[:, groups], axis=0)
    height = top[best, groups] + 0.025 * axes.get_ylim()[1]
    axes.plot(left[best, groups], height, "*", color="0.1", markersize=7, label="best")


def _dress(axes: Axes, groups: Sequence[str], title: str, ylabel: str, entries: int) -> None:
    axes.axhline(1, color="0.3", linewidth=0.8)
    long = max(len(line) for name in groups for line in (name or " ").split("\n")) > _LABEL_WIDTH
    turn: dict[str, Any] = {"rotation": 30, "ha": "right"} if long and len(groups) > 3 else {}
    axes.set_xticks(np.arange(len(groups)), groups, fontsize=8, **turn)
    axes.set_title(title, fontsize=10)
    axes.set_ylabel(ylabel)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    rows = -(-entries // _LEGEND_COLUMNS)
    axes.set_ylim(0, (1.1 + 0.08 * rows) * axes.get_ylim()[1])  # room for the legend
    axes.legend(loc="upper center", ncols=min(entries, _LEGEND_COLUMNS), fontsize=8, frameon=False)
