"""Figures as Matplotlib draws them: pictures in files, still pictures of pages, and axes in notebooks."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context, rcdefaults, rcParams
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure as Drawing
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter, NullLocator
from numpy.typing import NDArray

from netplace.files import atomic_file
from netplace.report.plots import figure as spec
from netplace.report.plots.figure import COLOURS, Figure, Panel
from netplace.report.plots.page import COLUMN, PAGE, SHADES, STYLE, UNDATED, as_written, explain, wrap_title

_HATCHES = ("", "//", "..", "xx")
_LONGEST = 60  # letters of a name along an axis
_NAME = 0.13  # inches along an axis that a name takes
_RASTER = 2_000  # elements from which on a mark is pixels in SVG and PDF too: a million lines are no text
_SCALES: dict[str, dict[str, float]] = {
    "log": {},
    "log2": {"base": 2},
    "symlog": {"linthresh": 1, "linscale": 1.2},
}
_LINES = {"solid": "-", "dashed": "--", "dotted": ":", "": ""}


def write_figure(path: str | Path, figure: Figure) -> None:
    """Write a figure as a picture, whole or not at all: equal figures are equal bytes.

    Parameters
    ----------
    path : str or Path
        The picture (png, pdf or svg). PDF and SVG hold text as text, in fonts that may be embedded anywhere.
    figure : Figure
        The figure.
    """
    path = Path(path)
    with _drawn(figure) as (drawing, _), atomic_file(path) as temporary, as_written(drawing):
        dots = 300 if figure.narrow else 200
        drawing.savefig(temporary, dpi=dots, metadata=UNDATED.get(path.suffix.lower(), {}))


def still(figure: Figure) -> str:
    """Return a figure as SVG, for readers whose browser runs no scripts, and for notebooks."""
    with _drawn(figure) as (drawing, _), as_written(drawing):
        written = io.StringIO()
        drawing.savefig(written, format="svg", dpi=100, metadata={"Date": None})
    svg = written.getvalue()
    return re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)


def axes_of(figure: Figure) -> Any:
    """Draw a figure that Matplotlib's state machine knows, so that notebooks show it.

    Returns
    -------
    Axes or ndarray of Axes
        The axes of the only panel, or of each panel.
    """
    from matplotlib import pyplot

    with _drawn(figure, pyplot.figure) as (_, grid):
        return grid[0] if len(grid) == 1 else grid


@contextmanager
def _drawn(figure: Figure, make: Callable[..., Drawing] = Drawing) -> Iterator[tuple[Drawing, Any]]:
    """Draw a figure on a new one of Matplotlib's, and yield that and the axes of the panels."""
    width, points = COLUMN if figure.narrow else PAGE
    with rc_context():
        rcdefaults()  # not what a matplotlibrc of the user or in the working folder says
        rcParams.update(STYLE | {"font.size": points})
        drawing = make(figsize=(width, figure.height))
        grid = draw(drawing, figure)
        wrap_title(drawing, points)
        yield drawing, grid


def draw(drawing: Any, figure: Figure) -> Any:
    """Draw a figure on one of Matplotlib's, and return the axes of its panels."""
    columns = min(figure.columns, len(figure.panels))
    rows = -(-len(figure.panels) // columns)
    weights = [panel.weight for panel in figure.panels]
    grid = drawing.subplots(
        rows,
        columns,
        squeeze=False,
        sharex=figure.share_x,
        sharey=figure.share_y,
        width_ratios=[wide for wide, _ in weights[:columns]],
        height_ratios=[tall for _, tall in weights[::columns]],
    ).ravel()
    for axes in grid[len(figure.panels) :]:
        axes.set_axis_off()
    grid = grid[: len(figure.panels)]
    scales = list(map(_scale, figure.panels))
    for axes, panel, scale in zip(grid, figure.panels, scales, strict=True):
        for mark in panel.marks:
            _DRAWN[type(mark)](axes, mark, scale)
    for axes, panel in zip(grid, figure.panels, strict=True):  # once all marks are there that share an axis
        _finish_panel(axes, panel)
    same = len({id(panel.shades) for panel in figure.panels}) == 1  # one scale beside all panels
    for axes, panel, scale in list(zip(grid, figure.panels, scales, strict=True))[: 1 if same else None]:
        if panel.shades is not None and scale is not None:
            maximum = max(
                (float(np.nanmax(values)) for values in map(_shaded, panel.marks) if values.size), default=0
            )
            drawing.colorbar(
                ScalarMappable(scale, SHADES),
                ax=grid.tolist() if same else axes,
                label=panel.shades.label,
                extend="max" if maximum > scale.vmax * (1 + 1e-9) else "neither",
                pad=0.01,
            )
    for place, axes in enumerate(grid if figure.share_y else ()):
        if figure.share_x:
            axes.label_outer(remove_inner_ticks=False)
        elif place % columns:  # X axes have names of their own
            axes.tick_params(labelleft=False)
            axes.set_ylabel("")
    if figure.y:
        drawing.supylabel(figure.y, fontsize="medium")
    drawing.suptitle(figure.title + (f"\nwhiskers: {figure.whiskers}" if figure.has_intervals else ""))
    explain(drawing, figure.x, columns=7)
    return grid


def _finish_panel(axes: Axes, panel: Panel) -> None:
    axes.set_title(panel.title)
    axes.set_axisbelow(True)
    if panel.equal:
        axes.set_aspect("equal")
    for name, axis in (("x", panel.x), ("y", panel.y)):
        _set_axis(axes, name, axis)


def _set_axis(axes: Axes, name: str, axis: spec.Axis) -> None:
    drawn = getattr(axes, f"{name}axis")
    if axis.scale != "linear":
        getattr(axes, f"set_{name}scale")(axis.scale.removesuffix("2"), **_SCALES[axis.scale])
    if axis.scale in ("log", "symlog"):
        drawn.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        drawn.set_minor_formatter(NullFormatter())
    getattr(axes, f"set_{name}label")(axis.label)
    if axis.names:
        step = max(1, math.ceil(len(axis.names) * _NAME / _length(axes, name)))
        if step > 1:
            getattr(axes, f"set_{name}label")(f"{axis.label} (1 of {step} names is shown)".strip())
        names = [_short(text) for text in axis.names[::step]]
        turned: dict[str, Any] = {}
        if name == "x" and _too_wide(axes, axis.names[::step]):
            steep = len(names) > 12 or axes.figure.get_figwidth() < 4  # type: ignore[union-attr]
            turned = {"rotation": 90, "ha": "center"} if steep else {"rotation": 30, "ha": "right"}
        drawn.set_ticks(range(0, len(axis.names), step), names, **turned)
    elif axis.ticks:
        drawn.set_ticks(axis.ticks, [f"{tick:g}" for tick in axis.ticks])
        drawn.set_minor_locator(NullLocator())
    elif axis.hidden:
        drawn.set_major_locator(NullLocator())
        axes.spines[["bottom", "top"] if name == "x" else ["left", "right"]].set_visible(False)
    elif axis.whole:
        drawn.set_major_locator(MaxNLocator("auto", integer=True, min_n_ticks=1))
    low, high = (-0.5, len(axis.names) - 0.5) if axis.names else getattr(axes, f"get_{name}lim")()
    low, high = (
        own if ours is None else ours
        for own, ours in ((min(low, high), axis.low), (max(low, high), axis.high))
    )
    high = high if high > low else low + 1.0  # nothing takes any time
    getattr(axes, f"set_{name}lim")(*((high, low) if axis.down else (low, high)))
    if axis.grid:
        axes.grid(axis="x" if name == "x" else "y", alpha=0.3)


def _length(axes: Axes, name: str) -> float:
    """Return the length of an axis in inches, about."""
    width, height = axes.figure.get_size_inches()  # type: ignore[union-attr]
    place = axes.get_position()
    return float(width * place.width if name == "x" else height * place.height)


def _too_wide(axes: Axes, names: Sequence[str]) -> bool:
    """Tell whether names would overlap if they stood side by side."""
    letters = 0.065 * max(len(line) for text in names for line in (text or " ").split("\n"))
    return letters * len(names) > 0.85 * _length(axes, "x")


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _named(mark: spec.Mark) -> dict[str, Any]:
    """Return colour, opacity and name in the legend, which takes no name that begins with an underscore."""
    label = f" {mark.label}" if mark.label.startswith("_") else mark.label
    return {"color": _colour(mark.colour), "alpha": mark.alpha, "label": label or None}


def _colour(colour: spec.Colour) -> str:
    return colour if isinstance(colour, str) else COLOURS[colour % len(COLOURS)]


def _numbers(values: Any) -> NDArray[np.float64]:
    """Return values as numbers, NaN for what is not known."""
    return np.array([np.nan if value is None else value for value in values], float)


def _shaded(mark: spec.Mark) -> NDArray[np.float64]:
    """Return the values of a mark that shades show, of its first frame."""
    values = getattr(mark, "values", None)
    if values is None or isinstance(mark, spec.Bars):
        return np.zeros(0)
    if len(values) and np.ndim(values[0]):
        values = values[0]
    return _numbers(values)


def _scale(panel: Panel) -> Any:
    if panel.shades is None:
        return None
    shades, found = panel.shades, np.concatenate([np.zeros(0), *map(_shaded, panel.marks)])
    found = found[np.isfinite(found) & ((found > 0) | (not shades.log))]
    low = shades.low if shades.low is not None else float(found.min(initial=np.inf))
    high = shades.high if shades.high is not None else float(found.max(initial=-np.inf))
    low, high = (low, high) if np.isfinite([low, high]).all() else (1.0, 2.0)
    return LogNorm(low, max(high, low)) if shades.log else Normalize(low, max(high, low + 1e-9))


def _draw_bars(axes: Axes, mark: spec.Bars, scale: Normalize | None) -> None:
    values, base = _numbers(mark.values), np.broadcast_to(mark.base, len(mark.values))
    error: dict[str, Any] = (
        {} if mark.half is None else {"xerr" if mark.lying else "yerr": _numbers(mark.half)}
    )
    look: dict[str, Any] = {"capsize": 1 if mark.lying else 2, "error_kw": {"linewidth": 0.8}, **_named(mark)}
    hatch = _HATCHES[mark.hatch % len(_HATCHES)]
    (axes.barh if mark.lying else axes.bar)(
        mark.at, values - base, mark.width, base, hatch=hatch, **error, **look
    )


def _draw_curve(axes: Axes, mark: spec.Curve, scale: Normalize | None) -> None:
    x, y = _numbers(mark.x), _numbers(mark.y)
    look: dict[str, Any] = {"linestyle": _LINES[mark.line], "linewidth": mark.width, **_named(mark)}
    if mark.step:
        axes.step(x, y, where="post", **look)
        return
    errors: dict[str, Any] = {
        key: _numbers(half) for key, half in (("yerr", mark.half), ("xerr", mark.half_x)) if half is not None
    }
    look |= {"marker": mark.mark, "markersize": mark.size, "clip_on": mark.line != "" or not len(x)}
    look |= {"markerfacecolor": "none"} if mark.hollow else {}
    if errors:
        axes.errorbar(x, y, capsize=1.5, elinewidth=0.8, **errors, **look)
    else:
        axes.plot(x, y, **look)


def _draw_boxes(axes: Axes, mark: spec.Boxes, scale: Normalize | None) -> None:
    x0, x1, y0, y1 = (np.asarray(ends, float) for ends in (mark.x0, mark.x1, mark.y0, mark.y1))
    values = _shaded(mark)
    corners = np.stack([x0, y0, x1, y0, x1, y1, x0, y1], axis=1).reshape(-1, 4, 2)
    named = _named(mark)
    colours = named.pop("color")
    if len(values) and scale is not None:
        colours = np.where(
            np.isfinite(values)[:, None],
            SHADES(scale(np.where(np.isfinite(values), values, 0.0))),
            (0.7, 0.7, 0.7, 1.0),
        )
    edge = 0.3 if mark.edge and len(x0) < 3_000 else 0.0
    drawn = PolyCollection(
        list(corners), facecolors=colours, edgecolors="white" if edge else "none", linewidths=edge,
        rasterized=len(x0) > _RASTER, **named,
    )  # fmt: skip
    axes.add_collection(drawn)
    axes.autoscale_view()


def _draw_links(axes: Axes, mark: spec.Links, scale: Normalize | None) -> None:
    ends = np.stack([np.asarray(end, float) for end in (mark.x0, mark.y0, mark.x1, mark.y1)], axis=1)
    values, named = _shaded(mark), _named(mark)
    colours = named.pop("color")
    if len(values) and scale is not None:
        order = np.argsort(values, kind="stable")  # the largest on top
        ends, values = ends[order], values[order]
        colours = np.where((values > 0)[:, None], SHADES(scale(values)), (0.9, 0.9, 0.9, 1.0))
    drawn = LineCollection(
        list(ends.reshape(-1, 2, 2)), colors=colours, linewidths=mark.width, rasterized=len(ends) > _RASTER,
        capstyle="butt", **named,
    )  # fmt: skip
    axes.add_collection(drawn)
    axes.autoscale_view()


def _draw_cells(axes: Axes, mark: spec.Cells, scale: Normalize | None) -> None:
    x, y = np.asarray(mark.x, int), np.asarray(mark.y, int)
    if mark.colours is not None:
        image = np.ones((mark.tall, mark.wide, 3))
        image[y, x] = mark.colours
    else:
        assert scale is not None
        image = np.zeros((mark.tall, mark.wide, 4))
        image[y, x] = SHADES(scale(_shaded(mark)))
        if mark.opacity is not None:
            image[y, x, 3] = mark.opacity
    axes.imshow(image, origin="lower", aspect="auto", extent=mark.extent, interpolation="nearest")


def _draw_rule(axes: Axes, mark: spec.Rule, scale: Normalize | None) -> None:
    look = _named(mark)
    if mark.until is not None:
        (axes.axhspan if mark.lying else axes.axvspan)(mark.at, mark.until, zorder=0, linewidth=0, **look)
    else:
        (axes.axhline if mark.lying else axes.axvline)(mark.at, linewidth=mark.width, **look)


def _draw_words(axes: Axes, mark: spec.Words, scale: Normalize | None) -> None:
    place = {"ha": "left", "va": "bottom"} if mark.corner else {"ha": "center", "va": "center"}
    for x, y, text in zip(mark.x, mark.y, mark.texts, strict=True):
        axes.text(x, y, text, color=_colour(mark.colour), fontsize="small", clip_on=True, **place)  # type: ignore[arg-type]


_DRAWN: dict[type[spec.Mark], Callable[[Axes, Any, Normalize | None], None]] = {
    spec.Bars: _draw_bars,
    spec.Curve: _draw_curve,
    spec.Boxes: _draw_boxes,
    spec.Links: _draw_links,
    spec.Cells: _draw_cells,
    spec.Rule: _draw_rule,
    spec.Words: _draw_words,
}
