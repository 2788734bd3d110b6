"""Cells of CSV that spreadsheets would take for formulas, as text: names of others must not compute anything.

A cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a return and is no number gets an apostrophe
before it, by which spreadsheets know text. What netplace reads of CSV goes without it. So that every name
comes back, one that begins with apostrophes before such a character gets one more.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netplace.checks.writing import whole_file

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["as_cell", "as_read", "frame_as_read", "write_frame", "write_rows"]

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?inf(inity)?", re.ASCII | re.IGNORECASE)


def as_cell(value: object) -> object:
    """Return what is written for a value; all but some texts are what they are."""
    if isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def as_read(cell: Any) -> Any:
    """Return the value that a cell was written for."""
    if isinstance(cell, str) and cell.startswith("'") and _FORMULA.match(cell):
        return cell[1:]
    return cell


def frame_as_read(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table of cells as the values that they were written for."""
    return _changed(frame, as_read)


def write_frame(frame: pd.DataFrame, path: Path) -> None:
    """Write a table as CSV, whole or not at all."""
    with whole_file(path) as draft:
        _changed(frame, as_cell).to_csv(draft, index=False, lineterminator="\n")


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Iterable[object]]) -> None:
    """Write rows as CSV, whole or not at all, as they come."""
    with whole_file(path) as draft, draft.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(map(as_cell, columns))
        writer.writerows(map(as_cell, row) for row in rows)


def _changed(frame: pd.DataFrame, change: Any) -> pd.DataFrame:
    """Return a table with its names and texts changed."""
    changed = {
        name: column.map(change, na_action="ignore")
        for name, column in frame.items()
        if column.dtype.kind not in "biufcmM" and any(map(_FORMULA.match, column.dropna().astype(str)))
    }
    return frame.assign(**changed).rename(columns=change)
