"""What notebooks show of a result: a small table in HTML."""

from __future__ import annotations

import html
from collections.abc import Iterable

__all__ = ["html_table"]


def html_table(title: str, rows: Iterable[tuple[str, object]]) -> str:
    """Return a table of names and values; numbers with thousands marked, everything escaped."""
    cells = "".join(
        f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
        f"<td style='text-align:right'>{html.escape(_text(value))}</td></tr>"
        for name, value in rows
    )
    return f"<table><caption>{html.escape(title)}</caption>{cells}</table>"


def _text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if value != value:
        return "-"
    return (
        f"{value:,}" if isinstance(value, int) else f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    )
