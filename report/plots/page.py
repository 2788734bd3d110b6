"""How all pictures look, and how they are written."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from warnings import catch_warnings, filterwarnings

from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import FixedFormatter, Formatter, FuncFormatter, LogFormatter

from netplace.inputs import printable
from netplace.report.plots.figure import COLOURS, SHADED

# From little to much, on white paper.
SHADES = LinearSegmentedColormap.from_list("netplace", list(SHADED))
STYLE: dict[Any, Any] = {
    "axes.prop_cycle": f"cycler('color', {COLOURS})",
    "axes.titlesize": "medium",
    "figure.titlesize": "large",
    "legend.fontsize": "small",
    "xtick.labelsize": "small",
    "ytick.labelsize": "small",
    "figure.constrained_layout.use": True,
    "pdf.fonttype": 42,  # real fonts: publishers refuse Type 3
    "ps.fonttype": 42,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "netplace",  # the same names of parts in every run
    "hatch.linewidth": 0.5,
}
# The same picture is the same bytes, whenever it is drawn.
UNDATED: dict[str, dict[str, Any]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
# Widths in inches and size of text in points: "small", 0.83 of it, is the least that is used.
WIDTH = 7.0
_LETTER, _HANDLE = 0.06, 0.6  # width of a letter, and of what stands before a name in a legend
PAGE, COLUMN = (WIDTH, 8.0), (3.5, 7.5)


@contextmanager
def as_written(figure: Figure) -> Iterator[None]:
    """Show names literally: a $ is a $, control characters are escapes; exponents of axes stay."""
    _take_literally(figure)
    with catch_warnings():
        filterwarnings("ignore", "Glyph .* missing")
        filterwarnings("ignore", "Matplotlib currently does not support")  # scripts that join letters
        filterwarnings("ignore", "constrained_layout not applied")  # names so long that little is left
        yield


def explain(figure: Figure, xlabel: str = "", columns: int = 6) -> None:
    """Put the legend of all panels below the axes, and the common label of the x axes above it."""
    known: dict[str, Any] = {}
    for axes in figure.axes:
        handles, names = axes.get_legend_handles_labels()
        known |= dict(zip(names, handles, strict=True))
    if len(known) < 2:
        figure.supxlabel(xlabel, fontsize="medium")
        return
    room = figure.get_figwidth() / (_LETTER * max(map(len, known)) + _HANDLE)
    figure.legend(
        list(known.values()),
        list(known),
        loc="outside lower center",
        ncols=max(1, min(columns, len(known), int(room))),
        frameon=False,
        title=xlabel or None,
        title_fontsize="medium",
    )


def wrap_title(figure: Figure, points: float) -> None:
    """Break the title of a figure into lines that are no wider than it is."""
    if title := figure.get_suptitle():
        room = int(72 * figure.get_figwidth() / (0.6 * 1.2 * points))
        figure.suptitle("\n".join(textwrap.fill(line, room) for line in title.splitlines()))


def _take_literally(figure: Figure) -> None:
    powers: set[int] = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if isinstance(axis.get_major_formatter(), LogFormatter):
                powers |= {id(label) for label in axis.get_ticklabels(which="both")}
            axis.set_major_formatter(_printing(axis.get_major_formatter()))
            axis.set_minor_formatter(_printing(axis.get_minor_formatter()))
    for text in figure.findobj(Text):
        if isinstance(text, Text) and id(text) not in powers:
            text.set_parse_math(False)
            text.set_text(printable(text.get_text()))


def _printing(formatter: Formatter) -> Formatter:
    """Return what writes names along an axis so that all can be printed; as it is if it writes numbers."""
    if not isinstance(formatter, FixedFormatter | FuncFormatter):
        return formatter
    return FuncFormatter(lambda value, place: printable(formatter(value, place)))
