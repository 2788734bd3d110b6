"""A schedule: how long jobs waited, and how full the machine was."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from netplace.inputs import abbreviate
from netplace.quantities import LESS
from netplace.report.pages.html import Page, Part
from netplace.report.pages.kinds.outcome import (
    Draws,
    Entry,
    Figures,
    Outcome,
    Result,
    Sample,
    compared,
    figure_results,
    seed_entries,
)
from netplace.report.pages.kinds.saved import asked_of, versions_of, written_versions
from netplace.report.plots.charts import bar_figure, curve_figure
from netplace.report.plots.figure import Figure, Shades
from netplace.report.plots.schedules import gantt_panel, kept_steps
from netplace.report.tables.data_table import DataTable
from netplace.report.tables.schedule import figure_tables, rejected_notes, title_of
from netplace.report.terminal.units import KWH, measured, seconds_unit
from netplace.runs.schedule_figures import ScheduleFigures
from netplace.runs.schedule_folder import node_ranges, read_figures, read_schedule
from netplace.scheduling.metrics import PER_JOB, Metrics
from netplace.scheduling.power.figures import PowerFigures
from netplace.scheduling.workload import WORKLOADS
from netplace.topologies import names_file, parse
from netplace.topologies.compute_nodes import network_of_hosts

_MOST_POINTS = 20_000
_WAITS = (0, 60, 600, 3600, 6 * 3600, 24 * 3600, math.inf)
_NAMES = ("none", "up to 1 min", "1 to 10 min", "10 to 60 min", "1 to 6 h", "6 to 24 h", "over a day")


def page(path: Path) -> Page:
    plan, figures, rows = read_schedule(path)
    own = names_file(plan.machine)  # a file that a result names is not read
    machine = int(_running(rows)[1].max(initial=1)) if own else network_of_hosts(parse(plan.machine)).nodes
    parts: list[Part] = [_occupancy(rows, machine)]
    missing = []
    if "places" in rows:
        parts.insert(0, _gantt(rows, machine))
    else:
        missing.append("the Gantt chart, because rows.csv has no column places; repeat the schedule")
    parts.append(_waits(rows))
    sentences = _verdict(figures, rows)
    if figures.power is not None:
        sentences.append(_saved_energy(figures.power))
        parts.append(_energy(figures.power))
    parts += [*figure_tables(plan, figures), _table(rows)]
    request = [*asked_of(plan.to_dict()), *versions_of(figures.versions)]
    notes = [*figures.notes, *rejected_notes(figures.rejected, plan.machine)]
    return Page(f"How long do the jobs wait? {title_of(plan)}", sentences, request, parts, missing, notes)


def _verdict(figures: ScheduleFigures, rows: pd.DataFrame) -> list[str]:
    wait = rows["start"] - rows["submit"]
    second, unit = seconds_unit(float(wait.mean()))
    median = wait.median() / second
    sentences = [
        f"{len(rows):,} jobs waited {wait.mean() / second:.3g} {unit} on average; half of them waited "
        + (f"at most {median:.3g} {unit}" if median > 0 else "not at all")
        + f", and one in twenty more than {wait.quantile(0.95) / second:.3g} {unit}."
    ]
    metrics = figures.metrics
    if rejected := metrics.rejected:
        sentences.append(f"{rejected:,} more jobs can never run here and are omitted (see the notes).")
    steady = figures.steady.get("wait")
    if steady is not None and not math.isnan(steady.half_width):
        mean, half = steady.mean, steady.half_width
        over = f"{measured(mean / second, half / second)} {unit} (95 % interval over batches of jobs)"
        sentences.append(
            f"Without the first tenth of the jobs, the mean wait is {over}"
            + ("." if half < mean / 2 else ": more jobs would give a better estimate.")
        )
    if not math.isnan(metrics.utilisation):
        sentences.append(
            f"{100 * metrics.utilisation:.1f} % of the node-seconds of the machine were occupied."
        )
    slowdown = metrics.per_job["bounded_slowdown"].mean
    if not math.isnan(slowdown):
        sentences.append(
            f"The mean bounded slowdown is {slowdown:.3g}: turnaround divided by run time, with run "
            "times below 10 s counted as 10 s."
        )
    return sentences


def _gantt(rows: pd.DataFrame, machine: int) -> Figure:
    origin = float(rows["submit"].min())
    second, unit = seconds_unit(float(rows["end"].max()) - origin)
    begin, end = ((rows[name] - origin) / second for name in ("start", "end"))
    wait = (rows["start"] - rows["submit"]).to_numpy(float)
    size, name = seconds_unit(float(np.quantile(wait, 0.95)) if len(wait) else 0.0)
    places = [node_ranges(text) for text in rows["places"]]
    labels = [
        f"job {number}: {nodes} nodes, waited {value / size:.3g} {name}"
        for number, nodes, value in zip(rows["number"], rows["nodes"], wait, strict=True)
    ]
    panel = gantt_panel(
        begin.tolist(),
        end.tolist(),
        places,
        (wait / size).round(4).tolist(),
        labels,
        nodes=machine,
        x=f"time since the first submission ({unit})",
        shades=Shades(label=f"wait ({name})"),
    )
    caption = "The color shows the wait of a job. Drag or scroll to zoom, down to seconds."
    return Figure(title="Nodes of jobs over time", caption=caption, height=4.6, panels=[panel])


def _running(rows: pd.DataFrame) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return times, and nodes held from each on."""
    time = np.concatenate([rows["start"], rows["end"]]).astype(float)
    change = np.concatenate([rows["held"], -rows["held"]]).astype(float)
    moments, place = np.unique(time, return_inverse=True)
    return moments, np.cumsum(np.bincount(place, change))


def _occupancy(rows: pd.DataFrame, machine: int) -> Figure:
    origin = float(rows["submit"].min())
    second, unit = seconds_unit(float(rows["end"].max()) - origin)
    moments, held = _running(rows)
    arrived = np.sort(rows["submit"].to_numpy(float))
    started = np.sort(rows["start"].to_numpy(float))
    waiting = np.searchsorted(arrived, moments, "right") - np.searchsorted(started, moments, "right")
    keep = kept_steps(moments, (held, waiting), _MOST_POINTS)
    time = ((moments - origin) / second)[keep].tolist()
    return curve_figure(
        "Occupied nodes over time",
        {
            "nodes held": list(zip(time, held[keep].tolist(), strict=True)),
            "jobs waiting": list(zip(time, waiting[keep].tolist(), strict=True)),
        },
        f"time since the first submission ({unit})",
        "nodes, jobs",
        step=True,
        caption=f"Occupied nodes, of {machine:,}, and waiting jobs."
        + (
            " Where steps are too close to distinguish, the figure shows the lowest and the highest."
            if len(keep) < len(moments)
            else ""
        ),
    )


def _waits(rows: pd.DataFrame) -> Figure:
    wait = (rows["start"] - rows["submit"]).to_numpy(float)
    place = np.searchsorted(np.array(_WAITS), wait, side="left")
    counts = np.bincount(place, minlength=len(_NAMES)) / max(len(wait), 1) * 100
    return bar_figure(
        "Waits of jobs",
        _NAMES,
        {"jobs": counts.tolist()},
        unit="% of the jobs",
        height=3.0,
        caption="Share of the jobs by their wait.",
    )


def _saved_energy(power: PowerFigures) -> str:
    used, always, hindsight = (joules / KWH for joules in (power.energy, power.always_on, power.hindsight))
    return (
        f"It took {used:,.4g} kWh. With the same starts, it takes {always:,.4g} kWh with all nodes on "
        f"({100 * (used / always - 1):+.1f} %), and {hindsight:,.4g} kWh with nodes switched in "
        "hindsight."
    )


def _energy(power: PowerFigures) -> Figure:
    states = power.by_state
    return bar_figure(
        "Energy by state of the nodes",
        list(states),
        {"energy": [joules / KWH for joules in states.values()]},
        unit="kWh",
        height=3.0,
        caption=f"Under switching rule {power.switching}.",
    )


def _table(rows: pd.DataFrame) -> DataTable:
    kept = [
        name for name in rows.columns if name != "places" and (rows[name].notna() & (rows[name] != "")).any()
    ]
    frame = rows[kept]
    frame.insert(kept.index("submit") + 1, "wait", rows["start"] - rows["submit"])
    names = ["job" if name == "number" else name.replace("_", " ") for name in frame.columns]
    return DataTable.of("Jobs", frame, names, "Times in seconds.")


_PER_JOB = {name: f"mean {said.heading}" for name, (_, said) in PER_JOB.items() if said.better}
METRICS = compared(Metrics)
_MEANS: Figures = {("per_job", name, "mean"): (text, LESS) for name, text in _PER_JOB.items()}
_ENERGY = compared(PowerFigures, "power")


def outcome(path: Path) -> Outcome:
    plan, figures = read_figures(path)
    entries = plan_entries(path, [(plan.to_dict(), figures.to_dict())])
    return Outcome("schedule", str(path), entries, written_versions(figures.versions))


def plan_entries(path: Path, carried: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> list[Entry]:
    """Return an entry for each plan and its figures, those that differ in their seed alone together."""
    return seed_entries(
        (
            (asked_of({name: value for name, value in plan.items() if name != "seed"}), plan, figures)
            for plan, figures in carried
        ),
        lambda asked, draws: _results(path, asked, draws),
    )


def stream_of(plan: Mapping[str, Any]) -> str:
    """Return how names of jobs begin, which tells the jobs of seeds apart; empty for jobs of a file."""
    workload = plan.get("workload")
    return f"{workload}, seed {plan.get('seed')}: " if workload in WORKLOADS else ""


def _results(path: Path, request: Mapping[str, str], draws: Draws) -> list[Result]:
    metrics = {seed: figures["metrics"] for seed, figures in draws.items()}
    energy = figure_results(path, draws, _ENERGY, "seeds")
    if len(draws) > 1:
        return [*figure_results(path, metrics, {**_MEANS, **METRICS}, "seeds"), *energy]
    [(seed, figures)] = draws.items()
    stream = stream_of({**request, "seed": seed})
    batches = {name: _batches(path, figures, name, stream) for name in _PER_JOB}
    steady = [Result(_PER_JOB[name], sample, LESS) for name, sample in batches.items() if sample is not None]
    whole = {keys: quantity for keys, quantity in _MEANS.items() if batches[keys[1]] is None}
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
