"""A study: its report, with its tables and pictures."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pandas as pd

from netplace.checks.columns import read_cells
from netplace.checks.inputs import input_file, text_of
from netplace.checks.quantities import NEITHER
from netplace.report.files.study_tables import check_tables
from netplace.report.pages.html import Page, Part, Picture
from netplace.report.pages.kinds.outcome import Entry, Outcome, Result, Sample
from netplace.report.tables.data_table import DataTable

REPORT = "report.md"
_PICTURES = {".png": "image/png", ".svg": "image/svg+xml"}
_LONGEST_NUMBER = 40  # characters
_LARGEST = 3_000_000  # bytes of pictures on a page
_PICTURE = re.compile(r"!\[[^\[\]]*\]\(([^()]+)\)")
_LINK = re.compile(r"\[([^\[\]]+)\]\([^()]+\)")
_NUMBER = re.compile(r"-?\d[\d,]*(\.\d+)?(e[-+]?\d+)?")


def page(path: Path) -> Page:
    check_tables(path)
    lines = text_of(path / REPORT).splitlines()
    title, said, asked = path.name, [], [("folder", path.name)]
    parts: list[Part] = []
    missing: list[str] = []
    heading, place, room = "", 0, _LARGEST
    while place < len(lines):
        line = lines[place].strip()
        place += 1
        if line.startswith("# "):
            title = line[2:].strip()
        elif line.startswith("#"):
            heading = line.lstrip("#").strip()
        elif line.startswith("Made by "):
            asked.append(("made by", _plain(line)))
        elif line.startswith(("* ", "- ")):
            said.append(_plain(line[2:]))
        elif match := _PICTURE.fullmatch(line):
            picture = _picture(path, match[1], room, missing)
            if picture is not None:
                room -= len(picture.content)
                parts.append(picture)
        elif line.startswith("|"):
            rows = [line]
            while place < len(lines) and lines[place].lstrip().startswith("|"):
                rows.append(lines[place].strip())
                place += 1
            parts.append(_table(heading or "Table", rows))
        elif line:
            said.append(_plain(line))
    return Page(title, said, asked, parts, missing)


def _plain(text: str) -> str:
    """Return a line without the marks of Markdown."""
    return _LINK.sub(r"\1", text).replace("**", "").replace("`", "").strip()


def _picture(folder: Path, name: str, room: int, missing: list[str]) -> Picture | None:
    file = folder / name
    kind = _PICTURES.get(file.suffix.lower())
    # Only pictures of this very folder: a report names no other files.
    if kind is None or file.parent.resolve() != folder.resolve() or not file.is_file():
        missing.append(f"picture {name}, which is not in the folder")
        return None
    if file.stat().st_size > room:
        missing.append(f"picture {name}, because the page would be too large; it is in {folder}")
        return None
    return Picture(title=file.stem, content=input_file(file).read_bytes(), kind=kind)


def _table(title: str, lines: list[str]) -> DataTable:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    columns = rows[0]
    body = [row for row in rows[1:] if not all(re.fullmatch(r":?-+:?", cell) for cell in row)]
    return DataTable(
        title,
        columns,
        [[_value(cell) for cell in (row + [""] * len(columns))[: len(columns)]] for row in body],
    )


def _value(text: str) -> str | float | None:
    if text in ("", "-"):
        return None
    if len(text) <= _LONGEST_NUMBER and _NUMBER.fullmatch(text):
        return float(text.replace(",", ""))
    return _plain(text)


def outcome(path: Path) -> Outcome:
    asked = {name: text for name, text in page(path).asked if name != "folder"}
    entries = [entry for file in sorted(path.glob("*.csv")) for entry in _rows(file, asked)]
    if not entries:
        raise ValueError(f"{path}: contains no tables (*.csv) to compare")
    return Outcome("study", str(path), entries)


def _rows(file: Path, asked: dict[str, str]) -> list[Entry]:
    """Return an entry for each row: what is text says which it is, what is a number came of it."""
    try:
        frame = read_cells(file, texts=False)
    except (ValueError, UnicodeDecodeError) as error:
        raise ValueError(f"{file}: is not a table, {str(error).strip().splitlines()[0]}") from None
    numbers = [name for name in frame if pd.api.types.is_float_dtype(frame[name])]
    texts = [name for name in frame if name not in numbers]
    places: dict[tuple[str, ...], int] = {}
    entries = []
    for row in frame.to_dict("records"):
        words = tuple("" if pd.isna(row[name]) else str(row[name]) for name in texts)
        places[words] = place = places.get(words, 0) + 1
        said = {**asked, "table": file.stem, **dict(zip(map(str, texts), words, strict=True))}
        if place > 1:
            said["row"] = str(place)
        results = [
            Result(str(name), Sample.exact(float(row[name])), NEITHER)
            for name in numbers
            if not math.isnan(row[name])
        ]
        entries.append(Entry(said, results))
    return entries
