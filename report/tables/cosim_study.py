"""Co-simulations of one study: side by side on the screen, and as a folder of files."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from netplace.cosim import CosimPlan
from netplace.cosim.cosim_figures import CosimFigures
from netplace.cosim.job_row import JobRow, Times, ended
from netplace.cosim.outcome import job_rows_of
from netplace.report.tables.cosim import PLAN_WORDS
from netplace.report.terminal.screen import number, table
from netplace.report.terminal.units import time_unit
from netplace.runs.same_jobs import contestants
from netplace.scheduling.metrics import Contest, Contestant, batched, contests

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["common_rows", "compared", "cosim_contests", "draw_compared", "figure_rows", "job_rows"]

Outcome = dict[str, Any]
Rows = list[tuple[JobRow, Times]]

_OF_SCHEDULE = ("jobs", "failed", "utilisation", "contiguous", "makespan")
_SEEDS = 5  # so many tell of chance by themselves
_MEASURES: dict[str, Callable[[JobRow, Times], float]] = {
    "wait": lambda row, _: row.wait,
    "turnaround": lambda row, _: row.turnaround,
    "slowdown": lambda _, times: times.slowdown,
}


def common_rows(plans: Sequence[CosimPlan], outcomes: Sequence[Outcome], apart: bool = False) -> list[Rows]:
    """Return the rows of the jobs by which each co-simulation is compared: those that all ran to their ends.

    `apart`: whether each is shown by the jobs that it ran to their ends itself.
    """
    done = [ended(job_rows_of(outcome)) for outcome in outcomes]
    for places in [] if apart else contestants([plan.jobs for plan in plans]):
        common = set.intersection(*({row.job for row, _ in done[place]} for place in places))
        for place in places:
            done[place] = [pair for pair in done[place] if pair[0].job in common]
    return done


def figure_rows(
    plans: Sequence[CosimPlan], outcomes: Sequence[Outcome], rows: Sequence[Rows]
) -> pd.DataFrame:
    """Return one row a co-simulation: what it is of, and its figures; times in seconds.

    ``wait``, ``run``, ``turnaround`` and slowdowns are of the jobs in `rows`.
    """
    made = []
    for plan, outcome, own in zip(plans, outcomes, rows, strict=True):
        row = {name: getattr(plan.jobs, name) for name in PLAN_WORDS} | {"fidelity": plan.fidelity}
        row["options"] = ",".join(f"{name}={value}" for name, value in plan.jobs.options)
        figures = CosimFigures.from_dict(outcome["figures"])
        row |= {name: getattr(figures.schedule, name) for name in _OF_SCHEDULE}
        row |= {"rejected": len(outcome["rejected"]), "compared": len(own)}
        row |= vars(figures.sharing) if figures.sharing else {}
        slowdown = [times.slowdown for _, times in own]
        row |= {name: _mean([value(*pair) for pair in own]) for name, value in _MEASURES.items()}
        row |= {"run": _mean([job_row.run for job_row, _ in own])}
        row |= {"mean_slowdown": row.pop("slowdown")}
        row |= {"p95_slowdown": float(np.percentile(slowdown, 95)) if own else np.nan}
        error = figures.table_error and figures.table_error.all
        row |= {f"table_error_{key}": getattr(error, key, None) for key in ("mean", "p95", "most")}
        made.append(row | {"cpu_seconds": outcome["cpu_seconds"]})
    return pd.DataFrame(made)


def job_rows(plans: Sequence[CosimPlan], rows: Sequence[Rows]) -> pd.DataFrame:
    """Return one row a job of each co-simulation, with what tells co-simulations apart."""
    frames = []
    for plan, own in zip(plans, rows, strict=True):
        frame = pd.DataFrame([row.to_dict() for row, _ in own])
        frames.append(
            frame.drop(columns="nodes", errors="ignore").assign(**_words(plan), seed=plan.jobs.seed)
        )
    made = pd.concat(frames, ignore_index=True)
    same = [name for name in _words(plans[0]) if made[name].nunique() == 1]
    return made.drop(columns=same)


def compared(frame: pd.DataFrame) -> Table:
    """Return the table of `figure_rows`, with what tells co-simulations apart; means over seeds."""
    differing = _differing(frame)
    times = ("wait", "turnaround", "makespan")
    size, unit = time_unit(frame["turnaround"])
    shown = {name: (name, 1, 1 / size) for name in times} | {"slowdown": ("mean_slowdown", 3, 1.0)}
    shown |= {name: (name, 0, 1.0) for name in ("rejected", "failed") if frame[name].any()}
    rows = [
        [
            *map(str, names),
            *(number(group[name].mean() * factor, digits) for name, digits, factor in shown.values()),
        ]
        for names, group in frame.groupby(differing, sort=False, dropna=False)
    ]
    seeds = frame["seed"].nunique()
    over = f" and {seeds} seeds" if seeds > 1 else ""
    head = ["time" if name == "fidelity" else name for name in differing]
    made = table(
        f"{len(frame)} co-simulations, means over jobs{over}; times in {unit}", [*head, *shown], rows
    )
    for place in range(len(differing)):
        made.columns[place].justify = "left"
    return made


def cosim_contests(plans: Sequence[CosimPlan], rows: Sequence[Rows]) -> list[Contest]:
    """Return the differences between co-simulations that differ in one thing, over five seeds or batches.

    Those under a table's times are omitted, unless there are no others.
    """
    groups: dict[str, list[int]] = {}
    tables_only = all(plan.fidelity == "table" for plan in plans)
    for place, plan in enumerate(plans):
        if plan.fidelity != "table" or tables_only:
            groups.setdefault(json.dumps(_words(plan)), []).append(place)
    made = []
    for text, places in groups.items():
        seeds, of_file = len(places), plans[places[0]].jobs.from_file
        over_seeds = seeds >= _SEEDS and not of_file
        values = {}
        for name, value in _MEASURES.items():
            columns = [[value(*pair) for pair in rows[place]] for place in places]
            batches = [column.mean() if over_seeds else batched(column) for column in map(np.array, columns)]
            same = of_file and len({len(column) for column in columns}) == 1
            joined = np.mean(batches, axis=0) if same else np.hstack(batches)
            values[name] = joined.tolist()
        made.append(Contestant(json.loads(text), values, in_time=not over_seeds))
    return contests(made, but=("fidelity",))


def draw_compared(path: Path, frame: pd.DataFrame) -> None:
    """Draw co-simulations side by side: groups by policy, bars by what else differs, seeds together."""
    from netplace.report.plots import write_figure
    from netplace.report.plots.comparisons import comparison_figure

    differing = _differing(frame)
    first = "policy" if "policy" in differing else differing[0]
    rest = [name for name in differing if name != first]
    bars = frame[rest].astype(str).agg(", ".join, axis=1) if rest else ""
    times = {name: time_unit(frame[name]) for name in ("wait", "turnaround")}
    measures = [(f"{name} ({unit})", name, "", 1 / size) for name, (size, unit) in times.items()]
    measures.append(("slowdown by sharing", "mean_slowdown", "", 1.0))
    same = ", ".join(
        Path(str(frame[name][0])).name for name in ("workload", "machine") if name not in differing
    )
    placed = frame.assign(group=frame[first], series=bars)
    write_figure(path, comparison_figure(same, placed, measures=measures))


def _differing(frame: pd.DataFrame) -> list[str]:
    names = [name for name in (*PLAN_WORDS, "fidelity") if name != "seed"]
    return [name for name in names if frame[name].astype(str).nunique() > 1] or ["policy"]


def _words(plan: CosimPlan) -> dict[str, str]:
    """Return what tells a plan from others, but for the seed."""
    names = [name for name in PLAN_WORDS if name not in ("seed", "options")]
    words = {name: str(getattr(plan.jobs, name)) for name in names} | {"fidelity": plan.fidelity}
    return words | {name: str(value) for name, value in plan.jobs.options}


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else float("nan")
