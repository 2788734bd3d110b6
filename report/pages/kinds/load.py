"""Latency-throughput curves, as ``netplace load --json`` prints them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pandas as pd

from netplace.checks.quantities import LESS, MORE
from netplace.netsim import Config
from netplace.report.pages.kinds.outcome import Entry, Figures, Outcome, figure_results, seed_entries
from netplace.report.pages.kinds.saved import (
    asked_of,
    saved_object,
    saved_results,
    versions_of,
    written_versions,
)
from netplace.report.pages.page import DataTable, Page, Part
from netplace.report.plots.points import load_figure
from netplace.report.tables.load import curve_frame, saturation_notes
from netplace.runs.loads import LoadFigures, LoadPlan

_COLUMNS = {
    "curve": "curve",
    "offered": "offered",
    "accepted": "accepted",
    "accepted_half_width": "±",
    "mean": "mean delay (cycles)",
    "mean_half_width": "± (cycles)",
    "p95": "95th percentile (cycles)",
    "p99": "99th percentile (cycles)",
    "seeds": "seeds",
}


def page(path: Path) -> Page:
    points = points_of(path)
    plans = [_plan(path, point) for point in points]
    figures = [LoadFigures.from_dict(point) for point in points]
    frame = curve_frame(plans, figures)
    curves = [str(curve) for curve in frame["curve"].unique()]
    parts: list[Part] = [load_figure(frame, "Accepted load and delay of packets"), _table(frame)]
    found = ("points", "saturation")
    asked = asked_of({name: value for name, value in saved_object(path).items() if name not in found})
    asked += versions_of(points[0].get("versions"))
    title = f"Load curves: {', '.join(curves[:4])}" + (" .." if len(curves) > 4 else "")
    return Page(title, saturation_notes(plans, figures), asked, parts)


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
    note = "± is half of a 95 % interval over the seeds." if "accepted_half_width" in kept else ""
    return DataTable.of("Points", frame[kept], [_COLUMNS[name] for name in kept], note)


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
