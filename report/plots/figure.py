"""What a figure is: panels of marks on axes, the same for a page, a picture and a notebook.

Two back ends draw it: `netplace.report.plots.drawing` with Matplotlib, and ``report/pages/assets/figures.js``
with ECharts. A figure holds data and meaning alone; fonts, margins and legends belong to the back ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

# Distinct for readers with impaired colour vision: M. Okabe and K. Ito, Color Universal Design (2008); the
# yellow, pale on white, comes last.
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#444444", "#F0E442"]
# From little to much: the darkest shade stands for the largest value.
SHADED = ("#dcebc9", "#8fd0a5", "#3a9c9c", "#31688e", "#440154")
FREE, PALE, HELD, INK = "#e3e6ea", "#b0b6bd", "#8a8a8a", "#444444"

Values = Any  # a sequence or an array of numbers; None and NaN: not known
Colour = int | str  # a place in `COLOURS`, or "#rrggbb"


@dataclass(frozen=True, kw_only=True)
class Axis:
    label: str = ""  # what it shows, with its unit
    names: Sequence[str] = ()  # names that stand at 0, 1, ..; empty: numbers
    # ``linear``, ``log``, ``log2`` or ``symlog`` (which a page, where one can zoom, shows as ``linear``).
    scale: str = "linear"
    ticks: Sequence[float] = ()  # where numbers stand; empty: where the back end puts them
    # Ends; None: those of the data.
    low: float | None = None
    high: float | None = None
    down: bool = False  # whether it runs downwards, or from right to left
    # Whether it has grid lines, is left out, and has whole numbers only.
    grid: bool = False
    hidden: bool = False
    whole: bool = False


@dataclass(frozen=True, kw_only=True)
class Mark:
    """Marks of one kind and one meaning."""

    label: str = ""  # its name in the legend; empty: none
    colour: Colour = 0  # a place in `COLOURS`, or ``"#rrggbb"``
    alpha: float = 1.0  # opacity
    tips: Sequence[str] = ()  # what a page shows of each element under the pointer; empty: its numbers


@dataclass(frozen=True, kw_only=True)
class Bars(Mark):
    """Bars, with half-widths of intervals."""

    # Where each bar stands, and its end.
    at: Values
    values: Values
    half: Values = None  # half of the interval around each value
    width: float = 0.8  # of a bar
    base: Any = 0.0  # where bars begin
    lying: bool = False  # whether bars run along X
    hatch: int = 0  # which of some patterns fills them, where there are more series than colours


@dataclass(frozen=True, kw_only=True)
class Curve(Mark):
    """Points, joined by a line or not, with intervals."""

    # The points.
    x: Values
    y: Values
    # Half of the interval around each y, and around each x; two rows: the parts below and above.
    half: Values = None
    half_x: Values = None
    line: str = "solid"  # ``solid``, ``dashed``, ``dotted``, or empty: none
    mark: str = "o"  # matplotlib's name of the mark at each point, or empty: none
    step: bool = False  # whether a value holds until the next one
    # Of marks and lines, in points.
    size: float = 4.0
    width: float = 1.2
    hollow: bool = False  # whether marks are outlines


@dataclass(frozen=True, kw_only=True)
class Boxes(Mark):
    """Rectangles, each in the color of the mark or in the shade of its value."""

    # Their ends.
    x0: Values
    x1: Values
    y0: Values
    y1: Values
    values: Values = None  # what their shades show; NaN: grey
    edge: bool = False  # whether each has an outline, so that neighbours of one colour are told apart


@dataclass(frozen=True, kw_only=True)
class Links(Mark):
    """Straight lines, each in the color of the mark or in the shade of its value."""

    # Their ends.
    x0: Values
    y0: Values
    x1: Values
    y1: Values
    values: Values = None  # shape (links,): what their shades show
    width: float = 1.0  # in points
    by_value: bool = False  # whether a page draws lines of larger values thicker


@dataclass(frozen=True, kw_only=True)
class Cells(Mark):
    """Cells of a grid, each in its own color or in the shade of its value."""

    # Column and row of each cell.
    x: Values
    y: Values
    # Columns and rows of the grid.
    wide: int
    tall: int
    values: Values = None  # what their shades show
    colours: Any = None  # shape (cells, 3): red, green and blue of each cell, 0..1, if there are no values
    opacity: Values = None  # of each cell
    # First and last x and y of the grid; by default its column and row are the centre of each cell.
    extent: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, kw_only=True)
class Rule(Mark):
    """A line across a panel, or a band."""

    at: float  # where it stands
    until: float | None = None  # where the band ends
    lying: bool = False  # whether it runs along X
    width: float = 0.8  # of a line, in points
    colour: Colour = INK


@dataclass(frozen=True, kw_only=True)
class Words(Mark):
    # Where each stands.
    x: Values
    y: Values
    texts: Sequence[str]
    corner: bool = False  # whether a text stands to the upper right of its place, rather than centred on it
    colour: Colour = "#000000"


@dataclass(frozen=True, kw_only=True)
class Shades:
    label: str  # what the values are, with their unit
    # Ends of the scale; None: those of the data.
    low: float | None = None
    high: float | None = None
    log: bool = False  # whether the scale is logarithmic


@dataclass(frozen=True, kw_only=True)
class Panel:
    marks: Sequence[Mark]  # from back to front
    # The axes.
    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    title: str = ""  # what the panel shows
    shades: Shades | None = None  # what shades show
    equal: bool = False  # whether both axes have one scale
    weight: tuple[float, float] = (1.0, 1.0)  # width and height, relative to those of other panels


@dataclass(frozen=True, kw_only=True)
class Figure:
    """Panels with a title and a caption."""

    title: str  # what it shows
    panels: Sequence[Panel]  # from left to right, row by row
    caption: str = ""  # how to read it
    # What intervals are, as in ``"95 % intervals over the seeds"``; needed where any are drawn.
    whiskers: str = ""
    columns: int = 1  # panels side by side
    height: float = 3.6  # in inches of a picture, which is 7 inches wide; a page gives an inch 100 pixels
    # Whether all panels have one X axis, or one Y axis.
    share_x: bool = False
    share_y: bool = False
    # Label of all X axes, and of all Y axes together.
    x: str = ""
    y: str = ""
    narrow: bool = False  # whether a picture is as wide as a column of a paper
    frames: Sequence[str] = ()  # what can be looked at, one at a time; a picture has the first

    def __post_init__(self) -> None:
        """Refuse a figure with intervals that does not say what they are."""
        if not self.panels:
            raise ValueError(f"figure {self.title!r}: nothing to draw, expected at least one panel")
        if self.has_intervals and not self.whiskers:
            raise ValueError(f"figure {self.title!r}: has intervals, expected `whiskers` with their meaning")

    @property
    def has_intervals(self) -> bool:
        return any(
            half is not None
            and any(value is not None and value == value and value > 0 for value in np.ravel(half))
            for panel in self.panels
            for mark in panel.marks
            for half in (getattr(mark, "half", None), getattr(mark, "half_x", None))
        )

    @property
    def explained(self) -> str:
        """The caption, with what whiskers are if there are any."""
        text = f"Whiskers: {self.whiskers}." if self.has_intervals else ""
        return " ".join(filter(None, (self.caption, text)))
