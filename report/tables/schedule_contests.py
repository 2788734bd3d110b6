"""Schedules of one study, compared two by two."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from netplace.report.tables.schedule import PLAN_WORDS
from netplace.runs.plan import Plan
from netplace.runs.schedule_figures import ScheduleFigures
from netplace.scheduling.metrics import Contest, Contestant, contests

__all__ = ["schedule_contests"]

# Measures by which schedules are compared, by what they are called on the screen.
_COMPARED = {"wait": "wait", "bounded_slowdown": "b. slowdown", "utilisation": "utilisation"}
_SEEDS = 5  # so many tell of chance by themselves


def schedule_contests(plans: Sequence[Plan], every: Sequence[ScheduleFigures]) -> list[Contest]:
    """Return the differences between schedules that differ in one thing, over batches or five seeds.

    Batches of the same jobs are pairs. Where jobs are those of a file, all seeds have the same: their batches
    are averaged.
    """
    groups: dict[str, list[int]] = {}
    for place, plan in enumerate(plans):
        groups.setdefault(json.dumps(_words(plan)), []).append(place)
    made = []
    for text, places in groups.items():
        values: dict[str, list[float]] = {}
        seeds = len(places) if not plans[places[0]].from_file else 1
        for name, title in _COMPARED.items():
            batches = [every[place].batches.get(name) for place in places]
            if all(batches):
                means = np.array(batches, float)
                over = means.mean(axis=1) if seeds >= _SEEDS else means if seeds > 1 else means.mean(axis=0)
                values[title] = np.ravel(over).tolist()
            else:
                spreads = [every[place].metrics.per_job.get(name) for place in places]
                values[title] = [spread.mean for spread in spreads if spread]
        made.append(Contestant(json.loads(text), values, in_time=seeds < _SEEDS))
    return contests(made)


def _words(plan: Plan) -> dict[str, str]:
    """Return what tells a plan from others, but for the seed."""
    words = {name: str(getattr(plan, name)) for name in PLAN_WORDS if name not in ("seed", "options", "site")}
    words |= {"policy": f"site {Path(plan.site).name}"} if plan.site else {}
    return words | {name: _spelled(value) for name, value in plan.options}


def _spelled(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
