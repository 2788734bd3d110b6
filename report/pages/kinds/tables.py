"""The page of what has no page of its own: the answer that its command gives, and its numbers as tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from netplace.csv_files import read_cells
from netplace.quantities import LESS, MORE, NEITHER
from netplace.report.pages.html import Page, Part
from netplace.report.pages.kinds.outcome import (
    Entry,
    Figures,
    Outcome,
    Result,
    Sample,
    figure_results,
    is_computing_time,
    seed_entries,
)
from netplace.report.pages.kinds.saved import (
    asked_of,
    read_object,
    saved_object,
    saved_results,
    versions_of,
    written_versions,
)
from netplace.report.tables.data_table import DataTable

# Keys of what a command answers, and of the sentence in which it says what came of it.
QUESTION, ANSWER = "question", "answer"
_LONGEST = 200  # characters of a cell
_MOST = 100_000  # numbers
# What was asked, how it was made, and how long the search took.
_NO_RESULTS = ("plan", "seconds", "versions", "checksum", "version", "asked", "provenance")
# What is compared of load points, and what they are asked.
_OF_LOAD: Figures = {
    ("accepted",): ("accepted load", MORE),
    ("delay", "mean"): ("mean delay (cycles)", LESS),
    ("delay", "p99"): ("99th percentile of delays (cycles)", LESS),
}
_REQUEST = ("network", "traffic", "offered", "engine", "warmup", "measure", "hot_node", "hot_share", "config")


def page(path: Path) -> Page:
    content = saved_object(path)
    question, answer = (content.get(name) for name in (QUESTION, ANSWER))
    if not isinstance(question, str) or not isinstance(answer, str):
        raise ValueError(f"{path}: has no {ANSWER}, expected what a command of netplace wrote with -o")
    parts: list[Part] = []
    figures = {name: value for name, value in content.items() if name not in ("versions", QUESTION, ANSWER)}
    if rows := _collected(figures, "", parts):
        parts.append(DataTable("Figures", ["figure", "value"], rows))
    return Page(question, [answer], versions_of(content.get("versions")), parts)


def _collected(content: Mapping[str, Any], above: str, parts: list[Part]) -> list[list[Any]]:
    """Return names and values of what is no table; tables are added to the parts."""
    rows: list[list[Any]] = []
    for key, value in content.items():
        name = above + key.replace("_", " ")
        if _is_list_of(value, Mapping):
            parts.append(flat_table(name, value))
        elif _is_list_of(value, list) and len({len(row) for row in value}) == 1:
            columns = [str(place + 1) for place in range(len(value[0]))]
            parts.append(DataTable(name, columns, [[_cell(cell) for cell in row] for row in value]))
        elif isinstance(value, Mapping) and _is_list_of(list(value.values()), Mapping):
            parts.append(flat_table(name, [{"": row} | dict(own) for row, own in value.items()]))
        elif isinstance(value, Mapping):
            rows += _collected(value, f"{name}, ", parts)
        elif value is not None and value != []:
            rows.append([name, _cell(value)])
    return rows


def _is_list_of(value: Any, kind: type) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, kind) for row in value)


def flat_table(name: str, rows: Sequence[Mapping[str, Any]]) -> DataTable:
    """Return a row for each object; the members of objects in it have columns of their own."""
    flat = [_flat(row) for row in rows]
    columns = list(dict.fromkeys(key for row in flat for key in row))
    headings = [column.replace("_", " ") for column in columns]
    return DataTable(name, headings, [[row.get(key) for key in columns] for row in flat])


def _flat(row: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = _cell(value)
    return flat


def _cell(value: Any) -> Any:
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def outcome(path: Path) -> Outcome:
    content = read_object(path)
    numbers = dict(_numbers(content, ""))
    results = [Result(name, Sample.exact(value), NEITHER) for name, value in numbers.items()]
    if not results:
        raise ValueError(f"{path}: contains no numbers to compare")
    if len(results) > _MOST:
        raise ValueError(f"{path}: contains {len(results):,} numbers, expected at most {_MOST:,}")
    versions, plan = written_versions(content.get("versions")), content.get("plan")
    request = dict(asked_of(plan)) if isinstance(plan, Mapping) else {}
    kind = f"object with {', '.join(name for name in content if name != 'provenance')}"
    return Outcome(kind, str(path), [Entry(request, results)], versions)


def _numbers(value: Any, where: str) -> Iterator[tuple[str, float]]:
    """Yield the numbers in a value of JSON, each with its place."""
    if isinstance(value, dict):
        for key, member in value.items():
            if not (is_computing_time(key) or (not where and key in _NO_RESULTS)):
                yield from _numbers(member, f"{where}.{key}" if where else key)
    elif isinstance(value, list):
        for place, member in enumerate(value):
            yield from _numbers(member, f"{where}[{place}]")
    elif isinstance(value, int | float) and math.isfinite(value):
        yield where, float(value)


def load_outcome(path: Path) -> Outcome:
    results = saved_results(path, "load")
    points = [results | point for point in results["points"]]
    versions = written_versions(points[0].get("versions"))
    return Outcome("load", str(path), point_entries(path, [(point, point) for point in points]), versions)


def point_entries(path: Path, points: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> list[Entry]:
    """Return an entry for each plan and what was measured, those of all seeds together."""
    return seed_entries(
        ((asked_of({name: plan.get(name) for name in _REQUEST}), plan, point) for plan, point in points),
        lambda _, draws: figure_results(path, draws, _OF_LOAD, "seeds"),
    )


def study_outcome(path: Path) -> Outcome:
    """Return the tables in the folder of a study, to be compared."""
    entries = [entry for file in sorted(path.glob("*.csv")) for entry in _study_rows(file)]
    if not entries:
        raise ValueError(f"{path}: contains no tables (*.csv) to compare")
    return Outcome("study", str(path), entries)


def _study_rows(file: Path) -> list[Entry]:
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
