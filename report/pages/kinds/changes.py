"""The page of a co-simulation made again with a change, as ``netplace whatif --json`` prints it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from netplace.checks.plain import from_plain
from netplace.cosim.explanation import WhatIf
from netplace.report.pages.html import DataTable, Page, Part
from netplace.report.pages.kinds.saved import holds, saved_object
from netplace.report.plots.charts import bar_figure

_MICRO = 1e6
_MOST = 40  # bars
_COLUMNS = [
    "job",
    "application",
    "nodes",
    "alone (µs)",
    "live (µs)",
    "what if (µs)",
    "change (%)",
    "begins later (µs)",
]


def recognises(path: Path) -> bool:
    if not holds(path, "changes", ("jobs",)):
        return False
    jobs = saved_object(path)["jobs"]
    return isinstance(jobs, list) and bool(jobs) and isinstance(jobs[0], dict) and "what_if" in jobs[0]


def page(results: dict[str, Any]) -> Page:
    jobs = [from_plain(WhatIf, job) for job in results["jobs"]]
    rows: list[list[Any]] = [
        [
            job.job,
            job.application,
            job.size,
            *map(_micro, (job.alone, job.live, job.what_if)),
            None if job.change is None else 100 * (job.change - 1),
            _micro(job.late),
        ]
        for job in jobs
    ]
    known = [row for row in rows if row[6] is not None]
    parts: list[Part] = [
        bar_figure(
            "Change of each job's time",
            [f"{row[0]} {row[1]}" for row in known[:_MOST]],
            {"change": [row[6] for row in known[:_MOST]]},
            unit="%",
            caption="Time with the change, relative to the time without it; a negative change is faster.",
        ),
        DataTable("Jobs", _COLUMNS, rows),
    ]
    changed = [row for row in known if row[6]]
    said = [f"{len(changed)} of {len(rows)} jobs have a different run time."]
    if changed:
        most = max(changed, key=lambda row: abs(row[6]))
        said.append(
            f"Job {most[0]} ({most[1]}) changes most: {most[5]:,.4g} µs instead of {most[4]:,.4g} µs, "
            f"{most[6]:+.1f} %."
        )
    if late := sum(bool(job.late) for job in jobs):
        said.append(f"{late} jobs start later and meet other jobs.")
    return Page("Effects on the jobs", said, [], parts)


def _micro(seconds: float | None) -> float | None:
    return None if seconds is None else _MICRO * seconds
