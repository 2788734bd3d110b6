"""Stores: runs, loads, schedules and co-simulations that they keep, each under what was asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from netplace.checks.schema import anything, table, table_of
from netplace.cosim.outcome import OUTCOME
from netplace.report.comparison.kinds.cosimulation import cosim_entry
from netplace.report.comparison.kinds.load import point_entries
from netplace.report.comparison.kinds.schedule import plan_entries
from netplace.report.comparison.kinds.table import run_entries
from netplace.report.comparison.outcome import Entry, Outcome
from netplace.runs.chance import network_draws, placement_draws
from netplace.runs.spec import Run
from netplace.runs.store import Row, Store
from netplace.runs.sweep import read_sweep
from netplace.runs.tables import run_table
from netplace.topologies import names_file, parse

_PLAN = table({"jobs": table_of(anything)}, others=True)


def outcome(path: Path) -> Outcome:
    sweep = path.suffix.lower() == ".toml"
    runs = read_sweep(path).runs() if sweep else None
    with Store(path.with_suffix(".sqlite") if sweep else path, read_only=True) as store:
        entries = _runs(list(store.rows(runs)))
        if runs is None:
            loads = [(plan, measured) for plan, measured in store.outcomes("loads")]
            kept = list(store.outcomes("schedules"))
            schedules = [(plan, result) for plan, result in kept if "metrics" in result]
            entries += [_of("load", entry) for entry in point_entries(path, loads)]
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
