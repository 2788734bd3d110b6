"""The page of what a command printed with --json where it has no page of its own: its numbers and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from netplace.report.pages.figures import DataTable, Figure
from netplace.report.pages.html import Page
from netplace.report.pages.kinds.saved import saved_object, versions_of

__all__ = ["page", "recognises"]

_LONGEST = 200  # characters of a cell
_SENTENCES = 5


def recognises(path: Path) -> bool:
    """Tell whether a file holds an object, of whatever command."""
    return path.suffix.lower() == ".json" and path.is_file() and bool(saved_object(path))


def page(path: Path) -> Page:
    """Return the page of an object: lists of objects as tables, the rest as figures."""
    found = saved_object(path)
    parts: list[DataTable | Figure] = []
    plain: dict[str, Any] = {}
    for name, value in found.items():
        if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
            parts.append(_table(name, value))
        elif name != "versions":
            plain[name] = value
    rows = [[name, value] for name, value in _flat(plain).items() if value not in (None, "", "[]")]
    if rows:
        parts.append(DataTable("Figures", ["figure", "value"], rows))
    said = [f"{_words(name)}: {_text(value)}" for name, value in rows if "." not in name][:_SENTENCES]
    said.append("A command printed this; it has no page of its own.")
    return Page(path.name, said, versions_of(found.get("versions")), parts)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _text(value: Any) -> str:
    return f"{value:,.6g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value


def _table(name: str, rows: Sequence[Mapping[str, Any]]) -> DataTable:
    flat = [_flat(row) for row in rows]
    columns = list(dict.fromkeys(key for row in flat for key in row))
    return DataTable(name.replace("_", " "), columns, [[row.get(key) for key in columns] for row in flat])


def _flat(row: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            found |= _flat(value, f"{prefix}{name}.")
        else:
            found[prefix + name] = _cell(value)
    return found


def _cell(value: Any) -> Any:
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
