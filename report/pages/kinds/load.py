"""Latency-throughput curves, as ``netplace load --json`` prints them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pandas as pd

from netplace.checks.quantities import LESS, MORE
from netplace.netsim import Config
from netplace.report.pages.html import Page, Part
from netplace.report.pages.kinds.outcome import Entry, Figures, Outcome, figure_results, seed_entries
from netplace.report.pages.kinds.saved import (
    asked_of,
    saved_object,
    saved_results,
    versions_of,
    written_versions,
)
from netplace.report.plots.points import load_figure
from netplace.report.tables.data_table import DataTable
from netplace.report.tables.load import curve_frame, saturation_notes
from netplace.runs.loads import LoadFigures, LoadPlan

_COLUMNS = {  # heading, and digits on the terminal
    "curve": ("curve", 0),
    "offered": ("offered", 3),
    "accepted": ("accepted", 4),
    "accepted_half_width": ("±", 4),
    "mean": ("mean delay (cycles)", 1),
    "mean_half_width": ("± (cycles)", 1),
    "p50": ("median (cycles)", 1),
    "p95": ("95th percentile (cycles)", 1),
    "p99": ("99th percentile (cycles)", 1),
    "seeds": ("seeds", 0),
    "packets": ("packets", 0),
    "cpu_seconds": ("CPU (s)", 2),
    "rate": ("M packet-hops/s", 2),
}


def page(path: Path) -> Page:
    points = points_of(path)
    plans = [_plan(path, point) for point in points]
    figures = [LoadFigures.from_dict(point) for point in points]
    frame = curve_frame(plans, figures)
    said = summary(plans, figures, frame)
    parts: list[Part] = [load_figure(frame, "Accepted load and delay of packets"), *said.parts]
    found = ("points", "saturation")
    asked = asked_of({name: value for name, value in saved_object(path).items() if name not in found})
    asked += versions_of(points[0].get("versions"))
    return replace(said, asked=asked, parts=parts)


def summary(plans: Sequence[LoadPlan], figures: Sequence[LoadFigures], frame: pd.DataFrame) -> Page:
    """Return the page without its figure and the request."""
    patterns = dict.fromkeys(plan.traffic for plan in plans)
    networks = dict.fromkeys(plan.network for plan in plans)
    title = f"{' and '.join(patterns)} traffic on {' and '.join(networks)}"
    notes = saturation_notes(plans, figures) if len(figures) > 1 else []
    return Page(title[:1].upper() + title[1:], notes, [], [_table(frame)])


def points_of(path: Path) -> list[dict[str, Any]]:
    """Return each point in a file, with its request."""
    results = saved_results(path, "load")
    return [results | point for point in results["points"]]


def _plan(path: Path, point: dict[str, Any]) -> LoadPlan:
    """Return the request for a point; no file that it names is read."""
    own = {item.name for item in fields(LoadPlan)} & point.keys() - {"config"}
    try:
        config = Config(**point.get("config", {}))
    except ValueError as error:
        raise ValueError(f"{path}: config: {error}") from None
    return LoadPlan(config=config, **{name: point[name] for name in own})


def _table(frame: pd.DataFrame) -> DataTable:
    kept = [name for name in _COLUMNS if frame[name].notna().any()]
    note = "Loads in phits per node and cycle."
    if "accepted_half_width" in kept:
        note += " ± is half of a 95 % interval over the seeds."
    made = DataTable.of("Points", frame[kept], [_COLUMNS[name][0] for name in kept], note)
    return replace(made, digits=[_COLUMNS[name][1] for name in kept])


_COMPARED: Figures = {
    ("accepted",): ("accepted load", MORE),
    ("delay", "mean"): ("mean delay (cycles)", LESS),
    ("delay", "p99"): ("99th percentile of delays (cycles)", LESS),
}
_ASKED = ("network", "traffic", "offered", "engine", "warmup", "measure", "hot_node", "hot_share", "config")


def outcome(path: Path) -> Outcome:
    points = points_of(path)
    versions = written_versions(points[0].get("versions"))
    return Outcome("load", str(path), point_entries(path, [(point, point) for point in points]), versions)


def point_entries(path: Path, points: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> list[Entry]:
    """Return an entry for each plan and what was measured, those of all seeds together."""
    return seed_entries(
        ((asked_of({name: plan.get(name) for name in _ASKED}), plan, point) for plan, point in points),
        lambda _, draws: figure_results(path, draws, _COMPARED, "seeds"),
    )
