"""The page of a store, or of a sweep with its store: run times, schedules and loads that it keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from netplace.report.pages.html import DataTable, Page, Part
from netplace.report.pages.kinds.saved import asked_of
from netplace.report.pages.kinds.table import times_page
from netplace.runs.store import Store
from netplace.runs.sweep import read_sweep
from netplace.runs.tables import run_table, time_table

_SCHEDULE = ("makespan", "utilisation", "throughput", "per_job.wait.mean", "per_job.bounded_slowdown.mean")
_COSIM = (*(f"schedule.{name}" for name in _SCHEDULE[:3]), "sharing.mean_slowdown")
_LOAD = ("accepted", "delay.mean", "delay.p99", "packets")
# Of each table of a store: where the figures stand, and which are shown.
_SHOWN = (
    ("schedules", "metrics", "Schedules", _SCHEDULE),
    ("schedules", "figures", "Co-simulations", _COSIM),
    ("loads", "", "Load points", _LOAD),
)


def recognises(path: Path) -> bool:
    if path.suffix.lower() == ".toml":
        return path.is_file() and path.with_suffix(".sqlite").is_file()
    return path.is_file() and path.suffix.lower() in (".sqlite", ".db")


def page(path: Path) -> Page:
    sweep = path.suffix.lower() == ".toml"
    runs = read_sweep(path).runs() if sweep else None
    place = path.with_suffix(".sqlite") if sweep else path
    asked = [("sweep" if sweep else "store", path.name)]
    with Store(place, read_only=True) as store:
        frame = time_table(run_table(store.rows(runs)), sort=not sweep)
        more = [] if sweep else _tables(store)
    if frame["mean"].notna().any():
        made = times_page(path, frame, asked)
        return Page(made.title, made.verdict, asked, [*made.parts, *more], made.missing)
    if not more:
        raise ValueError(f"{path}: contains no finished results to report")
    said = [f"{len(table.rows)} {table.title.lower()} are kept." for table in more]
    return Page(f"Store {path.name}", said, asked, list[Part](more))


def _tables(store: Store) -> list[DataTable]:
    made = []
    for table, under, title, names in _SHOWN:
        kept = [(plan, outcome) for plan, outcome in store.outcomes(table) if not under or under in outcome]
        if kept:
            plans = [dict(asked_of(plan)) for plan, _ in kept]
            rows = [
                [_figure(outcome.get(under) if under else outcome, name) for name in names]
                for _, outcome in kept
            ]
            made.append(_beside(title, plans, names, rows))
    return made


def _beside(
    title: str, plans: Sequence[Mapping[str, str]], names: Sequence[str], rows: Sequence[Sequence[Any]]
) -> DataTable:
    """Return a table of what plans differ in, and of their figures; what all share is the note."""
    keys = dict.fromkeys(key for plan in plans for key in plan)
    differing = [key for key in keys if len({plan.get(key) for plan in plans}) > 1]
    shared = ", ".join(f"{key} {plans[0][key]}" for key in keys if key not in differing)
    body = [[*(plan.get(key) for key in differing), *row] for plan, row in zip(plans, rows, strict=True)]
    return DataTable(title, [*differing, *names], body, note=f"All: {shared}." if shared else "")


def _figure(value: Any, name: str) -> Any:
    for key in name.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
