"""Run-time tables in CSV or Parquet: run times by entry, over their seeds."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from netplace.checks.quantities import LESS
from netplace.report.comparison.outcome import Entry, Outcome, Result, Sample
from netplace.runs.tables import ENTRY, read_table, times_of

_TIME = "run time (cycles)"
_MEASURED = {
    "cycles": _TIME,
    "mean_packet_delay": "mean packet delay (cycles)",
    "most_link_load": "largest link load",
}


def outcome(path: Path) -> Outcome:
    frame = read_table(path)
    if {*ENTRY, "seed", *_MEASURED} <= {*frame.columns}:
        return Outcome("table", str(path), run_entries(frame, lambda _: True))
    frame = times_of(frame, path)
    known = frame[frame["count"].fillna(0) > 0]
    entries = [
        Entry(_asked(row), [Result(_TIME, _sample(row), LESS)])
        for row in known.to_dict("records")
        if not math.isnan(row["mean"])
    ]
    return Outcome("table", str(path), entries)


def run_entries(runs: pd.DataFrame, by_chance: Callable[[Any], bool]) -> list[Entry]:
    """Return an entry for each entry of a `run_table` with a result; `by_chance`: whether seeds matter."""
    ended = runs[runs["cycles"].notna()]
    entries = []
    for _, rows in ended.groupby(ENTRY, dropna=False, sort=False):
        draws = "seeds" if by_chance(rows) else ""
        results = []
        for column, name in _MEASURED.items():
            values = dict(zip(rows["seed"].astype(str), rows[column].astype(float), strict=True))
            if not any(map(math.isnan, values.values())):
                sample = Sample.of(values, draws) if draws else Sample.exact(next(iter(values.values())))
                results.append(Result(name, sample, LESS))
        seeds = ", ".join(rows["seed"].astype(str))
        entries.append(Entry({**_asked(rows.iloc[0].to_dict()), "seeds": seeds}, results))
    return entries


def _asked(row: Mapping[Hashable, Any]) -> dict[str, str]:
    return {name: "" if pd.isna(row[name]) else str(row[name]) for name in ENTRY}


def _sample(row: Mapping[Hashable, Any]) -> Sample:
    spread = math.nan if pd.isna(row["std"]) else float(row["std"])
    return Sample(float(row["mean"]), spread, int(row["count"]), draws="seeds")
