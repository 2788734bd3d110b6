"""The folder of a schedule: its figures, and its jobs, a row each."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from netplace.csv_files import names_in, numbers_in, text_table
from netplace.inputs import abbreviate
from netplace.json_files import read_results, results_text
from netplace.plugins import file_digest
from netplace.runs.plan import Plan
from netplace.runs.schedule_figures import ScheduleFigures

if TYPE_CHECKING:
    import pandas as pd

ROWS = "rows.csv"
_NEEDED = ("number", "submit", "start", "end", "nodes", "held", "estimate", "state")
_SECONDS = ("submit", "start", "end", "begin")
_COUNTS = ("nodes", "held", "kills")
_AMOUNTS = ("nominal", "estimate", "head_wait", "promised", "locality", "boot_wait", "energy")
_STATES = ("open", "done", "failed")
_TRUTHS = {"True": True, "False": False}
_LATEST = 1e18  # seconds: differences of two are exact enough to be shown
_RANGE = re.compile(r"(\d{1,15})(?:-(\d{1,15}))?", re.ASCII)


def read_rows(path: Path) -> pd.DataFrame:
    """Return the jobs in a file of ``netplace schedule -o``; known columns are checked, others are text."""
    frame = text_table(path, "table of jobs")
    for name in _NEEDED:
        if name not in frame:
            raise ValueError(f"{path}: has no column {name}")
    if not len(frame):
        raise ValueError(f"{path}: has no jobs")
    for name in frame.columns:
        frame[name] = _column(frame[name], path)
    early = (frame["start"] < frame["submit"]) | (frame["end"] < frame["start"])
    if early.any():
        row = int(early.to_numpy().argmax()) + 1
        raise ValueError(f"{path}, row {row}: expected submit, start and end in this order")
    return frame


def _column(column: pd.Series, path: Path) -> pd.Series:
    name = str(column.name)
    if name == "number":
        return _filled(numbers_in(column, path, minimum=-(2.0**62), whole=True), path)
    if name in _SECONDS:
        return _filled(numbers_in(column, path, minimum=-_LATEST, maximum=_LATEST), path)
    if name in _COUNTS:
        return _filled(numbers_in(column, path, whole=True), path)
    if name in _AMOUNTS:
        return numbers_in(column, path, minimum=-1e300, maximum=1e300)
    if name == "state":
        return names_in(column, path, _STATES)
    if name in ("contiguous", "backfilled"):
        return names_in(column, path, tuple(_TRUTHS)).map(_TRUTHS)
    if name == "places":
        for row, text in enumerate(column, 1):
            node_ranges(text, f"{path}, row {row}, places")
    return column


def _filled(column: pd.Series, path: Path) -> pd.Series:
    """Return a column of numbers, none of which may be missing."""
    empty = column.isna()
    if empty.any():
        row = int(empty.to_numpy().argmax()) + 1
        raise ValueError(f"{path}, row {row}, {column.name}: is empty, expected a number")
    return column.astype("int64") if column.dtype == "Int64" else column


def node_ranges(text: str, where: str = "places") -> list[tuple[int, int]]:
    """Return first node and last plus one of each range in a text such as ``0-3 8``."""
    ranges: list[tuple[int, int]] = []
    for word in text.split():
        match = _RANGE.fullmatch(word)
        first = int(match[1]) if match else 0
        last = int(match[2] or first) if match else -1
        if last < first or (ranges and first < ranges[-1][1]):
            raise ValueError(f"{where}: {abbreviate(text)} found, expected numbers of nodes such as 0-3 8")
        ranges.append((first, last + 1))
    return ranges


FIGURES = "figures.json"


def figures_text(folder: Path, plan: Plan, figures: ScheduleFigures) -> str:
    """Return the contents of the file of figures, with the digest of the rows."""
    content = {"plan": plan.to_dict(), "rows_digest": file_digest(folder / ROWS), **figures.to_dict()}
    return results_text("schedule", content)


def read_figures(folder: Path) -> tuple[Plan, ScheduleFigures]:
    """Return plan and figures of a schedule's folder; the files that the plan names are not read."""
    path = folder / FIGURES
    for name in (FIGURES, ROWS):
        if not (folder / name).is_file():
            raise ValueError(
                f"{folder / name}: does not exist, expected a folder written by netplace schedule -o"
            )
    figures = read_results(path, "schedule")
    digest = figures.pop("rows_digest", None)
    if digest is not None and digest != file_digest(folder / ROWS):
        raise ValueError(f"{folder / ROWS}: does not match {FIGURES}: it was damaged or edited")
    return Plan.from_dict(figures.pop("plan")), ScheduleFigures.from_dict(figures)


def read_schedule(folder: Path) -> tuple[Plan, ScheduleFigures, pd.DataFrame]:
    """Return plan, figures and jobs that a folder holds; as `read_figures`, and the jobs as `read_rows`."""
    return *read_figures(folder), read_rows(folder / ROWS)
