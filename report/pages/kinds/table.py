"""A run-time table: CSV or Parquet of ``netplace table``."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from netplace.quantities import LESS
from netplace.report.pages.html import Page, Part
from netplace.report.pages.kinds.outcome import Entry, Outcome, Result, Sample
from netplace.report.plots.charts import bar_marks
from netplace.report.plots.figure import Axis, Figure, Panel
from netplace.report.tables.data_table import DataTable
from netplace.runs.tables import ENTRY, read_table, times_of
from netplace.scheduling.metrics.comparison import clear_best
from netplace.scheduling.metrics.interval import estimate, half_width_of

_MOST_PANELS = 120
_BASE = "consecutive"  # with which mappings are compared; where it is missing, the first


def page(path: Path) -> Page:
    frame = times_of(read_table(path), path)
    return times_page(path, frame, [("table", path.name)])


def times_page(path: Path, frame: pd.DataFrame, request: Sequence[tuple[str, str]]) -> Page:
    """Return the page of run times by request."""
    known = frame[frame["mean"].notna()]
    failed = int(frame["failed"].sum())
    if not len(known) and not failed:
        raise ValueError(f"{path}: has no finished run")
    half = [half_width_of(std, count) for std, count in zip(known["std"], known["count"], strict=True)]
    known = known.assign(half=pd.Series(half, known.index, object).where(pd.notna(half), None))
    others = [name for name in ENTRY if name != "mapping"]
    differing = [name for name in others if known[name].nunique(dropna=False) > 1]
    groups = {_name(rows, differing): rows for _, rows in known.groupby(others, dropna=False, sort=False)}
    sentences = _verdict(groups) if groups else []
    parts: list[Part] = [_bars(groups)] if groups else []
    if len(groups) > 1:
        parts.append(_by_group(groups))
    if failed:
        sentences.append(f"{failed} runs failed; means leave them out.")
    every = [*ENTRY, "count", *(["failed"] if failed else []), "mean", "std", "min", "max"]
    columns = [name for name in every if (frame[name].notna() & frame[name].ne("")).any()]
    note = "One row per entry, over its seeds."
    parts.append(DataTable.of("Run times (cycles)", frame[columns], note=note))
    missing = []
    if len(groups) > _MOST_PANELS:
        missing.append(
            f"bars of the last {len(groups) - _MOST_PANELS} of {len(groups)} groups; the table has all"
        )
    if ended := int(frame["missing"].sum()):
        missing.append(f"{ended} runs that are not simulated yet")
    return Page(f"Which mapping is fastest in {path.name}?", sentences, request, parts, missing)


def _name(rows: pd.DataFrame, differing: Sequence[str]) -> str:
    words = (f"{rows[column].iloc[0]}{' tasks' * (column == 'tasks')}" for column in differing)
    return ", ".join(words) or str(rows["application"].iloc[0])


def _bars(groups: Mapping[str, pd.DataFrame]) -> Figure:
    """Return a panel for each group, with a bar for each mapping."""
    panels = [
        Panel(
            marks=bar_marks({"cycles": rows["mean"].tolist()}, {"cycles": rows["half"].tolist()}),
            x=Axis(names=[str(mapping) for mapping in rows["mapping"]]),
            y=Axis(low=0.0, grid=True),
            title=name if len(groups) > 1 else "",
        )
        for name, rows in list(groups.items())[:_MOST_PANELS]
    ]
    columns = min(3, len(panels))
    return Figure(
        title="Run time by mapping",
        panels=panels,
        columns=columns,
        height=3.6 if len(panels) == 1 else 0.4 + 2.2 * -(-len(panels) // columns),
        y="cycles",
        caption="Means over the seeds, in cycles.",
        whiskers="95 % intervals",
    )


def _fastest(rows: pd.DataFrame) -> tuple[str, float, bool]:
    """Return the mapping with the smallest mean, this mean, and whether it is clearly the fastest."""
    best = rows.iloc[int(rows["mean"].to_numpy().argmin())]
    clear = len(rows) > 1 and clear_best(rows["mean"], rows["std"], rows["count"]) is not None
    return str(best["mapping"]), float(best["mean"]), clear


def _by_group(groups: Mapping[str, pd.DataFrame]) -> DataTable:
    made = []
    for name, rows in groups.items():
        best, mean, clear = _fastest(rows)
        worst = rows.loc[rows["mean"].idxmax()]
        more = 100 * (worst["mean"] / mean - 1) if mean else None
        made.append([name, best, mean, "yes" if clear else "no", worst["mapping"], more])
    columns = ["group", "fastest", "cycles", "clearly", "slowest", "takes more (%)"]
    return DataTable("Fastest mapping of each group", columns, made, digits=[0, 0, 0, 0, 0, 1])


def _verdict(groups: Mapping[str, pd.DataFrame]) -> list[str]:
    winners = {name: _fastest(rows) for name, rows in groups.items()}
    if len(groups) > 1 and (overall := _overall(groups.values())):
        counts = Counter(best for best, _, clear in winners.values() if clear)
        won = ", ".join(f"{name} in {count}" for name, count in counts.most_common()) or "none in any"
        return [overall, f"Clearly the fastest of {len(groups)} groups: {won}."]
    (name, (best, mean, clear)), *more = winners.items()
    rows = groups[name]
    worst = rows.loc[rows["mean"].idxmax()]
    if len(rows) == 1:
        said = f"{name}: {mean:,.0f} cycles with {best}, the only mapping"
    else:
        how = "is clearly the fastest" if clear else "has the smallest mean, without a clear difference"
        share = f"{100 * (worst['mean'] / mean - 1):.1f} %" if mean else "infinitely many times"
        said = f"{name}: {best} {how}, {mean:,.0f} cycles; {worst['mapping']} takes {share} more"
    return [said + (f"; the table has {len(more)} more groups." if more else ".")]


def _overall(groups: Iterable[pd.DataFrame]) -> str:
    """Return which mapping is fastest by the geometric mean of its times over groups, each to the base."""
    times = [dict(zip(rows["mapping"], rows["mean"], strict=True)) for rows in groups]
    mappings = dict.fromkeys(name for own in times for name in own)
    base = _BASE if _BASE in mappings else next(iter(mappings))
    ratios = {
        name: [
            math.log(own[name] / own[base]) for own in times if own.get(name, 0) > 0 and own.get(base, 0) > 0
        ]
        for name in mappings
        if name != base
    }
    found = {name: estimate(own) for name, own in ratios.items() if len(own) > 1}
    if not found:
        return ""
    name = min(found, key=lambda name: found[name].mean)
    mean, half = found[name].mean, found[name].half_width
    change, low, high = (100 * math.expm1(end) for end in (mean, mean - half, mean + half))
    doubt = "" if abs(mean) > half else ", but not clearly"
    return (
        f"{name if mean < 0 else base} is fastest on average{doubt}: {name} takes {abs(change):.1f} % "
        f"{'less' if mean < 0 else 'more'} time than {base} (geometric mean over {len(ratios[name])} groups, "
        f"95 % interval {low:+.1f} to {high:+.1f} %)."
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
