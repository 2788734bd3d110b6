"""Run times in Python: from a table, or from a store that simulates missing runs."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from netplace.inputs import check_choice
from netplace.notebook import html_bars
from netplace.runs.campaign import complete
from netplace.runs.resources import simulators
from netplace.runs.spec import Run
from netplace.runs.store import Store
from netplace.runs.tables import ENTRY, read_table, run_table, times_of
from netplace.scheduling.metrics.interval import half_width_of

_MOST_BARS = 40  # in a notebook


@dataclass(frozen=True)
class RunTime:
    """Run time of one entry over its seeds, in cycles."""

    # count, missing: runs that ended, and runs asked for that did not (not simulated, or failed).
    count: int
    missing: int
    # mean, std: mean, and standard deviation of the sample; nan where there are too few runs.
    mean: float
    std: float
    # least, most: shortest and longest.
    least: int | None
    most: int | None


class RunTimes:
    """A table of runs or of run times with lookup of entries."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = times_of(frame, "table")

    def _repr_html_(self) -> str:
        known = self.frame[self.frame["count"] > 0]
        words = [name for name in ENTRY if known[name].nunique(dropna=False) > 1] or ["application"]
        shown = known.head(_MOST_BARS)
        names = [", ".join(map(str, row)) for row in shown[words].itertuples(index=False, name=None)]
        half = [
            half_width_of(std, count) if count > 1 else 0.0
            for std, count in zip(shown["std"].tolist(), shown["count"].tolist(), strict=True)
        ]
        rows = list(zip(names, shown["mean"].tolist(), half, strict=True))
        more = f"; the first {len(rows)} of {len(known):,}" if len(known) > len(rows) else ""
        return html_bars(f"Run times in cycles by {', '.join(words)}, with 95 % intervals{more}", rows)

    @classmethod
    def read(cls, path: str | Path) -> RunTimes:
        """Return the run times of a CSV or Parquet file, or of a store."""
        path = Path(path)
        if path.suffix in (".csv", ".parquet"):
            return cls(read_table(path))
        with Store(path, read_only=True) as store:
            return cls.of_store(store)

    @classmethod
    def of_store(cls, store: Store) -> RunTimes:
        """Return the run times of all runs that were requested from a store."""
        return cls(run_table(store.rows()))

    def find(self, **entry: str | int) -> RunTime:
        """Return the run time of the one entry that has these values in columns of `ENTRY`."""
        left = self.frame
        for column, value in entry.items():
            check_choice(column, ENTRY, "column of run times")
            matching = left[left[column] == value]
            if matching.empty:
                known = [str(name) for name in left[column].unique()]
                if str(value) not in known:
                    check_choice(str(value), known, column)
                raise ValueError(f"{column}: no entry has {value!r}")
            left = matching
        if len(left) != 1:
            open_columns = [name for name in ENTRY if left[name].nunique() > 1]
            raise ValueError(
                f"run times: {len(left)} entries fit, expected one; set {' or '.join(open_columns)}"
            )
        row = left.iloc[0]
        return RunTime(
            count=int(row["count"]),
            missing=int(row["missing"] + row["failed"]),
            mean=float(row["mean"]),
            std=float(row["std"]),
            least=None if pd.isna(row["min"]) else int(row["min"]),
            most=None if pd.isna(row["max"]) else int(row["max"]),
        )


class StoredTimes:
    """Run times from a store; if `simulate`, `workers` processes simulate what it lacks."""

    def __init__(self, store: Store, simulate: bool = True, workers: int = 1) -> None:
        self._store = store
        self._simulate = simulate
        self._workers = workers

    def of(self, run: Run, seeds: Iterable[int] | None = None) -> RunTime:
        """Return the run time of `run` over `seeds`, by default its own alone."""
        wanted = [run.seeded(seed) for seed in seeds] if seeds is not None else [run]
        if self._simulate:
            progress = complete(wanted, self._store, simulators(self._workers))
            if progress.lost:
                raise ValueError(f"run times: {progress.reason}")
        rows = list(self._store.rows(wanted))
        cycles = [outcome["cycles"] for _, outcome, _ in rows if outcome]
        failures = [failure for *_, failure in rows if failure]
        if failures and not cycles:
            raise ValueError(
                f"run times: {len(failures)} of {len(rows)} runs failed, the first: {failures[0]}"
            )
        return RunTime(
            count=len(cycles),
            missing=len(rows) - len(cycles),
            mean=statistics.fmean(cycles) if cycles else math.nan,
            std=statistics.stdev(cycles) if len(cycles) > 1 else math.nan,
            least=min(cycles, default=None),
            most=max(cycles, default=None),
        )
