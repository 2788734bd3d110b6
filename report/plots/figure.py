"""What a figure is: panels of marks on axes, the same for a page, a picture and a notebook.

Two back ends draw it: `netplace.report.plots.drawing` with Matplotlib, and ``report/pages/assets/figures.js``
with ECharts. A figure holds data and meaning alone; fonts, margins and legends belong to the back ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "COLOURS",
    "FREE",
    "HELD",
    "INK",
    "PALE",
    "SHADED",
    "Axis",
    "Bars",
    "Boxes",
    "Cells",
    "Curve",
    "Detail",
    "Figure",
    "Links",
    "Mark",
    "Panel",
    "Rule",
    "Shades",
    "Words",
]

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
    """An axis of a panel.

    Attributes
    ----------
    label : str
        What it shows, with its unit.
    names : sequence of str
        Names that stand at 0, 1, ..; empty: numbers.
    scale : str
        ``linear``, ``log``, ``log2`` or ``symlog`` (which a page, where one can zoom, shows as ``linear``).
    ticks : sequence of float
        Where numbers stand; empty: where the back end puts them.
    low, high : float or None
        Ends; None: those of the data.
    down : bool
        Whether it runs downwards, or from right to left.
    grid, hidden, whole : bool
        Whether it has grid lines, is left out, and has whole numbers only.
    """

    label: str = ""
    names: Sequence[str] = ()
    scale: str = "linear"
    ticks: Sequence[float] = ()
    low: float | None = None
    high: float | None = None
    down: bool = False
    grid: bool = False
    hidden: bool = False
    whole: bool = False


@dataclass(frozen=True, kw_only=True)
class Mark:
    """Marks of one kind and one meaning.

    Attributes
    ----------
    label : str
        Its name in the legend; empty: none.
    colour : int or str
        A place in `COLOURS`, or ``"#rrggbb"``.
    alpha : float
        Opacity.
    tips : sequence of str
        What a page shows of each element under the pointer; empty: its numbers.
    """

    label: str = ""
    colour: Colour = 0
    alpha: float = 1.0
    tips: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Bars(Mark):
    """Bars, with half widths of intervals.

    Attributes
    ----------
    at, values : array_like of float
        Where each bar stands, and its end.
    half : array_like of float, optional
        Half of the interval around each value.
    width : float
        Of a bar.
    base : float or array_like of float
        Where bars begin.
    lying : bool
        Whether bars run along X.
    hatch : int
        Which of some patterns fills them, where there are more series than colours.
    """

    at: Values
    values: Values
    half: Values = None
    width: float = 0.8
    base: Any = 0.0
    lying: bool = False
    hatch: int = 0


@dataclass(frozen=True, kw_only=True)
class Curve(Mark):
    """Points, joined by a line or not, with half widths of intervals.

    Attributes
    ----------
    x, y : array_like of float
        The points.
    half, half_x : array_like of float, optional
        Half of the interval around each y, and around each x.
    line : str
        ``solid``, ``dashed``, ``dotted``, or empty: none.
    mark : str
        Matplotlib's name of the mark at each point, or empty: none.
    step : bool
        Whether a value holds until the next one.
    size, width : float
        Of marks and lines, in points.
    hollow : bool
        Whether marks are outlines.
    """

    x: Values
    y: Values
    half: Values = None
    half_x: Values = None
    line: str = "solid"
    mark: str = "o"
    step: bool = False
    size: float = 4.0
    width: float = 1.2
    hollow: bool = False


@dataclass(frozen=True, kw_only=True)
class Boxes(Mark):
    """Rectangles, each of the mark's colour or in the shade of its value.

    Attributes
    ----------
    x0, x1, y0, y1 : array_like of float
        Their ends.
    values : array_like of float, optional
        What their shades show; NaN: grey.
    edge : bool
        Whether each has an outline, so that neighbours of one colour are told apart.
    shown : sequence of sequences of int
        Which ones each frame of the figure shows; empty: all.
    """

    x0: Values
    x1: Values
    y0: Values
    y1: Values
    values: Values = None
    edge: bool = False
    shown: Sequence[Sequence[int]] = ()


@dataclass(frozen=True, kw_only=True)
class Links(Mark):
    """Straight lines, each of the mark's colour or in the shade of its value.

    Attributes
    ----------
    x0, y0, x1, y1 : array_like of float
        Their ends.
    values : array_like of float, shape (links,) or (frames, links), optional
        What their shades show.
    width : float
        In points.
    by_value : bool
        Whether a page draws lines of larger values thicker.
    """

    x0: Values
    y0: Values
    x1: Values
    y1: Values
    values: Values = None
    width: float = 1.0
    by_value: bool = False


@dataclass(frozen=True, kw_only=True)
class Cells(Mark):
    """Cells of a grid, each in a colour of its own or in the shade of its value.

    Attributes
    ----------
    x, y : array_like of int
        Column and row of each cell.
    wide, tall : int
        Columns and rows of the grid.
    values : array_like of float, optional
        What their shades show.
    colours : array_like of float, shape (cells, 3), optional
        Red, green and blue of each cell, 0..1, if there are no values.
    opacity : array_like of float, optional
        Of each cell.
    extent : (float, float, float, float), optional
        First and last x and y of the grid; by default its column and row are the centre of each cell.
    """

    x: Values
    y: Values
    wide: int
    tall: int
    values: Values = None
    colours: Any = None
    opacity: Values = None
    extent: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, kw_only=True)
class Rule(Mark):
    """A line across a panel, or a band.

    Attributes
    ----------
    at : float
        Where it stands.
    until : float, optional
        Where the band ends.
    lying : bool
        Whether it runs along X.
    width : float
        Of a line, in points.
    """

    at: float
    until: float | None = None
    lying: bool = False
    width: float = 0.8
    colour: Colour = INK


@dataclass(frozen=True, kw_only=True)
class Words(Mark):
    """Texts.

    Attributes
    ----------
    x, y : array_like of float
        Where each stands.
    texts : sequence of str
        The texts.
    corner : bool
        Whether a text stands to the upper right of its place, rather than centred on it.
    """

    x: Values
    y: Values
    texts: Sequence[str]
    corner: bool = False
    colour: Colour = "#000000"


@dataclass(frozen=True, kw_only=True)
class Shades:
    """What shades show in a panel.

    Attributes
    ----------
    label : str
        What the values are, with their unit.
    low, high : float or None
        Ends of the scale; None: those of the data.
    log : bool
        Whether the scale is logarithmic.
    """

    label: str
    low: float | None = None
    high: float | None = None
    log: bool = False


@dataclass(frozen=True, kw_only=True)
class Panel:
    """Marks on two axes.

    Attributes
    ----------
    marks : sequence of Mark
        From back to front.
    x, y : Axis
        The axes.
    title : str
        What the panel shows.
    shades : Shades, optional
        What shades show.
    equal : bool
        Whether both axes have one scale.
    weight : (float, float)
        Width and height, relative to those of other panels.
    """

    marks: Sequence[Mark]
    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    title: str = ""
    shades: Shades | None = None
    equal: bool = False
    weight: tuple[float, float] = (1.0, 1.0)


@dataclass(frozen=True, kw_only=True)
class Detail:
    """What a page tells of a row of cells that a reader chooses.

    Attributes
    ----------
    verb, of : str
        What a row does to its columns, as in "job 3 *waited* for", and what the values are.
    course : sequence of (int, int, int, float)
        Window of time, row, column and value.
    window : float
        Length of a window.
    time : str
        What time is, with its unit.
    where : sequence of (int, str, int or None, float)
        Row, name of a place, column and value: in which places most of a row is.
    hint : str
        What tells more of a row for which there is no `where`; ``{row}`` stands for its name.
    """

    verb: str
    of: str
    course: Sequence[Sequence[float]]
    window: float = 1.0
    time: str = ""
    where: Sequence[Sequence[Any]] = ()
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """Panels with a title and a caption.

    Attributes
    ----------
    title : str
        What it shows.
    panels : sequence of Panel
        From left to right, row by row.
    caption : str
        How to read it.
    whiskers : str
        What intervals are, as in ``"95 % intervals over the seeds"``; needed where any are drawn.
    columns : int
        Panels side by side.
    height : float
        In inches of a picture, which is 7 inches wide; a page gives an inch 100 pixels.
    share_x, share_y : bool
        Whether all panels have one X axis, or one Y axis.
    x, y : str
        Label of all X axes, and of all Y axes together.
    narrow : bool
        Whether a picture is as wide as a column of a paper.
    frames : sequence of str
        What can be looked at, one at a time; a picture has the first.
    choose : bool
        Whether a reader chooses frames from a list, rather than moves through them.
    detail : Detail, optional
        What a page tells of a row.
    """

    title: str
    panels: Sequence[Panel]
    caption: str = ""
    whiskers: str = ""
    columns: int = 1
    height: float = 3.6
    share_x: bool = False
    share_y: bool = False
    x: str = ""
    y: str = ""
    narrow: bool = False
    frames: Sequence[str] = ()
    choose: bool = False
    detail: Detail | None = None

    def __post_init__(self) -> None:
        """Refuse a figure with intervals that does not say what they are."""
        if not self.panels:
            raise ValueError(f"figure {self.title!r}: there is nothing to draw, expected a panel at least")
        if self.has_intervals and not self.whiskers:
            raise ValueError(
                f"figure {self.title!r}: has intervals, expected `whiskers` to say what they are"
            )

    @property
    def has_intervals(self) -> bool:
        """Whether any mark has an interval."""
        return any(
            half is not None and any(value is not None and value == value and value > 0 for value in half)
            for panel in self.panels
            for mark in panel.marks
            for half in (getattr(mark, "half", None), getattr(mark, "half_x", None))
        )

    @property
    def explained(self) -> str:
        """The caption, with what whiskers are if there are any."""
        said = f"Whiskers: {self.whiskers}." if self.has_intervals else ""
        return " ".join(filter(None, (self.caption, said)))
