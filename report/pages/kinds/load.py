"""Load points, as ``netplace load --json`` prints them, to be compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from netplace.quantities import LESS, MORE
from netplace.report.pages.kinds.outcome import Entry, Figures, Outcome, figure_results, seed_entries
from netplace.report.pages.kinds.saved import asked_of, saved_results, written_versions

_COMPARED: Figures = {
    ("accepted",): ("accepted load", MORE),
    ("delay", "mean"): ("mean delay (cycles)", LESS),
    ("delay", "p99"): ("99th percentile of delays (cycles)", LESS),
}
_REQUEST = ("network", "traffic", "offered", "engine", "warmup", "measure", "hot_node", "hot_share", "config")


def outcome(path: Path) -> Outcome:
    results = saved_results(path, "load")
    points = [results | point for point in results["points"]]
    versions = written_versions(points[0].get("versions"))
    return Outcome("load", str(path), point_entries(path, [(point, point) for point in points]), versions)


def point_entries(path: Path, points: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> list[Entry]:
    """Return an entry for each plan and what was measured, those of all seeds together."""
    return seed_entries(
        ((asked_of({name: plan.get(name) for name in _REQUEST}), plan, point) for plan, point in points),
        lambda _, draws: figure_results(path, draws, _COMPARED, "seeds"),
    )
