"""Schedules: the means of batches of jobs where there are enough, and figures of the whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from netplace.checks import abbreviate
from netplace.checks.quantities import LESS, quantities
from netplace.report.comparison.kinds.figures import Figures, figure_results
from netplace.report.comparison.outcome import Entry, Outcome, Result, Sample
from netplace.report.pages.kinds.saved import asked_of, versions_of
from netplace.runs.schedule_folder import read_figures
from netplace.scheduling.metrics import PER_JOB, Metrics
from netplace.scheduling.workload import WORKLOADS

_PER_JOB = {name: f"mean {said.heading}" for name, (_, said) in PER_JOB.items() if said.better}
METRICS: Figures = {
    (name,): (said.heading, said.better) for name, said in quantities(Metrics).items() if said.better
}
_MEANS: Figures = {("per_job", name, "mean"): (text, LESS) for name, text in _PER_JOB.items()}
_ENERGY: Figures = {("power", "kwh"): ("energy (kWh)", LESS)}


def outcome(path: Path) -> Outcome:
    plan, figures = read_figures(path)
    entries = plan_entries(path, [(plan.to_dict(), figures.to_dict())])
    return Outcome(
        "schedule", str(path), entries, " ".join(text for _, text in versions_of(figures.versions))
    )


def plan_entries(path: Path, carried: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> list[Entry]:
    """Return an entry for each plan and its figures, those that differ in their seed alone together."""
    groups: dict[tuple[tuple[str, str], ...], dict[str, Mapping[str, Any]]] = {}
    streams = {}
    for plan, figures in carried:
        asked = tuple(asked_of({name: value for name, value in plan.items() if name != "seed"}))
        groups.setdefault(asked, {})[str(plan.get("seed"))] = figures
        streams[asked] = stream_of(plan)
    return [
        Entry({**dict(asked), "seeds": ", ".join(draws)}, _results(path, draws, streams[asked]))
        for asked, draws in groups.items()
    ]


def stream_of(plan: Mapping[str, Any]) -> str:
    """Return how names of jobs begin, which tells the jobs of seeds apart; empty for jobs of a file."""
    workload = plan.get("workload")
    return f"{workload}, seed {plan.get('seed')}: " if workload in WORKLOADS else ""


def _results(path: Path, draws: Mapping[str, Mapping[str, Any]], stream: str) -> list[Result]:
    metrics = {seed: figures["metrics"] for seed, figures in draws.items()}
    energy = figure_results(path, draws, _ENERGY, "seeds")
    if len(draws) > 1:
        return [*figure_results(path, metrics, {**_MEANS, **METRICS}, "seeds"), *energy]
    figures = next(iter(draws.values()))
    batches = {name: _batches(path, figures, name, stream) for name in _PER_JOB}
    steady = [Result(_PER_JOB[name], sample, LESS) for name, sample in batches.items() if sample is not None]
    whole = {keys: said for keys, said in _MEANS.items() if batches[keys[1]] is None}
    return [*steady, *figure_results(path, metrics, {**whole, **METRICS}, "seeds"), *energy]


def _batches(path: Path, figures: Mapping[str, Any], name: str, stream: str) -> Sample | None:
    """Return the means of batches of one measure by stream and place, None if there were too few jobs."""
    batches = figures.get("batches") or {}
    values = batches.get(name) if isinstance(batches, Mapping) else batches
    if values is None:
        return None
    if not isinstance(values, list) or not all(isinstance(value, int | float) for value in values):
        raise ValueError(f"{path}: batches.{name}: {abbreviate(values)} found, expected a list of numbers")
    return (
        Sample.of({f"{stream}{place}": float(value) for place, value in enumerate(values)}, "batches")
        if values
        else None
    )
