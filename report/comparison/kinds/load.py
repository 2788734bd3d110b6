"""Load curves, as ``netplace load --json`` prints them: the draws are the seeds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from netplace.checks.quantities import LESS, MORE
from netplace.report.comparison.kinds.figures import Figures, figure_results
from netplace.report.comparison.outcome import Entry, Outcome
from netplace.report.pages.kinds.load import points_of
from netplace.report.pages.kinds.saved import asked_of, versions_of

FIGURES: Figures = {
    ("accepted",): ("accepted load", MORE),
    ("delay", "mean"): ("mean delay (cycles)", LESS),
    ("delay", "p99"): ("99th percentile of delays (cycles)", LESS),
}
_ASKED = ("network", "traffic", "offered", "engine", "warmup", "measure", "hot_node", "hot_share", "config")


def outcome(path: Path) -> Outcome:
    points = points_of(path)
    versions = " ".join(text for _, text in versions_of(points[0].get("versions")))
    return Outcome("load", str(path), point_entries(path, [(point, point) for point in points]), versions)


def point_entries(path: Path, points: list[tuple[dict[str, Any], dict[str, Any]]]) -> list[Entry]:
    """Return an entry for each plan and what was measured, those of all seeds together."""
    groups: dict[tuple[tuple[str, str], ...], dict[str, dict[str, Any]]] = {}
    for plan, measured in points:
        asked = tuple(asked_of({name: plan.get(name) for name in _ASKED}))
        groups.setdefault(asked, {})[str(plan.get("seed"))] = measured
    return [
        Entry({**dict(asked), "seeds": ", ".join(draws)}, figure_results(path, draws, FIGURES, "seeds"))
        for asked, draws in groups.items()
    ]
