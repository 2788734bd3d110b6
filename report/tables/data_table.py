"""Tables of results: one form for the terminal and for pages, made from the fields of records."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from netplace.quantities import Quantity, quantities
from netplace.report.terminal.screen import number, print_tables, table
from netplace.report.terminal.units import scaled, whole_part_kept

if TYPE_CHECKING:
    from pandas import DataFrame
    from rich.table import Table


@dataclass(frozen=True)
class DataTable:
    """A table that a reader can sort, filter and export as CSV."""

    title: str
    columns: Sequence[str]  # headings, with units
    rows: Sequence[Sequence[Any]]  # texts, numbers or None
    note: str = ""  # what a reader has to know
    # Digits after the decimal point of each column; empty: as many as a value needs.
    digits: Sequence[int] = ()
    by_row: bool = False  # whether `digits` are those of the rows
    maximum: int = 50  # rows on the terminal; 0: the terminal leaves it out

    @classmethod
    def of(cls, title: str, frame: DataFrame, columns: Sequence[str] = (), note: str = "") -> DataTable:
        """Return the table of a frame, under its own headings unless others are given."""
        known = frame.astype(object).where(frame.notna(), None)
        return cls(title, columns or [str(name) for name in frame], known.to_numpy().tolist(), note)

    def on_terminal(self) -> Table:
        """Return the first rows for the terminal; columns of texts are on the left."""
        digits: Sequence[int | None] = self.digits or [None] * len(self.columns)
        rows = [
            [_cell(row[column], digits[place if self.by_row else column]) for column in range(len(row))]
            for place, row in enumerate(self.rows[: self.maximum])
        ]
        more = len(self.rows) - self.maximum
        title = f"{self.title}; {more:,} more rows are in --json and -o" if more > 0 else self.title
        texts = [
            place
            for place in range(len(self.columns))
            if not place or all(row[place] is None or isinstance(row[place], str) for row in self.rows)
        ]
        return table(title, self.columns, rows, texts=texts)


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
        heading, factor = scaled(each, [value - first for value in moments] if each.moment else values)
        headings.append(heading)
        columns.append([_value(value, factor) for value in values])
        digits.append(each.digits)
    return DataTable(title, headings, list(zip(*columns, strict=True)), note, digits)


def _value(value: Any, factor: float) -> Any:
    if isinstance(value, tuple | list):
        return "x".join(map(str, value))
    return value if value is None or factor == 1 else value * factor


FigureRows = list[tuple[Quantity, Sequence[float | None]]]  # what each is, and its values


def figure_table(title: str, rows: FigureRows, columns: Sequence[str] = ("figure", "value")) -> DataTable:
    """Return a row for each figure: what it is, in a unit that fits, and its values."""
    shown = []
    for quantity, values in rows:
        heading, factor = scaled(quantity, values)
        shown.append([heading, *(_value(value, factor) for value in values)])
    return DataTable(title, columns, shown, digits=[said.digits for said, _ in rows], by_row=True)


def figures_of(record: Any) -> FigureRows:
    """Return what each figure of a record is that it has and that is shown, with its value."""
    columns = quantities(type(record)).items()
    pairs = [(each, getattr(record, name)) for name, each in columns if each.shown]
    return [(each, [value]) for each, value in pairs if value is not None]


def print_data(tables: Iterable[DataTable], title: str = "") -> None:
    """Print tables with their notes on the terminal."""
    sys.stdout.write(f"{title}\n" if title else "")
    for made in tables:
        if made.maximum:
            print_tables(made.on_terminal())
            sys.stdout.write(f"{made.note}\n" if made.note else "")


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
    lines = [_latex_line([_latex_text(name) for name in table.columns]), r"\hline"]
    lines += [_latex_line([_latex_cell(row[at], digits[at]) for at in columns]) for row in table.rows]
    title = " ".join(table.title.split())
    return "\n".join([f"% {title}", rf"\begin{{tabular}}{{{sides}}}", *lines, r"\end{tabular}", ""])


def _latex_line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _latex_cell(value: Any, digits: int | None) -> str:
    if value is None:
        return "--"
    if isinstance(value, str):
        return _latex_text(value)
    return f"{value:.6g}" if digits is None else f"{value:,.{digits}f}"


def _latex_text(value: str) -> str:
    return "".join(_ESCAPED.get(character, character) for character in value)
