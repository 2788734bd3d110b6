"""Tables in text files: cells between commas, semicolons, tabs or blanks; lists of pairs, and matrices."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from netplace.inputs import abbreviate

Row = tuple[int, list[str]]  # number of the line, and its cells
_DECIMAL = re.compile(r"-?\d+,\d+(?:[eE][+-]?\d+)?")
_ENDS = (  # what the columns of the two ends of a pair are called
    ("source", "src", "from", "sender"),
    ("destination", "dst", "dest", "to", "target", "receiver"),
)


def rows_of(text: str, where: str) -> list[Row]:
    """Return the rows of a table, without comments and blank lines.

    The first row determines the separator. Where that is no comma, ``0,5`` is a number. The line ``sep=;`` of
    spreadsheets is passed over. `where` names the file in errors.
    """
    lines = [(number, line.partition("#")[0].strip(" ")) for number, line in enumerate(text.splitlines(), 1)]
    lines = [(number, line) for number, line in lines if line.strip() and not line.startswith("sep=")]
    mark = next((mark for mark in "\t;," if lines and mark in lines[0][1]), "")
    rows = []
    for number, line in lines:
        try:
            cells = next(csv.reader([line], delimiter=mark)) if mark else line.split()
        except csv.Error as error:
            raise ValueError(f"{where}, line {number}: {error}") from None
        cells = [cell.strip().strip('"') for cell in cells]
        if mark != ",":
            cells = [cell.replace(",", ".") if _DECIMAL.fullmatch(cell) else cell for cell in cells]
        rows.append((number, cells))
    return rows


@dataclass(frozen=True)
class PairTable:
    """A list of pairs with columns `names` (empty: ignored) behind source and target; or a matrix.

    `labels` are the names of the rows and of the columns of a matrix, whose cells are `rows`.
    """

    names: list[str]
    rows: list[Row]
    labels: tuple[list[str], list[str]] | None = None


def pair_table(
    rows: list[Row], where: str, column: Callable[[str], str], usual: Mapping[int, list[str]]
) -> PairTable:
    """Return the list of pairs or the matrix in a table.

    `column` returns the name of a column by its heading, empty to ignore it. `usual` are the names of columns
    without headings, by their number.
    """
    if not rows:
        raise ValueError(f"{where}: is empty, expected a list of pairs or a matrix")
    top = rows[0][1]
    lower = [cell.lower() for cell in top]
    found = [[place for place, cell in enumerate(lower) if cell in names] for names in _ENDS]
    ranks = [place for place, cell in enumerate(lower) if cell.startswith("rank")]
    ends = ranks if len(ranks) == 2 else [places[0] for places in found if places]
    if len(ends) == 2:
        order = [*ends, *(place for place in range(len(top)) if place not in ends)]
        body = _of_width(rows[1:], len(top), where)
        names = [column(top[place]) for place in order[2:]]
        return PairTable(names, [(line, [cells[place] for place in order]) for line, cells in body])
    if matrix := _matrix(rows, where):
        return matrix
    columns = usual.get(len(top) - 2)
    if columns is None or not all(map(_is_number, top[2:])):
        pairs = " or ".join(", ".join(["source", "destination", *names]) for names in usual.values())
        raise ValueError(
            f"{where}, line {rows[0][0]}: columns {abbreviate(', '.join(top))} of {len(rows)} rows, expected "
            f"{pairs}, or a matrix with a row and a column for each"
        )
    return PairTable(columns, _of_width(rows, len(top), where))


def _matrix(rows: list[Row], where: str) -> PairTable | None:
    """Return a square table without its labels; None if it is a list of pairs."""
    top, width, count = rows[0][1], len(rows[-1][1]), len(rows)
    numbers = [str(place) for place in range(count)]
    if count == width == len(top) and all(map(_is_number, top)):
        diagonal = "".join(cells[place] for place, (_, cells) in enumerate(rows) if place < len(cells))
        if count == 3 and re.search("[1-9]", diagonal) and all(cells[:1] != cells[1:2] for _, cells in rows):
            return None
        return PairTable([], _of_width(rows, width, where), (numbers, numbers))
    body, names = rows[1:], top[1:] if len(top) == width == count else top
    labelled = width == len(names) + 1
    named = labelled or top == numbers[:-1] or not all(map(_is_number, top))
    if not (body and named) or len(body) != len(names):
        return None
    body = _of_width(body, width, where)
    labels = [cells[0] for _, cells in body] if labelled else names
    return PairTable([], [(line, cells[labelled:]) for line, cells in body], (labels, names))


def _of_width(rows: list[Row], width: int, where: str) -> list[Row]:
    for line, cells in rows:
        if len(cells) != width:
            raise ValueError(f"{where}, line {line}: {len(cells)} columns, expected {width}")
    return rows


def _is_number(cell: str) -> bool:
    return re.match(r"[-+]?\.?\d", cell) is not None
