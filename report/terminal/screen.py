"""What appears on the terminal: JSON or tables on stdout, progress on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from netplace.checks import printable
from netplace.checks.results_file import json_text, results_text
from netplace.report.terminal.pulse import Lines, is_quiet

if TYPE_CHECKING:
    from rich.progress import Progress
    from rich.table import Table
    from rich.text import Text

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

    from netplace.report.terminal.narrow import fitting

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
