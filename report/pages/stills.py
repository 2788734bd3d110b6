"""Still pictures of the figures of a page, for readers whose browser runs no scripts, and for print."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.collections import LineCollection, PatchCollection
from matplotlib.figure import Figure as Drawing
from matplotlib.patches import Rectangle

from netplace.report.pages.figures import (
    Bars,
    Figure,
    Gantt,
    Intervals,
    Lines,
    Matrix,
    NetworkMap,
    Places,
    Timeline,
)
from netplace.report.plots.page import COLOURS, SHADES, as_written, until

__all__ = ["still"]

_LONGEST = 32  # letters of a name along an axis
_MOST = 2_000  # boxes or links of a still picture: a larger one says nothing more


def still(figure: Figure) -> str:
    """Return a figure as SVG."""
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "netplace", "font.size": 9.0}):
        drawing = Drawing(figsize=(7.5, max(2.0, figure.height / 110)), layout="constrained")
        _STILLS[type(figure)](drawing, figure)
        written = io.StringIO()
        with as_written(drawing):
            drawing.savefig(written, format="svg", metadata={"Date": None})
    svg = written.getvalue()
    return re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)


def _bars(drawing: Drawing, figure: Any) -> None:
    axes, count = drawing.add_subplot(), max(len(figure.series), 1)
    shown = slice(0, _MOST // count)
    places = np.arange(len(figure.groups[shown]))
    for place, (name, values) in enumerate(figure.series.items()):
        heights = np.array([np.nan if value is None else value for value in values[shown]], float)
        half = figure.half_widths.get(name)
        error = (
            None
            if half is None
            else np.array([np.nan if value is None else value for value in half[shown]], float)
        )
        left = places + (place - (count - 1) / 2) * 0.8 / count
        colour = COLOURS[place % len(COLOURS)]
        axes.bar(
            left,
            heights - figure.base,
            0.8 / count,
            figure.base,
            yerr=error,
            label=_label(name),
            color=colour,
        )
    rotated = len(figure.groups) > 8
    axes.set_xticks(places[:: max(1, len(places) // 40)])
    axes.set_xticklabels(
        [_short(name) for name in figure.groups[shown]][:: max(1, len(places) // 40)],
        rotation=90 if rotated else 0,
    )
    axes.set_ylabel(figure.unit)
    if count > 1:
        axes.legend()


def _intervals(drawing: Drawing, figure: Any) -> None:
    axes, groups = drawing.add_subplot(), list(dict.fromkeys(figure.groups))
    for place, group in enumerate(groups):
        own = [index for index, name in enumerate(figure.groups) if name == group]
        widths = [figure.half_widths[index] for index in own]
        half = [np.nan if width is None else width for width in widths]
        values = [figure.values[index] for index in own]
        colour = COLOURS[place % len(COLOURS)]
        axes.errorbar(values, own, xerr=half, fmt="o", markersize=4, color=colour, label=_label(group))
    axes.axvline(0, color="#666666", linewidth=0.8)
    axes.set_yticks(range(len(figure.names)), [_short(name) for name in figure.names])
    axes.set_ylim(len(figure.names) - 0.5, -0.5)
    axes.set_xlabel(figure.unit)
    if len(groups) > 1:
        axes.legend()


def _lines(drawing: Drawing, figure: Any) -> None:
    axes = drawing.add_subplot()
    for place, (name, points) in enumerate(figure.series.items()):
        x, y = ([point[axis] for point in points] for axis in (0, 1))
        colour = COLOURS[place % len(COLOURS)]
        if figure.step:
            axes.step(x, y, where="post", label=_label(name), color=colour)
        else:
            half = [point[2] if len(point) > 2 and point[2] is not None else 0 for point in points]
            axes.errorbar(
                x, y, yerr=half if any(half) else None, marker="o", label=_label(name), color=colour
            )
    axes.set_xlabel(figure.x)
    axes.set_ylabel(figure.y)
    if len(figure.series) > 1:
        axes.legend()


def _gantt(drawing: Drawing, figure: Any) -> None:
    axes = drawing.add_subplot()
    boxes = sorted(figure.boxes, key=lambda box: (box[1] - box[0]) * (box[3] - box[2]))[-_MOST:]
    patches = [Rectangle((box[0], box[2]), box[1] - box[0], box[3] - box[2]) for box in boxes]
    drawn = PatchCollection(patches, cmap=SHADES, edgecolor="white", linewidth=0.3)
    drawn.set_array(np.array([np.nan if box[4] is None else box[4] for box in boxes], float))
    axes.add_collection(drawn)
    begin = min((box[0] for box in boxes), default=0)
    axes.set_xlim(until(max((box[1] for box in boxes), default=1), begin))
    axes.set_ylim(0, figure.nodes)
    axes.set_xlabel(figure.x)
    axes.set_ylabel("node")
    drawing.colorbar(drawn, ax=axes, label=figure.value)


def _matrix(drawing: Drawing, figure: Any) -> None:
    axes = drawing.add_subplot()
    values = np.full((len(figure.rows), len(figure.columns)), np.nan)
    for row, column, value in figure.cells:
        values[int(row), int(column)] = value
    image = axes.imshow(values, cmap=SHADES, aspect="auto", interpolation="none")
    axes.set_xlabel(figure.x)
    axes.set_ylabel(figure.y)
    drawing.colorbar(image, ax=axes, label=figure.value)


def _network(drawing: Drawing, figure: Any) -> None:
    axes = drawing.add_subplot()
    load = np.mean(np.array(figure.loads, float), axis=0) if figure.loads else np.zeros(0)
    kept = np.argsort(load)[-_MOST:]
    ends = np.array(figure.links, float).reshape(-1, 2, 2)
    drawn = LineCollection(list(ends[kept]), cmap=SHADES, linewidths=2)
    drawn.set_array(load[kept])
    axes.add_collection(drawn)
    routers = np.array(figure.routers, float).reshape(-1, 2)
    axes.plot(routers[:, 0], routers[:, 1], ".", color="#666666", markersize=3)
    axes.autoscale_view()
    axes.set_axis_off()
    drawing.colorbar(drawn, ax=axes, label=figure.value)


def _timeline(drawing: Drawing, figure: Any) -> None:
    axes = drawing.add_subplot()
    for begin, end, row in figure.tasks:
        axes.plot([begin, end], [row, row], color="#d8dce0", linewidth=3, solid_capstyle="butt", zorder=1)
    sent = [[(begin, source), (end, target)] for begin, end, source, target, _ in figure.messages[:_MOST]]
    axes.add_collection(LineCollection(sent, colors="#444444", linewidths=0.3, alpha=0.4))
    for place, name in enumerate(figure.components):
        own = [[(begin, row), (end, row)] for begin, end, row, what in figure.path[:_MOST] if what == place]
        if own:
            colour = COLOURS[place % len(COLOURS)]
            axes.add_collection(LineCollection(own, colors=colour, linewidths=2, label=name, zorder=3))
    axes.set_ylim(len(figure.rows) - 0.5, -0.5)
    axes.set_ylabel("task")
    axes.set_xlabel(figure.x)
    if figure.path:
        axes.legend(ncols=4, loc="upper center", bbox_to_anchor=(0.5, 1.18))


def _places(drawing: Drawing, figure: Any) -> None:
    axes = drawing.add_subplot()
    places = np.array(figure.places, float).reshape(-1, 2)
    first = figure.chosen[0] if figure.chosen else []
    for nodes, colour in ((range(len(places)), "#e3e6ea"), (figure.held, "#8a8a8a"), (first, COLOURS[4])):
        stands = places[list(nodes)]
        axes.plot(stands[:, 0], -stands[:, 1], "s", color=colour, markersize=5)
    axes.set_title(_short(figure.choices[0]) if figure.choices else "")
    axes.set_axis_off()


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _label(name: str) -> str:
    """Return a name for a legend, which takes no name that begins with an underscore."""
    return f" {name}" if name.startswith("_") else name


_STILLS: dict[type[Figure], Callable[[Drawing, Any], None]] = {
    Bars: _bars,
    Intervals: _intervals,
    Lines: _lines,
    Gantt: _gantt,
    Matrix: _matrix,
    NetworkMap: _network,
    Timeline: _timeline,
    Places: _places,
}
