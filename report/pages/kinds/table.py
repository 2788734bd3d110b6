"""A run-time table: CSV or Parquet of ``netplace table``."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from netplace.quantities import LESS
from netplace.report.pages.html import Page, Part
from netplace.report.pages.kinds.outcome import Entry, Outcome, Result, Sample
from netplace.report.plots.charts import bar_figure
from netplace.report.plots.figure import Figure
from netplace.report.tables.data_table import DataTable
from netplace.runs.tables import ENTRY, read_table, times_of
from netplace.scheduling.metrics.comparison import clear_best
from netplace.scheduling.metrics.interval import half_width_of

_MOST_GROUPS = 12


def page(path: Path) -> Page:
    frame = times_of(read_table(path), path)
    return times_page(path, frame, [("table", path.name)])


def times_page(path: Path, frame: pd.DataFrame, asked: Sequence[tuple[str, str]]) -> Page:
    """Return the page of run times by request."""
    known = frame[frame["mean"].notna()]
    failed = int(frame["failed"].sum())
    if not len(known) and not failed:
        raise ValueError(f"{path}: has no finished run")
    half = [half_width_of(std, count) for std, count in zip(known["std"], known["count"], strict=True)]
    known = known.assign(half=pd.Series(half, known.index, object).where(pd.notna(half), None))
    others = [name for name in ENTRY if name != "mapping"]
    groups = list(known.groupby(others, dropna=False, sort=False))
    differing = [name for name in others if known[name].nunique(dropna=False) > 1]
    parts: list[Part] = []
    said = []
    for place, (_, rows) in enumerate(groups):
        words = (f"{rows[column].iloc[0]}{' tasks' * (column == 'tasks')}" for column in differing)
        name = ", ".join(words) or str(rows["application"].iloc[0])
        said.append(_verdict(name, rows))
        if place < _MOST_GROUPS:
            parts.append(_bars(name, rows))
    said = said[:_MOST_GROUPS]
    if failed:
        said.append(f"{failed} runs failed; means leave them out.")
    every = [*ENTRY, "count", *(["failed"] if failed else []), "mean", "std", "min", "max"]
    columns = [name for name in every if (frame[name].notna() & frame[name].ne("")).any()]
    note = "One row per entry, over its seeds."
    parts.append(DataTable.of("Run times (cycles)", frame[columns], note=note))
    missing = []
    if len(groups) > _MOST_GROUPS:
        missing.append(
            f"pictures of {len(groups) - _MOST_GROUPS} of {len(groups)} groups; the table contains all"
        )
    if ended := int(frame["missing"].sum()):
        missing.append(f"{ended} runs that are not simulated yet")
    return Page(f"Run times: {path.name}", said, asked, parts, missing)


def _bars(name: str, rows: pd.DataFrame) -> Figure:
    return bar_figure(
        f"Run time by mapping: {name}",
        [str(mapping) for mapping in rows["mapping"]],
        {"cycles": rows["mean"].tolist()},
        half={"cycles": rows["half"].tolist()},
        unit="cycles",
        caption="Means over the seeds.",
        whiskers="95 % intervals",
    )


def _verdict(name: str, rows: pd.DataFrame) -> str:
    place = int(rows["mean"].to_numpy().argmin())
    best = rows.iloc[place]
    if len(rows) == 1:
        return f"{name}: {best['mean']:,.0f} cycles with {best['mapping']}, the only mapping."
    worst = rows.loc[rows["mean"].idxmax()]
    share = f"{100 * (worst['mean'] / best['mean'] - 1):.1f} %" if best["mean"] else "infinitely many times"
    clear = clear_best(rows["mean"], rows["std"], rows["count"])
    if clear is None:
        return (
            f"{name}: {best['mapping']} has the smallest mean, {best['mean']:,.0f} cycles, without a "
            f"clear difference from the next; {worst['mapping']} takes {share} more."
        )
    return (
        f"{name}: {best['mapping']} is clearly the fastest, {best['mean']:,.0f} cycles; "
        f"{worst['mapping']} takes {share} more."
    )


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
    entries = []
    for row in frame.to_dict("records"):
        known = row["count"] > 0 and not math.isnan(row["mean"])
        results = [Result(_TIME, _sample(row), LESS)] if known else []
        if results or row["failed"] > 0:
            entries.append(Entry(_asked(row), [*results, *_failures(row["failed"])]))
    return Outcome("table", str(path), entries)


def run_entries(runs: pd.DataFrame, is_random: Callable[[Any], bool]) -> list[Entry]:
    """Return an entry for each entry of a `run_table` that ran; `is_random`: whether seeds matter."""
    failed = runs["failure"].notna() if "failure" in runs.columns else runs["cycles"].isna() & False
    entries = []
    for _, every in runs[runs["cycles"].notna() | failed].groupby(ENTRY, dropna=False, sort=False):
        draws = "seeds" if is_random(every) else ""
        rows, results = every[every["cycles"].notna()], []
        for column, name in _MEASURED.items():
            values = dict(zip(rows["seed"].astype(str), rows[column].astype(float), strict=True))
            if values and not any(map(math.isnan, values.values())):
                sample = Sample.of(values, draws) if draws else Sample.exact(next(iter(values.values())))
                results.append(Result(name, sample, LESS))
        results += _failures(len(every) - len(rows))
        seeds = ", ".join(every["seed"].astype(str))
        entries.append(Entry({**_asked(every.iloc[0].to_dict()), "seeds": seeds}, results))
    return entries


def _failures(count: float) -> list[Result]:
    """Return how many runs of an entry failed, if any did: their times are in no mean."""
    return [Result("failed runs", Sample.exact(float(count)), LESS)] if count > 0 else []


def _asked(row: Mapping[Hashable, Any]) -> dict[str, str]:
    return {name: "" if pd.isna(row[name]) else str(row[name]) for name in ENTRY}


def _sample(row: Mapping[Hashable, Any]) -> Sample:
    spread = math.nan if pd.isna(row["std"]) else float(row["std"])
    return Sample(float(row["mean"]), spread, int(row["count"]), unit="seeds")
