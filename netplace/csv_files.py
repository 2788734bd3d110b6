"""CSV files: cells that spreadsheets would treat as formulas, and columns whose cells are checked.

A cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a return and is not a number gets an apostrophe
before it, which marks text in spreadsheets. netplace removes it when it reads CSV. A name that begins with
apostrophes before such a character gets one more, so that every name can be read back.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from netplace.files import atomic_file, input_file
from netplace.inputs import MOST, abbreviate
from netplace.json_files import check_format
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


FORMAT_COLUMN = "netplace"
_FORMATS = re.compile(r"(\w+) (\d{1,9})\b.*", re.ASCII)


def with_format(frame: pd.DataFrame, label: str) -> pd.DataFrame:
    """Return a table with a column of its kind and format, equal in every row."""
    return frame.assign(**{FORMAT_COLUMN: f"{label} {FORMAT}"})


def without_format(frame: pd.DataFrame, path: Path, label: str) -> pd.DataFrame:
    """Return a table from a file without the column of `with_format`, which is checked."""
    if FORMAT_COLUMN not in frame.columns:
        return frame
    formats = frame[FORMAT_COLUMN].fillna("").astype("str")
    for text in formats.drop_duplicates():
        row = f"{path}, row {int((formats == text).to_numpy().argmax()) + 1}, {FORMAT_COLUMN}"
        match = _FORMATS.fullmatch(text)
        if match is None or match[1] != label:
            raise ValueError(f"{row}: {abbreviate(text)} found, expected '{label} {FORMAT}'")
        check_format(row, int(match[2]))
    return frame.drop(columns=FORMAT_COLUMN)


def read_cells(path: Path, texts: bool = True) -> pd.DataFrame:
    """Return the table in a CSV file, cells as texts, or as what they look like."""
    import pandas as pd

    local = input_file(path).absolute()  # pandas takes names such as ``file:x`` for addresses
    frame = pd.read_csv(local, dtype="str", keep_default_na=False) if texts else pd.read_csv(local)
    return _changed(frame, as_read)


def text_table(path: Path, label: str = "table") -> pd.DataFrame:
    """Return the table in a CSV file, all cells as text."""
    try:
        return read_cells(path)
    except (ValueError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: is no {label}, {str(error).strip().splitlines()[0]}") from None


def numbers_in(
    column: pd.Series, path: Path, *, minimum: float = 0, maximum: float = float(MOST), whole: bool = False
) -> pd.Series:
    """Return a column of texts or numbers as numbers; empty cells stay empty."""
    import pandas as pd

    filled = column.replace("", None)
    values = pd.to_numeric(filled, errors="coerce").astype("float64")
    wrong = (filled.notna() & values.isna()) | ~values.fillna(max(minimum, 0)).between(minimum, maximum)
    if whole:
        wrong |= values.notna() & (values != values.round())
    kind = f"{'a whole number' if whole else 'a number'} from {_bound(minimum)} to {_bound(maximum)}"
    _refuse(column, wrong, path, f"not {kind}")
    return values.astype("Int64") if whole else values


def names_in(column: pd.Series, path: Path, names: tuple[str, ...]) -> pd.Series:
    """Return a column whose cells must be among `names`; otherwise as `numbers_in`."""
    _refuse(column, ~column.isin(names), path, f"unknown, expected {' or '.join(names)}")
    return column


def _refuse(column: pd.Series, wrong: pd.Series, path: Path, expected: str) -> None:
    if wrong.any():
        row = int(wrong.to_numpy().argmax())
        value = column.iloc[row]
        raise ValueError(f"{path}, row {row + 1}, {column.name}: {abbreviate(value)} is {expected}")


def _bound(value: float) -> str:
    """Return a bound as text: a large power of two as a power."""
    if abs(value) > 2**31 and (power := math.log2(abs(value))).is_integer():
        return f"{'-' * (value < 0)}2**{power:.0f}"
    return f"{value:g}"
