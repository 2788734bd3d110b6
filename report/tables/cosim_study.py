"""Co-simulations of one study: side by side on the screen, and as a folder of files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from netplace.cosim import CosimPlan
from netplace.cosim.figures import CosimFigures
from netplace.cosim.job_row import JobRow, Times, ended, job_rows_of
from netplace.report.tables.cosim import PLAN_WORDS
from netplace.report.tables.differences import Compared, contestants_of, seed_means, tested_measures
from netplace.runs.same_jobs import contestants
from netplace.scheduling.metrics import contests
from netplace.scheduling.metrics.contest import SEEDS_ALONE

# Measures by which co-simulations are compared: title, digits, and factor; None for a time.
_MEASURES = {
    "wait": ("wait", 1, None),
    "turnaround": ("turnaround", 1, None),
    "slowdown": ("slowdown due to sharing", 3, 1.0),
}
_MAIN = "slowdown"

Outcome = dict[str, Any]
Rows = list[tuple[JobRow, Times]]

_OF_SCHEDULE = ("jobs", "failed", "utilisation", "contiguous", "makespan")
_VALUES: dict[str, Callable[[JobRow, Times], float]] = {
    "wait": lambda row, _: row.wait,
    "turnaround": lambda row, _: row.turnaround,
    "slowdown": lambda _, times: times.slowdown,
}


def common_rows(plans: Sequence[CosimPlan], outcomes: Sequence[Outcome], apart: bool = False) -> list[Rows]:
    """Return the rows of the jobs that all co-simulations completed; `apart`: that each completed itself."""
    done = [ended(job_rows_of(outcome)) for outcome in outcomes]
    for places in [] if apart else contestants([plan.jobs for plan in plans]):
        common = set.intersection(*({row.job for row, _ in done[place]} for place in places))
        for place in places:
            done[place] = [pair for pair in done[place] if pair[0].job in common]
    return done


def _figure_rows(
    plans: Sequence[CosimPlan], outcomes: Sequence[Outcome], rows: Sequence[Rows]
) -> pd.DataFrame:
    """Return a row of figures for each co-simulation, of the jobs in `rows`; times in seconds."""
    made = []
    for plan, outcome, own in zip(plans, outcomes, rows, strict=True):
        row = {name: getattr(plan.jobs, name) for name in PLAN_WORDS} | {"fidelity": plan.fidelity}
        row["options"] = ",".join(f"{name}={value}" for name, value in plan.jobs.options.items())
        figures = CosimFigures.from_dict(outcome["figures"])
        row |= {name: getattr(figures.schedule, name) for name in _OF_SCHEDULE}
        row |= {"rejected": len(outcome["rejected"]), "compared": len(own)}
        row |= vars(figures.sharing) if figures.sharing else {}
        slowdown = [times.slowdown for _, times in own]
        row |= {name: _mean([value(*pair) for pair in own]) for name, value in _VALUES.items()}
        row |= {"run": _mean([job_row.run for job_row, _ in own])}
        row |= {"mean_slowdown": row.pop("slowdown")}
        row |= {"p95_slowdown": float(np.percentile(slowdown, 95)) if own else np.nan}
        error = figures.table_error and figures.table_error.all
        row |= {f"table_error_{key}": getattr(error, key, None) for key in ("mean", "p95", "most")}
        made.append(row | {"cpu_seconds": outcome["cpu_seconds"]})
    return pd.DataFrame(made)


def job_rows(plans: Sequence[CosimPlan], rows: Sequence[Rows]) -> pd.DataFrame:
    frames = []
    for plan, own in zip(plans, rows, strict=True):
        frame = pd.DataFrame([row.to_dict() for row, _ in own])
        frames.append(
            frame.drop(columns="nodes", errors="ignore").assign(**_words(plan), seed=plan.jobs.seed)
        )
    made = pd.concat(frames, ignore_index=True)
    same = [name for name in _words(plans[0]) if made[name].nunique() == 1]
    return made.drop(columns=same)


def compared_cosims(
    plans: Sequence[CosimPlan],
    outcomes: Sequence[Outcome],
    rows: Sequence[Rows],
    unpaired: bool,
    figures: Sequence[str] = (),
) -> Compared:
    """Return co-simulations side by side; `unpaired`: nothing is tested, `figures`: which measures are."""
    tested = tested_measures(figures, _MEASURES, _MAIN, unpaired)
    words, frame = list(map(_words, plans)), _figure_rows(plans, outcomes, rows)

    def by_seed(places: list[int]) -> list[list[list[float]]]:
        return [*_by_seed(rows, places).values()]

    of_log = all(plan.jobs.from_file for plan in plans)
    contestants = contestants_of(words, by_seed, lambda *given: _values(plans, rows, *given), of_log)
    # Those under a table's times are compared only where there are no others.
    live = [one for one in contestants if one.words["fidelity"] != "table"]
    judged = contests(live or contestants, tested, but=("fidelity",))
    shown: dict[str, tuple[str, int, float | None]] = {"makespan": ("makespan", 1, None)}
    if frame["table_error_mean"].notna().any():
        shown["error of table %"] = ("table_error_mean", 2, 100.0)
    shown |= {name: (name, 0, 1.0) for name in ("rejected", "failed") if frame[name].any()}
    return Compared(
        "co-simulations", frame, contestants, judged, _MEASURES, _MAIN, seed_means(frame, words, shown)
    )


def _by_seed(rows: Sequence[Rows], places: list[int]) -> dict[str, list[list[float]]]:
    """Return the values of the jobs by measure and seed."""
    return {
        name: [[value(*pair) for pair in rows[place]] for place in places if rows[place]]
        for name, value in _VALUES.items()
    }


def _values(
    plans: Sequence[CosimPlan], rows: Sequence[Rows], places: list[int], seeds_differ: bool
) -> tuple[dict[str, list[float]], str]:
    """Return the values that are compared: of at least five seeds that differ, or of jobs, over seeds."""
    of_file = plans[places[0]].jobs.from_file
    over_seeds = len(places) >= SEEDS_ALONE and seeds_differ
    values = {}
    for name, columns in _by_seed(rows, places).items():
        same = of_file and len({len(column) for column in columns}) == 1
        joined = np.mean(columns, axis=0) if same else np.hstack(columns) if columns else np.empty(0)
        values[name] = [_mean(column) for column in columns] if over_seeds else joined.tolist()
    return values, "seeds" if over_seeds else "jobs"


def _words(plan: CosimPlan) -> dict[str, str]:
    """Return what tells a plan from others, but for the seed."""
    names = [name for name in PLAN_WORDS if name not in ("seed", "options")]
    words = {name: str(getattr(plan.jobs, name)) for name in names} | {"fidelity": plan.fidelity}
    return words | {name: str(value) for name, value in plan.jobs.options.items()}


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else float("nan")
