"""Results in notebooks: a small table, bars or a matrix, as self-contained HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from netplace.inputs import escaped

_BLUE = (0, 114, 178)  # first of the palette of all pictures
_WIDE, _TALL, _NAMES = 520, 18, 200  # pixels: of bars, a row, and its name


def html_table(title: str, rows: Iterable[tuple[str, object]]) -> str:
    """Return a table of names and values; numbers with thousands marked, everything escaped."""
    cells = "".join(
        f"<tr><th style='text-align:left'>{escaped(name)}</th>"
        f"<td style='text-align:right'>{escaped(_text(value))}</td></tr>"
        for name, value in rows
    )
    return f"<table><caption>{escaped(title)}</caption>{cells}</table>"


def html_matrix(title: str, values: Sequence[Sequence[float]]) -> str:
    """Return a matrix of squares that are darker for larger values, with the value on hover."""
    size = max(1, 320 // max(1, len(values)))
    maximum = max((value for row in values for value in row), default=0.0) or 1.0
    drawn = "".join(
        f"<rect x='{column * size}' y='{row * size}' width='{size}' height='{size}' fill='rgb{_BLUE}' "
        f"fill-opacity='{0.1 + 0.9 * value / maximum:.2f}'>"
        f"<title>{row} to {column}: {_text(value)}</title></rect>"
        for row, line in enumerate(values)
        for column, value in enumerate(line)
        if value > 0
    )
    return _svg(title, size * len(values), size * len(values), drawn)


def _svg(title: str, width: int, height: int, drawn: str) -> str:
    name = escaped(title)
    return (
        f"<figure><figcaption>{name}</figcaption><svg role='img' aria-label='{name}' width='{width}' "
        f"height='{height}' font-size='12' fill='currentColor'>{drawn}</svg></figure>"
    )


def _text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if value != value:
        return "-"
    return (
        f"{value:,}" if isinstance(value, int) else f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    )
