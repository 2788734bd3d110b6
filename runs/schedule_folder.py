"""A schedule read from a folder: checked data, key by key; nothing is run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from netplace.checks.results_file import read_results, results_text
from netplace.checks.schema import kind_of, table, text
from netplace.extensions import file_digest
from netplace.runs.outcomes import SCHEDULE_KEYS, SCHEDULE_OPTIONS
from netplace.runs.plan import Plan
from netplace.runs.schedule_figures import ScheduleFigures
from netplace.runs.schedule_rows import ROWS, read_rows

if TYPE_CHECKING:
    import pandas as pd

FIGURES = "figures.json"
VERSION = 2  # to be raised when keys of the figures change
_KIND = table({"plan": kind_of(Plan), **SCHEDULE_KEYS}, {"rows_digest": text, **SCHEDULE_OPTIONS})


def figures_text(folder: Path, plan: Plan, figures: ScheduleFigures) -> str:
    """Return the contents of the file of figures, with the digest of the rows."""
    content = {"plan": plan.to_dict(), "rows_digest": file_digest(folder / ROWS), **figures.to_dict()}
    return results_text("schedule", VERSION, content)


def read_figures(folder: Path) -> tuple[Plan, ScheduleFigures]:
    """Return plan and figures of a schedule's folder; the files that the plan names are not read."""
    path = folder / FIGURES
    for name in (FIGURES, ROWS):
        if not (folder / name).is_file():
            raise ValueError(
                f"{folder / name}: does not exist, expected a folder written by netplace schedule -o"
            )
    figures = read_results(path, "schedule", VERSION, _KIND)
    digest = figures.pop("rows_digest", None)
    if digest is not None and digest != file_digest(folder / ROWS):
        raise ValueError(f"{folder / ROWS}: does not match {FIGURES}: it was damaged or edited")
    return Plan.from_dict(figures.pop("plan")), ScheduleFigures.from_dict(figures)


def read_schedule(folder: Path) -> tuple[Plan, ScheduleFigures, pd.DataFrame]:
    """Return plan, figures and jobs that a folder holds; as `read_figures`, and the jobs as `read_rows`."""
    return *read_figures(folder), read_rows(folder / ROWS)
