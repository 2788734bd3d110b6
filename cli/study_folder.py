"""Several plans side by side in a folder: a report, its tables and a picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from netplace.checks.writing import made_folder

if TYPE_CHECKING:
    from pandas import DataFrame

_DIGITS = 4


def write_study_folder(
    folder: Path,
    heading: str,
    command: str,
    tables: Mapping[str, tuple[str, DataFrame]],
    draw: Callable[[Path], None],
) -> None:
    """Write ``report.md``, a CSV file for each table that is not empty, and ``comparison.png``."""
    from netplace.studies.report import Report, ReportTable, write

    made = [
        ReportTable(name, title, frame, {key: _DIGITS for key in frame.columns if frame[key].dtype == float})
        for name, (title, frame) in tables.items()
        if len(frame)
    ]
    with made_folder(folder):
        write(Report(tuple(made), (), {"comparison": draw}), folder, heading, command, "none")
