"""Latency-throughput curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes

from netplace.experiments.plots.page import page
from netplace.netsim import LoadPoint

__all__ = ["draw_load", "draw_load_on"]


def draw_load(path: Path, curves: Mapping[str, Sequence[LoadPoint]], title: str) -> None:
    """Draw accepted load and delay over offered load, a curve for each name."""
    with page(path, 10, 4.2) as figure:
        left, right = figure.subplots(1, 2)
        draw_load_on(left, right, curves)
        figure.suptitle(title, fontsize="large")


def draw_load_on(left: Axes, right: Axes, curves: Mapping[str, Sequence[LoadPoint]]) -> None:
    """Draw accepted load on `left`, mean delay with the 95th percentile above it on `right`."""
    most = max(point.offered for points in curves.values() for point in points)
    left.plot([0, most], [0, most], color="0.7", linestyle=":", linewidth=1)
    for name, points in curves.items():
        offered = [point.offered for point in points]
        [line] = left.plot(offered, [point.accepted for point in points], "o-", markersize=4, label=name)
        colour = line.get_color()
        mean = [point.delay.mean for point in points]
        right.plot(offered, mean, "o-", markersize=4, color=colour, label=f"{name}, mean")
        tail = [point.delay.p95 for point in points]
        right.plot(offered, tail, "--", linewidth=1, color=colour, label=f"{name}, 95th percentile")
    left.set(xlabel="offered load (phits/node/cycle)", ylabel="accepted load (phits/node/cycle)")
    right.set(xlabel="offered load (phits/node/cycle)", ylabel="packet delay (cycles)")
    for axes in (left, right):
        axes.set_xlim(0, None)
        axes.set_ylim(0, None)
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")
