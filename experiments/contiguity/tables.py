"""What the study reports."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from netplace.experiments.contiguity.cases import Cell
from netplace.studies.report import Report, ReportTable

__all__ = ["figures_of", "report_of"]

Made = tuple[str, str, Cell, dict[str, Any]]


def figures_of(made: list[Made]) -> pd.DataFrame:
    """Return a row a run: means over its jobs, times in seconds, and node-seconds over those of the log."""
    rows = []
    for part, name, cell, outcome in made:
        jobs = {key: np.array(values, float) for key, values in outcome["jobs"].items()}
        run, size = jobs["run"], jobs["size"]
        live = jobs.get("live", run)
        rows.append(
            {
                "machine": part,
                "log": cell.log.name,
                "week": cell.week,
                "communication": cell.communication,
                "policy": cell.policy,
                "contestant": name,
                "times": cell.kind,
                "jobs": len(run),
                "rejected": outcome["rejected"],
                "wait": jobs["wait"].mean(),
                "turnaround": (jobs["wait"] + run).mean(),
                "run": run.mean(),
                "node_seconds": (size * run).sum(),
                "alone": (size * jobs.get("alone", run)).sum(),
                "slowdown": (live / jobs.get("alone", run)).mean(),
                "waste": jobs["held"].sum() / size.sum() - 1,
                "span": outcome["span"],
                "cpu": outcome["cpu"],
            }
        )
    return pd.DataFrame(rows)


def report_of(made: list[Made]) -> Report:
    """Return the report of all runs."""
    frame = figures_of(made)
    return Report((ReportTable("runs", "runs", frame, {}),), ())
