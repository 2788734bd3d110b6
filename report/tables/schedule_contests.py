"""Schedules of one study, compared two by two."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from netplace.report.tables.differences import Others, seed_means
from netplace.report.tables.schedule import PLAN_WORDS, figure_rows
from netplace.runs.plan import Plan
from netplace.runs.schedule_figures import ScheduleFigures
from netplace.scheduling.metrics import Contestant
from netplace.scheduling.metrics.contest import SEEDS_ALONE

# Measures by which schedules are compared, by what they are called on the screen.
_COMPARED = {"wait": "wait", "bounded_slowdown": "b. slowdown", "utilisation": "utilisation"}
# Title of each, digits, and factor; None for a time.
MEASURES = {
    "wait": ("wait", 1, None),
    "b. slowdown": ("bounded slowdown", 1, 1.0),
    "utilisation": ("utilisation (%)", 1, 100.0),
}


def schedule_contestants(plans: Sequence[Plan], every: Sequence[ScheduleFigures]) -> list[Contestant]:
    """Return the values that are compared: of at least five seeds, or of batches of jobs."""
    groups: dict[str, list[int]] = {}
    for place, plan in enumerate(plans):
        groups.setdefault(json.dumps(_words(plan)), []).append(place)
    made = []
    for text, places in groups.items():
        values: dict[str, list[float]] = {}
        seeds = len(places) if not plans[places[0]].from_file else 1
        within = seeds < SEEDS_ALONE and all(
            every[place].batches.get(name) for place in places for name in _COMPARED
        )
        for name, title in _COMPARED.items():
            batches = [every[place].batches.get(name) for place in places]
            if all(batches):
                means = np.array(batches, float)
                over = (means if seeds > 1 else means.mean(axis=0)) if within else means.mean(axis=1)
                values[title] = np.ravel(over).tolist()
            else:
                metrics = [every[place].metrics for place in places]
                spreads = [one.per_job.get(name) for one in metrics]
                values[title] = (
                    [one.utilisation for one in metrics]
                    if name == "utilisation"
                    else [spread.mean for spread in spreads if spread]
                )
        made.append(Contestant(json.loads(text), values, "batches" if within else "seeds"))
    return made


def other_figures(plans: Sequence[Plan], every: Sequence[ScheduleFigures]) -> Others:
    """Return further columns of the table of means: means over the seeds."""
    frame = figure_rows(plans, every)
    names = [json.dumps(_words(plan)) for plan in plans]
    shown: dict[str, tuple[str, int, float | None]] = {"makespan": ("makespan", 1, None)}
    shown |= {name: (name, 0, 1) for name in ("rejected", "failed", "kills") if frame[name].any()}
    shown |= {"jobs": ("jobs", 0, 1)} if frame["jobs"].nunique() > 1 else {}
    if "energy" in frame:
        shown |= {
            "kWh": ("energy", 1, 1 / 3.6e6),
            "boot wait (s)": ("power_wait", 1, 1),
            "boots": ("boots", 0, 1),
        }
    return seed_means(frame, names, shown)


def _words(plan: Plan) -> dict[str, str]:
    """Return what tells a plan from others, but for the seed."""
    words = {name: str(getattr(plan, name)) for name in PLAN_WORDS if name not in ("seed", "options", "site")}
    words |= {"policy": f"site {Path(plan.site).name}"} if plan.site else {}
    return words | {name: _spelled(value) for name, value in plan.options}


def _spelled(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
