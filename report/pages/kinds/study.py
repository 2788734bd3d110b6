"""A study: the tables in its folder, to be compared."""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd

from netplace.csv_files import read_cells
from netplace.quantities import NEITHER
from netplace.report.pages.kinds.outcome import Entry, Outcome, Result, Sample, is_computing_time

REPORT = "report.md"


def outcome(path: Path) -> Outcome:
    entries = [entry for file in sorted(path.glob("*.csv")) for entry in _rows(file)]
    if not entries:
        raise ValueError(f"{path}: contains no tables (*.csv) to compare")
    return Outcome("study", str(path), entries)


def _rows(file: Path) -> list[Entry]:
    """Return an entry for each row: what is text says which it is, what is a number came of it."""
    try:
        frame = read_cells(file, texts=False)
    except (ValueError, UnicodeDecodeError) as error:
        raise ValueError(f"{file}: is not a table, {str(error).strip().splitlines()[0]}") from None
    frame = frame.drop(columns=[name for name in frame if is_computing_time(str(name))])
    numbers = [name for name in frame if pd.api.types.is_float_dtype(frame[name])]
    texts = [name for name in frame if name not in numbers]
    places: dict[tuple[str, ...], int] = {}
    entries = []
    for row in frame.to_dict("records"):
        words = tuple("" if pd.isna(row[name]) else str(row[name]) for name in texts)
        places[words] = place = places.get(words, 0) + 1
        request = {"table": file.stem, **dict(zip(map(str, texts), words, strict=True))}
        if place > 1:
            request["row"] = str(place)
        results = [
            Result(str(name), Sample.exact(float(row[name])), NEITHER)
            for name in numbers
            if not math.isnan(row[name])
        ]
        entries.append(Entry(request, results))
    return entries
