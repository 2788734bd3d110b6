"""CSV cells that spreadsheets would treat as formulas, written as text.

A cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a return and is not a number gets an apostrophe
before it, which marks text in spreadsheets. netplace removes it when it reads CSV. A name that begins with
apostrophes before such a character gets one more, so that every name can be read back.
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from netplace.checks.display import abbreviate
from netplace.checks.results_file import check_format
from netplace.checks.writing import atomic_file
from netplace.version import FORMAT

if TYPE_CHECKING:
    import pandas as pd

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NUMERIC = "biufcmM"  # kinds of columns without text
_QUOTED: Final = csv.QUOTE_NONNUMERIC  # which Python does not do by itself for a return
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?inf(inity)?", re.ASCII | re.IGNORECASE)


def as_cell(value: object) -> object:
    if isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def as_read(cell: Any) -> Any:
    if isinstance(cell, str) and cell.startswith("'") and _FORMULA.match(cell):
        return cell[1:]
    return cell


def frame_as_read(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table of cells as the original values."""
    return _changed(frame, as_read)


def write_frame(frame: pd.DataFrame, path: Path) -> None:
    """Write a table as CSV, completely or not at all."""
    cells = _changed(frame, as_cell)
    texts = (column for _, column in cells.items() if column.dtype.kind not in _NUMERIC)
    quoted = any(column.astype(str).str.contains("\r", regex=False).any() for column in texts)
    with atomic_file(path) as draft:
        cells.to_csv(
            draft, index=False, lineterminator="\n", quoting=_QUOTED if quoted else csv.QUOTE_MINIMAL
        )


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Iterable[object]]) -> None:
    """Write rows as CSV, completely or not at all, one after the other."""
    with atomic_file(path) as draft, draft.open("w", newline="", encoding="utf-8") as file:
        plain = csv.writer(file, lineterminator="\n")
        quoted = csv.writer(file, lineterminator="\n", quoting=_QUOTED)
        plain.writerow(map(as_cell, columns))
        for row in rows:
            cells = [*map(as_cell, row)]
            (quoted if any(isinstance(cell, str) and "\r" in cell for cell in cells) else plain).writerow(
                cells
            )


def _changed(frame: pd.DataFrame, change: Any) -> pd.DataFrame:
    """Return a table with its names and texts changed."""
    changed = {
        name: column.map(change, na_action="ignore")
        for name, column in frame.items()
        if column.dtype.kind not in _NUMERIC and any(map(_FORMULA.match, column.dropna().astype(str)))
    }
    return frame.assign(**changed).rename(columns=change)


SEAL = "netplace"  # the column
_SEALS = re.compile(r"(.+) (\d{1,9}) ([0-9a-f]{32})", re.ASCII)


def sealed(frame: pd.DataFrame, what: str) -> pd.DataFrame:
    """Return a table with a column of its kind, format and checksum, equal in every row."""
    return frame.assign(**{SEAL: f"{what} {FORMAT} {_checksum(frame)}"})


def opened(frame: pd.DataFrame, path: Path, what: str) -> pd.DataFrame:
    """Return a table from a file without the column of `sealed`, which is checked."""
    if SEAL not in frame.columns:
        return frame
    plain = frame.drop(columns=SEAL)
    seals = frame[SEAL].fillna("").astype("str")
    for place, seal in enumerate(seals.drop_duplicates()):
        row = f"{path}, row {int((seals == seal).to_numpy().argmax()) + 1}, {SEAL}"
        match = _SEALS.fullmatch(seal)
        if match is None or match[1] != what or place:
            expected = abbreviate(seals.iloc[0], 80) if place else f"{what!r}, a format and a checksum"
            raise ValueError(f"{row}: {abbreviate(seal)} found, expected {expected}")
        check_format(row, int(match[2]))
        if match[3] != _checksum(plain):
            raise ValueError(
                f"{row}: checksum {match[3]} found, expected {_checksum(plain)}: the table was damaged or "
                f"edited; if you edited it on purpose, delete its column {SEAL}"
            )
    return plain


def _checksum(frame: pd.DataFrame) -> str:
    """Return the first 32 hexadecimal digits of the SHA-256 of a table as CSV."""
    text = frame.to_csv(index=False, lineterminator="\n")
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
