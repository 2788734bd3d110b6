"""What a page says: sentences, tables and figures, for a browser and for the terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from netplace.checks.quantities import quantities
from netplace.report.plots.figure import Figure
from netplace.report.terminal.screen import number, print_tables, table
from netplace.report.terminal.units import scaled, whole_part_kept

if TYPE_CHECKING:
    from pandas import DataFrame
    from rich.table import Table


@dataclass(frozen=True)
class DataTable:
    """A table that a reader can sort, filter and export as CSV.

    Attributes
    ----------
    title : str
        Subject of the table.
    columns : sequence of str
        Headings, with units.
    rows : sequence of sequences
        Texts, numbers or None.
    note : str
        What a reader has to know.
    digits : sequence of int
        Digits of each column after the decimal point on the terminal; empty: as many as a value needs.
    page_only : bool
        Whether the terminal leaves it out.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""
    digits: Sequence[int] = ()
    page_only: bool = False

    @classmethod
    def of(cls, title: str, frame: DataFrame, columns: Sequence[str] = (), note: str = "") -> DataTable:
        """Return the table of a frame, under its own headings unless others are given."""
        known = frame.astype(object).where(frame.notna(), None)
        return cls(title, columns or [str(name) for name in frame], known.to_numpy().tolist(), note)

    def on_terminal(self, most: int = 50) -> Table:
        """Return the first rows for the terminal; columns of texts are on the left."""
        digits: Sequence[int | None] = self.digits or [None] * len(self.columns)
        rows = [list(map(_cell, row, digits)) for row in self.rows[:most]]
        more = len(self.rows) - most
        title = f"{self.title}; {more:,} more rows are in --json and -o" if more > 0 else self.title
        made = table(title, self.columns, rows)
        for place, column in enumerate(made.columns):
            if all(row[place] is None or isinstance(row[place], str) for row in self.rows):
                column.justify = "left"
        return made


def _cell(value: Any, digits: int | None) -> str:
    if value is None or isinstance(value, str):
        return "-" if value is None else value
    if isinstance(value, float) and digits is None:
        return whole_part_kept(value)
    return str(value) if isinstance(value, bool) else number(value, digits or 0)


def record_table(title: str, kind: type, records: Sequence[Any], note: str = "") -> DataTable:
    """Return a row for each record, a dataclass of quantities: the shown ones that any record has.

    Shares are in percent, times in a unit that fits, and moments since the first one.
    """
    headings, columns, digits = [], [], []
    said = {name: each for name, each in quantities(kind).items() if each.shown}
    moments = [getattr(record, name) for name, each in said.items() if each.moment for record in records]
    first = min(moments, default=0.0)
    for name, each in said.items():
        values = [getattr(record, name) for record in records]
        if {None, ""}.issuperset(values):
            continue
        if each.moment:
            values = [value - first for value in values]
        heading, factor = scaled(each, values)
        headings.append(heading)
        columns.append([_value(value, factor) for value in values])
        digits.append(each.digits)
    return DataTable(title, headings, list(zip(*columns, strict=True)), note, digits)


def _value(value: Any, factor: float) -> Any:
    if isinstance(value, tuple | list):
        return "x".join(map(str, value))
    return value if value is None or factor == 1 else value * factor


@dataclass(frozen=True)
class Listing:
    """The text of a file, line by line."""

    title: str  # name of the file
    text: str


@dataclass(frozen=True)
class Picture:
    """A picture that exists already."""

    title: str  # what it shows
    content: bytes  # PNG or SVG
    kind: str  # its media type


Part = DataTable | Listing | Picture | Figure


@dataclass(frozen=True)
class Page:
    """A page.

    Attributes
    ----------
    title : str
        Subject of the page.
    verdict : sequence of str
        What came of it, a sentence each.
    asked : sequence of (str, str)
        Request, with versions and seeds; the command that makes it again under ``command``.
    parts : sequence of DataTable, Listing, Picture or Figure
        In order.
    missing : sequence of str
        What could have been on the page and is not, and why.
    notes : sequence of str
        What a reader has to know in addition.
    """

    title: str
    verdict: Sequence[str]
    asked: Sequence[tuple[str, str]]
    parts: Sequence[Part]
    missing: Sequence[str] = ()
    notes: Sequence[str] = ()

    def _repr_html_(self) -> str:
        from netplace.report.pages.html import still_page

        return still_page(self)

    def show(self) -> None:
        """Print its title, its sentences and its tables, with their notes, on the terminal."""
        sys.stdout.write("\n".join([self.title, *self.verdict, ""]))
        for part in self.parts:
            if isinstance(part, DataTable) and not part.page_only:
                print_tables(part.on_terminal())
                sys.stdout.write(f"{part.note}\n" if part.note else "")
