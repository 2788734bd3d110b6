"""A store, or a sweep with its store: run times, schedules and loads that it keeps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from netplace.report.pages.html import Page
from netplace.report.pages.kinds.cosimulation import cosim_entry
from netplace.report.pages.kinds.outcome import Entry, Outcome
from netplace.report.pages.kinds.saved import asked_of
from netplace.report.pages.kinds.schedule import plan_entries
from netplace.report.pages.kinds.table import run_entries, times_page
from netplace.report.pages.kinds.tables import flat_table, point_entries
from netplace.report.tables.data_table import DataTable
from netplace.runs.chance import network_is_random, placement_is_random
from netplace.runs.spec import Run
from netplace.runs.store import Row, Store
from netplace.runs.sweep import read_sweep
from netplace.runs.tables import run_table, time_table
from netplace.topologies import names_file, parse

_SHOWN = ("schedules", "loads")  # tables of a store beside that of the runs


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Store, list[Run] | None]]:
    """Open a store, or that of a sweep, whose runs are the second value."""
    sweep = path.suffix.lower() == ".toml"
    runs = read_sweep(path).runs() if sweep else None
    with Store(path.with_suffix(".sqlite") if sweep else path, read_only=True) as store:
        yield store, runs


def page(path: Path) -> Page:
    with _opened(path) as (store, runs):
        sweep = runs is not None
        request = [("sweep" if sweep else "store", path.name)]
        frame = time_table(run_table(store.rows(runs)), sort=not sweep)
        more = [] if sweep else _tables(store)
    if frame["mean"].notna().any() or frame["failed"].any():
        made = times_page(path, frame, request)
        return Page(made.question, made.verdict, request, [*made.parts, *more], made.missing)
    if not more:
        raise ValueError(f"{path}: contains no finished results to report")
    sentences = [f"{len(table.rows)} {table.title.lower()} are stored." for table in more]
    return Page(f"What does {path.name} hold?", sentences, request, more)


def _tables(store: Store) -> list[DataTable]:
    """Return the plans and numbers of each table of a store, without those of single jobs."""
    tables = []
    for name in _SHOWN:
        rows = [
            dict(asked_of(plan)) | {key: value for key, value in found.items() if not isinstance(value, list)}
            for plan, found in store.outcomes(name)
        ]
        if rows:
            tables.append(flat_table(name.capitalize(), rows))
    return tables


def outcome(path: Path) -> Outcome:
    with _opened(path) as (store, runs):
        entries = _runs(list(store.rows(runs)))
        if runs is None:
            kept = list(store.outcomes("schedules"))
            schedules = [(plan, result) for plan, result in kept if "metrics" in result]
            entries += [_of("load", entry) for entry in point_entries(path, store.outcomes("loads"))]
            entries += [_of("schedule", entry) for entry in plan_entries(path, schedules)]
            shared = [(plan, result) for plan, result in kept if "jobs" in result]
            entries += [_of("co-simulation", cosim_entry(path, plan, result)) for plan, result in shared]
    if not entries:
        raise ValueError(f"{path}: contains no finished results to compare")
    return Outcome("store", str(path), entries)


def _of(kind: str, entry: Entry) -> Entry:
    return Entry({"outcome": kind, **entry.asked}, entry.results)


def _runs(rows: list[Row]) -> list[Entry]:
    by_key = {run.key: run for run, *_ in rows}
    frame = run_table(rows)

    def is_random(ended: Any) -> bool:
        return _draws(by_key[ended["key"].iloc[0]])

    return [_of("run", entry) for entry in run_entries(frame, is_random)]


def _draws(run: Run) -> bool:
    """Return whether a seed could change what comes of a run; yes in doubt, no file that is named is read."""
    return (
        names_file(run.network)
        or placement_is_random(run)
        or network_is_random(parse(run.network), run.config)
    )
