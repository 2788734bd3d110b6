"""Tables on terminals too narrow for them: no number is broken, columns that do not fit follow below."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rich.console import Console
from rich.table import Column, Table
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
