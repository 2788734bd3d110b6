"""How all pictures look, and how they are written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from warnings import catch_warnings, filterwarnings

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import FixedFormatter, LogFormatter

from netplace.checks import printable
from netplace.report.files.outputs import whole_file

__all__ = ["COLOURS", "page"]

# Told apart by people who see few colours: M. Okabe and K. Ito, Color Universal Design (2008); the yellow,
# pale on white, comes last.
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#444444", "#F0E442"]
_STYLE: dict[Any, Any] = {
    "axes.prop_cycle": f"cycler('color', {COLOURS})",
    "figure.constrained_layout.use": True,
    "pdf.fonttype": 42,  # real fonts: publishers refuse Type 3
    "ps.fonttype": 42,
    "svg.fonttype": "none",  # text stays text
    "hatch.linewidth": 0.5,
}
_COLUMN = 3.5  # inches, a column of a two-column paper


@contextmanager
def page(
    path: Path, width: float, height: float, *, column: bool = False, dpi: int = 150
) -> Iterator[Figure]:
    """Give a figure to draw on; it is written, whole or not at all, when that went well.

    Parameters
    ----------
    path : Path
        The picture (png, pdf or svg). PDF and SVG hold text as text, in fonts that may be embedded anywhere.
    width, height : float
        In inches.
    column : bool
        Make it as wide as a column of a paper instead, its text 7 points high, and as much lower.
    dpi : int
        Resolution of a PNG.
    """
    size, points = (width, height), 10.0
    if column:
        size, points = (_COLUMN, max(2.1, height * min(1.0, 1.3 * _COLUMN / width))), 7.0
        dpi = max(dpi, 300)
    with rc_context(_STYLE | {"font.size": points}):
        figure = Figure(figsize=size)
        yield figure
        _as_written(figure)
        with whole_file(path) as temporary, catch_warnings():
            filterwarnings("ignore", "Glyph .* missing")  # of a name in a script that the font does not have
            filterwarnings("ignore", "constrained_layout not applied")  # names so long that little is left
            figure.savefig(temporary, dpi=dpi)


def _as_written(figure: Figure) -> None:
    """Let names be what they are: a $ in the name of a trace is a $; but powers on logarithms stay powers."""
    powers: set[int] = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            formatter = axis.get_major_formatter()
            if isinstance(formatter, LogFormatter):
                powers |= {id(label) for label in axis.get_ticklabels(which="both")}
            elif isinstance(formatter, FixedFormatter):
                formatter.seq = [printable(name) for name in formatter.seq]
    for text in figure.findobj(Text):
        if isinstance(text, Text) and id(text) not in powers:
            text.set_parse_math(False)
            text.set_text(printable(text.get_text()))
