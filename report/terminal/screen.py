"""What appears on the terminal: JSON or tables on stdout, progress on stderr.

On a terminal too narrow for a table, no number is broken, and columns that do not fit follow below.
"""

from __future__ import annotations

import sys
from collections.abc import Container, Iterable, Sequence
from copy import copy
from dataclasses import replace
from itertools import takewhile
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from netplace.inputs import printable
from netplace.json_files import json_text, results_text

_ENDLESS = 10_000
_LEAST_TEXT = 16  # letters of a column of text, if it has so many


def fitting(made: Table, console: Console) -> list[Table]:
    """Return a table as tables that fit on a console, each with the texts at the left of the first."""
    columns = made.columns
    minimum = [replace(column, width=_least(column)) for column in columns]

    def width(some: Sequence[Column]) -> int:
        return console.measure(_part(made, some), options=console.options.update(width=_ENDLESS)).maximum

    if len(columns) < 2 or width(columns) <= console.width:
        return [made]
    keys = max(1, sum(1 for _ in takewhile(lambda column: column.justify == "left", columns)))
    while keys > 1 and width(minimum[:keys]) > console.width / 2:
        keys -= 1
    parts = [list(range(keys))]
    for place in range(keys, len(columns)):
        if len(parts[-1]) > keys and width([minimum[other] for other in (*parts[-1], place)]) > console.width:
            parts.append(list(range(keys)))
        parts[-1].append(place)
    return [
        _part(
            made,
            [(columns if columns[place].justify == "left" else minimum)[place] for place in part],
            "" if part is parts[0] else " (more columns)",
        )
        for part in parts
    ]


def _part(made: Table, columns: Sequence[Column], more: str = "") -> Table:
    """Return a table of some columns of a table, with `more` after its title."""
    part = copy(made)
    part.columns = [replace(column, _index=place) for place, column in enumerate(columns)]
    if made.title and more:
        part.title = Text(f"{made.title}{more}")
    return part


def _least(column: Column) -> int:
    """Return the least width of a column: that of whole numbers below words of its heading."""
    widest = max((len(str(cell)) for cell in column.cells), default=0)
    if column.justify == "left":
        return min(max(widest, len(str(column.header))), max(_LEAST_TEXT, _longest_word(column)))
    return max(widest, _longest_word(column))


def _longest_word(column: Column) -> int:
    return max(map(len, str(column.header).split()), default=0)


PRINTED = ("run", "load", "mapping")  # what is printed as JSON and read again from files


def number(value: float | None, digits: int = 0) -> str:
    """Return a number for a table: thin on digits, with thousands marked; a dash for none."""
    return "-" if value is None or value != value else f"{value:,.{digits}f}"


def print_json(content: dict[str, Any]) -> None:
    sys.stdout.write(json_text(content) + "\n")


def printed_text(results: dict[str, Any], label: str = "") -> str:
    """Return what is printed of results as JSON, of one of `PRINTED` with its format and checksum."""
    text = results_text(label, results, indent=None) if label else json_text(results)
    return text + "\n"


def table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], *, texts: Container[int] = (0,)
) -> Table:
    """Return a table, in which columns `texts` are text and others numbers; a row of nothing is a rule."""
    made = Table(
        title=_text(title), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False
    )
    for place, column in enumerate(columns):
        made.add_column(_text(column), justify="left" if place in texts else "right", overflow="fold")
    for row in rows:
        if row:
            made.add_row(*map(_text, row))
        else:
            made.add_section()
    return made


def _text(words: str) -> Text:
    """Return words as they are: what looks like markup in a name of a user's is none."""
    return Text(printable(words))


def print_tables(*tables: Table) -> None:
    """Print tables on stdout, as wide as they need where it is no terminal."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 200
    for made in tables:
        for part in fitting(made, console):
            console.print(part)
