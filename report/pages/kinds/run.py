"""The page of a run, as ``netplace run --json`` prints it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from netplace.checks import shown
from netplace.report.pages.kinds.saved import asked_of, has_keys, number_in, saved_object, versions_of
from netplace.report.pages.page import Bars, DataTable, Figure, Lines, Page

__all__ = ["page", "recognises"]

_SHOWN = (
    ("cycles", "cycles"),
    ("seconds", "seconds"),
    ("packets", "packets"),
    ("packet_hops", "packet-hops"),
    ("most_link_load", "most link load (phits a cycle)"),
)


def recognises(path: Path) -> bool:
    """Tell whether a file holds a run."""
    return has_keys(path, ("cycles", "jobs", "network", "packet_delay"))


def page(path: Path) -> Page:
    """Return the page of what ``netplace run --json`` printed."""
    found = saved_object(path)
    runs = found.get("runs", [found])
    if not isinstance(runs, list) or not all(isinstance(run, dict) for run in runs):
        raise ValueError(f"{path}: runs: {shown(runs)} found, expected a list of runs")
    jobs = _jobs(path, found)
    parts: list[DataTable | Figure] = []
    if len(runs) > 1:
        seeds = [str(run.get("seed")) for run in runs]
        values = [number_in(path, run, "cycles") for run in runs]
        parts.append(
            Bars(
                title="Run time by seed",
                caption="One run for each seed; the spread is what chance does.",
                groups=[f"seed {seed}" for seed in seeds],
                series={"cycles": values},
                unit="cycles",
            )
        )
    if len(jobs) > 1:
        parts.append(
            Bars(
                title="Run time of each job",
                caption="From its start to its end.",
                groups=[name for name, *_ in jobs],
                series={"cycles": [cycles for *_, cycles in jobs]},
                unit="cycles",
            )
        )
    if windows := runs[0].get("windows"):
        parts.append(_windows(path, windows))
    parts.append(DataTable("Jobs", ["job", "tasks", "start (cycle)", "end (cycle)", "cycles"], jobs))
    rows = [[name, number_in(path, found, key)] for key, name in _SHOWN]
    for what in ("packet_delay", "message_delay"):
        rows += [
            [f"{what.replace('_', ' ')}, {key} (cycles)", number_in(path, found, what, key)]
            for key in ("mean", "p50", "p95", "p99", "most")
        ]
    parts.append(DataTable("Figures", ["figure", "value"], rows))
    left_out = {"jobs", "runs", "windows", "packet_delay", "message_delay", "spread", "versions"}
    asked = asked_of({name: value for name, value in found.items() if name not in left_out})
    title = f"Run: {', '.join(dict.fromkeys(str(job[0]) for job in jobs))} on {found['network']}"
    return Page(title, _verdict(path, found, jobs), [*asked, *versions_of(found.get("versions"))], parts)


def _jobs(path: Path, found: dict[str, Any]) -> list[list[Any]]:
    jobs = found["jobs"]
    if not isinstance(jobs, list) or not jobs or not all(isinstance(job, dict) for job in jobs):
        raise ValueError(f"{path}: jobs: {shown(jobs)} found, expected a list of jobs")
    several = len(jobs) > 1
    return [
        [
            f"{place}: {job.get('name')}" if several else str(job.get("name")),
            *(number_in(path, job, key) for key in ("tasks", "start", "end", "cycles")),
        ]
        for place, job in enumerate(jobs)
    ]


def _verdict(path: Path, found: dict[str, Any], jobs: list[list[Any]]) -> list[str]:
    cycles, seconds = number_in(path, found, "cycles"), number_in(path, found, "seconds")
    said = [
        f"{len(jobs)} job{'s' if len(jobs) > 1 else ''} took {cycles or 0:,.0f} cycles, "
        f"{(seconds or 0) * 1e3:,.4g} ms."
    ]
    low, high = (number_in(path, found, "spread", "cycles", key) for key in ("min", "max"))
    if cycles and low is not None and high is not None:
        said.append(
            f"Over {len(found['runs'])} seeds from {low:,.0f} to {high:,.0f}: chance alone moves it by "
            f"{100 * (high - low) / cycles:.1f} %."
        )
    if (load := number_in(path, found, "most_link_load")) is not None:
        said.append(f"The most loaded link carried {100 * load:.0f} % of what it can.")
    return said


def _windows(path: Path, windows: Any) -> Lines:
    if not isinstance(windows, list):
        raise ValueError(f"{path}: windows: {shown(windows)} found, expected a list")
    series = {
        name: [(number_in(path, row, "end") or 0.0, number_in(path, row, key) or 0.0) for row in windows]
        for key, name in (("mean_link_load", "mean of all links"), ("most_link_load", "most loaded link"))
    }
    return Lines(
        title="Load of links over time",
        caption="In each window, of what a link can carry.",
        series=series,
        x="cycle",
        y="phits a cycle",
    )
