"""What appears on the terminal: JSON or tables on stdout, progress on stderr.

On a terminal too narrow for a table, no number is broken, and columns that do not fit follow below.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from netplace.inputs import printable
from netplace.json_files import json_text, results_text
from netplace.report.terminal.pulse import Lines, is_quiet

if TYPE_CHECKING:
    from rich.progress import Progress
    from rich.table import Table
    from rich.text import Text

_ENDLESS = 10_000
_LEAST_TEXT = 16  # letters of a column of text, if it has so many


def fitting(made: Table, console: Console) -> list[Table]:
    """Return a table as tables that fit on a console, each with the columns that tell rows apart."""
    columns = made.columns
    natural = [_widest(_cells(column), whole=True) for column in columns]
    full = console.measure(made, options=console.options.update(width=_ENDLESS)).maximum
    if full <= console.width or len(columns) < 2:
        return [made]
    around = full - sum(natural)  # edges, and what is between columns
    least = [_least(column, most) for column, most in zip(columns, natural, strict=True)]
    parts, between = [[0]], around / len(columns)
    keys = _keys(columns, least, console.width / 2)
    for place in range(1, len(columns)):
        part = [*parts[-1], place]
        # Fewer columns have less between them.
        room = console.width - between * len(part)
        if sum(least[other] for other in part) <= room or parts[-1] in ([0], keys):
            parts[-1] = part
        elif place in keys:
            parts.append(keys)
        else:
            parts.append([*keys, place])
    return [
        _part(made, part, _widths(part, least, natural, columns, console.width - between * len(part)), number)
        for number, part in enumerate(parts)
    ]


def _keys(columns: Sequence[Column], least: Sequence[int], room: float) -> list[int]:
    """Return the first column, and texts after it without which rows read the same, as far as they fit."""
    keys = [0]

    def distinct(places: Sequence[int]) -> int:
        return len(set(zip(*(map(str, columns[place].cells) for place in places), strict=True)))

    for place in range(1, len(columns)):
        more = [*keys, place]
        fits = columns[place].justify == "left" and sum(least[other] for other in more) <= room
        if fits and distinct(more) > distinct(keys):
            keys = more
    return keys


def _part(made: Table, places: Sequence[int], widths: Sequence[int], number: int) -> Table:
    title = made.title if number == 0 or not made.title else Text(f"{made.title} (more columns)")
    part = Table(
        title=title,
        title_justify=made.title_justify,
        title_style=made.title_style,
        box=made.box,
        pad_edge=made.pad_edge,
    )
    for place, width in zip(places, widths, strict=True):
        column = made.columns[place]
        heading = "\n".join(textwrap.wrap(str(column.header), width)) or str(column.header)
        part.add_column(Text(heading), justify=column.justify, overflow="fold", width=width)
    cells = [list(made.columns[place].cells) for place in places]
    for number, row in enumerate(zip(*cells, strict=True)):
        part.add_row(*row, end_section=made.rows[number].end_section)
    return part


def _widths(
    part: Sequence[int], least: Sequence[int], natural: Sequence[int], columns: Sequence[Column], room: float
) -> list[int]:
    """Return the width of each column; what is left over goes to numbers, then to texts, then to headings."""
    widths = {place: least[place] for place in part}
    spare = int(room) - sum(widths.values())
    numbers = [place for place in part if columns[place].justify != "left"]
    texts = [place for place in part if place not in numbers]
    wanted = [(place, _widest([*map(str, columns[place].cells)], whole=True)) for place in numbers]
    for place, most in [*wanted, *((place, natural[place]) for place in (*texts, *numbers))]:
        more = max(0, min(spare, most - widths[place]))
        widths[place] += more
        spare -= more
    return [widths[place] for place in part]


def _least(column: Column, natural: int) -> int:
    if column.justify == "left":
        return min(natural, max(_LEAST_TEXT, _widest([str(column.header)])))
    return _widest(_cells(column))


def _cells(column: Column) -> list[str]:
    return [str(column.header), *map(str, column.cells)]


def _widest(texts: Sequence[str], whole: bool = False) -> int:
    words = texts if whole else [word for text in texts for word in text.replace("-", "- ").split()]
    return max(map(len, words), default=0)


PRINTED = ("run", "load", "mapping")  # what is printed as JSON and read again from files

Outcome = TypeVar("Outcome")


def number(value: float | None, digits: int = 0) -> str:
    """Return a number for a table: thin on digits, with thousands marked; a dash for none."""
    return "-" if value is None or value != value else f"{value:,.{digits}f}"


def print_json(content: dict[str, Any]) -> None:
    sys.stdout.write(json_text(content) + "\n")


def printed_text(results: dict[str, Any], what: str = "") -> str:
    """Return what is printed of results as JSON, of one of `PRINTED` with its format and checksum."""
    text = results_text(what, results, indent=None) if what else json_text(results)
    return text + "\n"


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """Return a table whose first column is text and the others numbers; a row of nothing is a rule."""
    from rich import box
    from rich.table import Table

    made = Table(
        title=_text(title), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False
    )
    for place, column in enumerate(columns):
        made.add_column(_text(column), justify="right" if place else "left", overflow="fold")
    for row in rows:
        if row:
            made.add_row(*map(_text, row))
        else:
            made.add_section()
    return made


def _text(words: str) -> Text:
    """Return words as they are: what looks like markup in a name of a user's is none."""
    from rich.text import Text

    return Text(printable(words))


def print_tables(*tables: Table) -> None:
    """Print tables on stdout, as wide as they need where it is no terminal."""
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 200
    for made in tables:
        for part in fitting(made, console):
            console.print(part)


def progress_bar() -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=console, transient=True, disable=is_quiet() or not console.is_terminal)


@contextmanager
def bytes_read(paths: Iterable[Path]) -> Iterator[Callable[[int], None]]:
    """Yield a function that receives the number of bytes read from files, for a bar on stderr."""
    sizes = [path.stat().st_size if path.is_file() else None for path in paths]
    if not sizes:
        yield lambda _: None
        return
    total = sum(size for size in sizes if size is not None)
    with progress_bar() as progress:
        bar = progress.add_task("bytes read", total=None if None in sizes else total)
        yield lambda count: progress.advance(bar, count)


def with_progress(outcomes: Iterator[tuple[int, Outcome]], count: int, what: str) -> list[Outcome]:
    """Return the outcomes in order of their places, and report the progress on stderr."""
    if count == 1:
        return [outcome for _, outcome in outcomes]
    by_place: dict[int, Outcome] = {}
    lines = None if sys.stderr.isatty() else Lines(what)
    with progress_bar() as progress:
        bar = progress.add_task(what, total=count)
        for place, outcome in outcomes:
            by_place[place] = outcome
            progress.advance(bar)
            if lines:
                lines.tell(len(by_place), count, last=False)
    return [by_place[place] for place in range(count)]
