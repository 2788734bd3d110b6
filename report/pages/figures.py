"""Tables and figures of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "Bars",
    "DataTable",
    "Figure",
    "Gantt",
    "Intervals",
    "Lines",
    "Listing",
    "Matrix",
    "NetworkMap",
    "Picture",
    "Places",
    "Timeline",
]


@dataclass(frozen=True)
class DataTable:
    """A table that can be sorted, filtered and taken away as CSV.

    Attributes
    ----------
    title : str
        What it holds.
    columns : sequence of str
        Headings, with units.
    rows : sequence of sequences
        Texts, numbers or None.
    note : str
        What a reader has to know.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""


@dataclass(frozen=True)
class Listing:
    """The text of a file, line by line.

    Attributes
    ----------
    title : str
        Name of the file.
    text : str
        Its text.
    """

    title: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A picture with values under the pointer.

    Attributes
    ----------
    title : str
        What it shows.
    caption : str
        How it is to be read.
    height : int
        In pixels.
    """

    title: str
    caption: str = ""
    height: int = 360


@dataclass(frozen=True, kw_only=True)
class Bars(Figure):
    """Bars in groups, with half-widths of intervals.

    Attributes
    ----------
    groups : sequence of str
        Along the axis.
    series : mapping
        By name, a value for each group, or None.
    half_widths : mapping
        By name of a series, half of the interval around each value, or None.
    unit : str
        What the values are.
    base : float
        Where bars begin.
    """

    groups: Sequence[str]
    series: Mapping[str, Sequence[float | None]]
    half_widths: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    unit: str = ""
    base: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Intervals(Figure):
    """A mark with its interval for each name, one below the other.

    Attributes
    ----------
    names : sequence of str
        From top to bottom.
    values, half_widths : sequence of float, or None
        Where the mark is, and half of the interval around it.
    groups : sequence of str
        Which group each belongs to: the color of its mark.
    unit : str
        What the values are.
    """

    names: Sequence[str]
    values: Sequence[float]
    half_widths: Sequence[float | None]
    groups: Sequence[str]
    unit: str


@dataclass(frozen=True, kw_only=True)
class Lines(Figure):
    """Curves, or steps.

    Attributes
    ----------
    series : mapping
        By name, points (x, y) or (x, y, half-width).
    x, y : str
        What the axes are, with units.
    step : bool
        Whether a value holds until the next one.
    """

    series: Mapping[str, Sequence[Sequence[float]]]
    x: str
    y: str
    step: bool = False


@dataclass(frozen=True, kw_only=True)
class Gantt(Figure):
    """Which nodes were held when.

    Attributes
    ----------
    boxes : sequence of (float, float, float, float, float or None, int)
        Begin, end, first node, last node plus one, value that gives the color, and place in `labels`.
    labels : sequence of str
        What the pointer tells of each job.
    x, value : str
        What time and colors are, with units.
    nodes : int
        Nodes of the machine.
    """

    boxes: Sequence[Sequence[float | None]]
    labels: Sequence[str]
    x: str
    value: str
    nodes: int


@dataclass(frozen=True, kw_only=True)
class Matrix(Figure):
    """Values by row and column.

    Attributes
    ----------
    rows, columns : sequence of str
        Their names.
    cells : sequence of (int, int, float)
        Row, column and value.
    value, x, y : str
        What values, columns and rows are.
    course : sequence of (int, int, int, float)
        Window of time, row, column and value: shown of a row that is clicked or chosen; none: no choice.
    window : float
        Length of a window.
    time : str
        What time is, with its unit.
    where : sequence of (int, str, int or None, float)
        Row, name of a place, column and value: on which places most of a row is.
    hint : str
        What tells more of a row for which there is no `where`, as text with ``{row}`` for its name.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Sequence[float]]
    value: str
    x: str
    y: str
    course: Sequence[Sequence[float]] = ()
    window: float = 1.0
    time: str = ""
    where: Sequence[Sequence[Any]] = ()
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class NetworkMap(Figure):
    """The load of links where they stand on the network.

    Attributes
    ----------
    routers : sequence of (float, float)
        Where routers stand.
    links : sequence of (float, float, float, float)
        Ends of the line that stands for each link.
    names : sequence of str
        Name of each link.
    loads : sequence of sequences of float
        A value for each link, for each window of time.
    windows : sequence of str
        Names of the windows.
    value : str
        What the values are.
    """

    routers: Sequence[Sequence[float]]
    links: Sequence[Sequence[float]]
    names: Sequence[str]
    loads: Sequence[Sequence[float]]
    windows: Sequence[str]
    value: str


@dataclass(frozen=True, kw_only=True)
class Timeline(Figure):
    """Tasks and messages over time, and the critical path through them.

    Attributes
    ----------
    rows : sequence of str
        What each row of the picture is: a task, by job.
    tasks : sequence of (float, float, int)
        Begin, end and row.
    messages : sequence of (float, float, int, int, int)
        First and last time, row of the sender and of the receiver, bytes.
    path : sequence of (float, float, int, int)
        Begin, end, row, and place in `components` of each stretch of the critical path, in order.
    components : sequence of str
        What a stretch may be spent on.
    x : str
        What time is, with its unit.
    """

    rows: Sequence[str]
    tasks: Sequence[Sequence[float]]
    messages: Sequence[Sequence[float]]
    path: Sequence[Sequence[float]]
    components: Sequence[str]
    x: str


@dataclass(frozen=True, kw_only=True)
class Places(Figure):
    """Nodes of a machine where they stand, and those that each of several choices takes.

    Attributes
    ----------
    places : sequence of (float, float)
        Where each node stands, from left to right and from top to bottom.
    held : sequence of int
        Nodes that others hold.
    choices : sequence of str
        Names of the choices, one of which is shown at a time.
    chosen : sequence of sequences of int
        The nodes of each choice.
    """

    places: Sequence[Sequence[float]]
    held: Sequence[int]
    choices: Sequence[str]
    chosen: Sequence[Sequence[int]]


@dataclass(frozen=True, kw_only=True)
class Picture(Figure):
    """A picture that is there already.

    Attributes
    ----------
    content : bytes
        PNG or SVG.
    kind : str
        Its media type.
    """

    content: bytes
    kind: str
