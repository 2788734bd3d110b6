"""Co-simulations: slowdowns and times of the same jobs in both, and figures of the whole."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from netplace.checks.quantities import LESS, quantities
from netplace.cosim.cosim_figures import Sharing
from netplace.cosim.job_row import JobRow
from netplace.cosim.serialization import read_plan
from netplace.report.comparison.kinds.figures import Figures, figure_results
from netplace.report.comparison.kinds.schedule import METRICS, stream_of
from netplace.report.comparison.outcome import Entry, Outcome, Result, Sample
from netplace.report.pages.kinds.saved import asked_of, versions_of

# Waits of jobs hang together, by the queue that they share: of one co-simulation their mean is a single draw.
_FIGURES: Figures = {
    ("schedule", "per_job", "wait", "mean"): ("mean wait (s)", LESS),
    **{("schedule", *keys): said for keys, said in METRICS.items()},
    **{
        ("sharing", name): (said.heading, said.better)
        for name, said in quantities(Sharing).items()
        if said.better
    },
}


def outcome(path: Path) -> Outcome:
    plan, saved = read_plan(path)
    versions = " ".join(text for _, text in versions_of(saved["versions"]))
    return Outcome("co-simulation", str(path), [cosim_entry(path, plan.to_dict(), saved)], versions)


def cosim_entry(path: Path, plan: Mapping[str, Any], ended: Mapping[str, Any]) -> Entry:
    """Return the entry of a plan and what came of it: of jobs, one value each, paired by their numbers."""
    results = []
    stream = stream_of(plan["jobs"])
    for name, said in quantities(JobRow).items():
        values = {f"{stream}{job['job']}": job[name] for job in ended["jobs"] if job.get(name) is not None}
        if said.better and values:
            results.append(Result(said.heading, Sample.of(values, "jobs"), said.better))
    results += figure_results(path, {"": ended["figures"]}, _FIGURES, "seeds")
    return Entry(dict(asked_of(plan)), results)
