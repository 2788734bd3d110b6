"""A store, or a sweep with its store: run times, schedules and loads that it keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from netplace.checks.schema import anything, table, table_of
from netplace.cosim.outcome import OUTCOME
from netplace.report.pages.html import Page, Part
from netplace.report.pages.kinds.cosimulation import cosim_entry
from netplace.report.pages.kinds.load import point_entries
from netplace.report.pages.kinds.outcome import Entry, Outcome
from netplace.report.pages.kinds.saved import asked_of
from netplace.report.pages.kinds.schedule import plan_entries
from netplace.report.pages.kinds.table import run_entries, times_page
from netplace.report.tables.data_table import DataTable
from netplace.runs.chance import network_draws, placement_draws
from netplace.runs.spec import Run
from netplace.runs.store import Row, Store
from netplace.runs.sweep import read_sweep
from netplace.runs.tables import run_table, time_table
from netplace.topologies import names_file, parse

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
        asked = [("sweep" if sweep else "store", path.name)]
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
    for kept_in, under, title, names in _SHOWN:
        kept = [(plan, found) for plan, found in store.outcomes(kept_in) if not under or under in found]
        if kept:
            plans = [dict(asked_of(plan)) for plan, _ in kept]
            rows = [
                [_figure(found.get(under) if under else found, name) for name in names] for _, found in kept
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


_PLAN = table({"jobs": table_of(anything)}, others=True)


def outcome(path: Path) -> Outcome:
    with _opened(path) as (store, runs):
        entries = _runs(list(store.rows(runs)))
        if runs is None:
            kept = list(store.outcomes("schedules"))
            schedules = [(plan, result) for plan, result in kept if "metrics" in result]
            entries += [_of("load", entry) for entry in point_entries(path, store.outcomes("loads"))]
            entries += [_of("schedule", entry) for entry in plan_entries(path, schedules)]
            shared = [(plan, result) for plan, result in kept if "jobs" in result]
            for plan, result in shared:
                _PLAN(plan, f"{path}: plan of a co-simulation")
                OUTCOME(result, f"{path}: a co-simulation")
            entries += [_of("co-simulation", cosim_entry(path, plan, result)) for plan, result in shared]
    if not entries:
        raise ValueError(f"{path}: contains no finished results to compare")
    return Outcome("store", str(path), entries)


def _of(kind: str, entry: Entry) -> Entry:
    return Entry({"outcome": kind, **entry.asked}, entry.results)


def _runs(rows: list[Row]) -> list[Entry]:
    by_key = {run.key: run for run, *_ in rows}
    frame = run_table(rows)

    def by_chance(ended: Any) -> bool:
        return _draws(by_key[ended["key"].iloc[0]])

    return [_of("run", entry) for entry in run_entries(frame, by_chance)]


def _draws(run: Run) -> bool:
    """Return whether a seed could change what comes of a run; yes in doubt, no file that is named is read."""
    return names_file(run.network) or placement_draws(run) or network_draws(parse(run.network), run.config)
