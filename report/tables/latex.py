"""Tables as LaTeX, in the ``tabular`` environment without packages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from netplace.report.tables.data_table import DataTable

_ESCAPED = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def latex(tables: Sequence[DataTable]) -> str:
    """Return tables as LaTeX, each after a comment with its title; columns of texts are on the left."""
    return "\n".join(map(_tabular, tables))


def _tabular(table: DataTable) -> str:
    columns = range(len(table.columns))
    sides = "".join("l" if any(isinstance(row[at], str) for row in table.rows) else "r" for at in columns)
    digits: Sequence[int | None] = table.digits or [None] * len(table.columns)
    lines = [_line([_text(name) for name in table.columns]), r"\hline"]
    lines += [_line([_cell(row[at], digits[at]) for at in columns]) for row in table.rows]
    title = " ".join(table.title.split())
    return "\n".join([f"% {title}", rf"\begin{{tabular}}{{{sides}}}", *lines, r"\end{tabular}", ""])


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _cell(value: Any, digits: int | None) -> str:
    if value is None:
        return "--"
    if isinstance(value, str):
        return _text(value)
    return f"{value:.6g}" if digits is None else f"{value:,.{digits}f}"


def _text(value: str) -> str:
    return "".join(_ESCAPED.get(character, character) for character in value)
