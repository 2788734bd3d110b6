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


def html_bars(title: str, rows: Sequence[tuple[str, float, float]]) -> str:
    """Return bars with names, lengths, and half-widths of intervals."""
    most = max((value + half for _, value, half in rows), default=0.0) or 1.0
    room = _WIDE - _NAMES - 80
    drawn = []
    for place, (name, value, half) in enumerate(rows):
        y, right = place * _TALL, _NAMES + room * value / most
        low, high = (_NAMES + room * (value + side * half) / most for side in (-1, 1))
        drawn.append(
            f"<text x='{_NAMES - 6}' y='{y + 13}' text-anchor='end'>{escaped(name)}</text>"
            f"<rect x='{_NAMES}' y='{y + 2}' width='{right - _NAMES:.1f}' height='{_TALL - 5}' "
            f"fill='rgb{_BLUE}'/>"
            f"<text x='{high + 5:.1f}' y='{y + 13}'>{escaped(_text(value))}</text>"
        )
        if half:
            drawn.append(f"<path d='M{low:.1f} {y + 9}H{high:.1f}' stroke='currentColor'/>")
    return _svg(title, _WIDE, _TALL * len(rows), "".join(drawn))


def html_matrix(title: str, values: Sequence[Sequence[float]]) -> str:
    """Return a matrix of squares that are darker for larger values, with the value on hover."""
    size = max(1, 320 // max(1, len(values)))
    most = max((value for row in values for value in row), default=0.0) or 1.0
    drawn = "".join(
        f"<rect x='{column * size}' y='{row * size}' width='{size}' height='{size}' fill='rgb{_BLUE}' "
        f"fill-opacity='{0.1 + 0.9 * value / most:.2f}'>"
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
