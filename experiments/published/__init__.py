"""Numbers and claims that the sources print, one row each; the README says what the files hold."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources

import pandas as pd

__all__ = ["grid", "number", "open_file"]


@cache
def open_file(name: str) -> pd.DataFrame:
    """Return a CSV file of this folder as text; not to be changed in place."""
    file = resources.files("netplace.experiments.published") / name
    with file.open(encoding="utf-8") as text:
        return pd.read_csv(text, dtype=str, keep_default_na=False)


def grid(source: str, table: str, columns: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Return a printed table as numbers, with `nan` where no value is given.

    Parameters
    ----------
    source : str
        Name of the source, such as ``"pascual"``.
    table : str
        Table as ``cells.csv`` calls it, such as ``"thesis table 3.1"``.
    columns : mapping of str to str, optional
        Printed heads of the columns wanted, in order, to names of ours; default is all as printed.

    Returns
    -------
    pandas.DataFrame
        A row for each printed row; times of day are in seconds.
    """
    cells = open_file("cells.csv")
    own = cells[(cells["source"] == source) & (cells["table"] == table) & (cells["kind"] == "table")]
    if own.empty:
        raise KeyError(f"{table!r} of {source}: no such table in cells.csv")
    wide = own.pivot_table("value", "row", "column", "first", "", sort=False).map(_number)
    return wide if columns is None else wide[list(columns)].rename(columns=columns)


def number(source: str, section: str, row: str, column: str) -> float:
    """Return the first number printed in a section under a row and a column, `nan` where none is given."""
    cells = open_file("cells.csv")
    at = {"source": source, "section": section, "row": row, "column": column}
    own = cells[(cells[list(at)] == pd.Series(at)).all(axis=1)]
    if own.empty:
        raise KeyError(f"{at}: no such number in cells.csv")
    return _number(own["value"].iloc[0])


def _number(text: str) -> float:
    if ":" in text:
        hours, minutes, seconds = (int(part) for part in text.split(":"))
        return 3600.0 * hours + 60 * minutes + seconds
    return float(pd.to_numeric(text or None, errors="coerce"))
