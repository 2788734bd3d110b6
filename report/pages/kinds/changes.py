"""The page of a co-simulation made again with a change, as ``netplace whatif --json`` prints it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from netplace.checks.plain import from_plain
from netplace.cosim.explanation import WhatIf
from netplace.report.pages.html import Page, Part
from netplace.report.pages.kinds.saved import holds, saved_object
from netplace.report.plots.charts import bar_figure
from netplace.report.tables.data_table import record_table

_MICRO = 1e6
_MOST = 40  # bars


def recognises(path: Path) -> bool:
    if not holds(path, "changes", ("jobs",)):
        return False
    jobs = saved_object(path)["jobs"]
    return isinstance(jobs, list) and bool(jobs) and isinstance(jobs[0], dict) and "what_if" in jobs[0]


def page(results: dict[str, Any]) -> Page:
    jobs = [from_plain(WhatIf, job) for job in results["jobs"]]
    known = [(job, 100 * (job.change - 1)) for job in jobs if job.change is not None]
    parts: list[Part] = [
        bar_figure(
            "Change of each job's time",
            [f"{job.job} {job.application}" for job, _ in known[:_MOST]],
            {"change": [change for _, change in known[:_MOST]]},
            unit="%",
            caption="Time with the change, relative to the time without it; a negative change is faster.",
        ),
        record_table("Jobs", WhatIf, jobs),
    ]
    changed = [pair for pair in known if pair[1]]
    said = [f"{len(changed)} of {len(jobs)} jobs have a different run time."]
    if changed:
        most, change = max(changed, key=lambda pair: abs(pair[1]))
        said.append(
            f"Job {most.job} ({most.application}) changes most: {_MICRO * most.what_if:,.4g} µs instead of "
            f"{_MICRO * most.live:,.4g} µs, {change:+.1f} %."
        )
    if late := sum(bool(job.late) for job in jobs):
        said.append(f"{late} jobs start later, because their nodes are occupied longer, and meet other jobs.")
    return Page("Effects on the jobs", said, [], parts)
