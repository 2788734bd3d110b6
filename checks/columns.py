"""Columns of tables from files: each cell must match its column, or its place is reported."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from netplace.checks.amounts import MOST
from netplace.checks.csv_cells import frame_as_read
from netplace.checks.display import abbreviate
from netplace.checks.inputs import input_file

if TYPE_CHECKING:
    import pandas as pd


def read_cells(path: Path, texts: bool = True) -> pd.DataFrame:
    """Return the table in a CSV file, cells as texts, or as what they look like."""
    import pandas as pd

    local = input_file(path).absolute()  # pandas takes names such as ``file:x`` for addresses
    return frame_as_read(
        pd.read_csv(local, dtype="str", keep_default_na=False) if texts else pd.read_csv(local)
    )


def text_table(path: Path, what: str = "table") -> pd.DataFrame:
    """Return the table in a CSV file, all cells as text."""
    try:
        return read_cells(path)
    except (ValueError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: is no {what}, {str(error).strip().splitlines()[0]}") from None


def numbers_in(
    column: pd.Series, path: Path, *, least: float = 0, most: float = float(MOST), whole: bool = False
) -> pd.Series:
    """Return a column of texts or numbers as numbers; empty cells stay empty."""
    import pandas as pd

    filled = column.replace("", None)
    values = pd.to_numeric(filled, errors="coerce").astype("float64")
    wrong = (filled.notna() & values.isna()) | ~values.fillna(max(least, 0)).between(least, most)
    if whole:
        wrong |= values.notna() & (values != values.round())
    kind = f"{'a whole number' if whole else 'a number'} from {_bound(least)} to {_bound(most)}"
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
