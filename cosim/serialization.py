"""A co-simulation read from the folder that it was written to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from netplace.cosim.plan import CosimPlan
from netplace.json_files import read_results, results_text
from netplace.plugins import file_digest
from netplace.runs.mix import digest_of_mix
from netplace.runs.plan import check_unchanged

FILE = "cosim.json"

Outcome = dict[str, Any]


def text_of(plan: CosimPlan, outcome: Outcome) -> str:
    return results_text("co-simulation", {"plan": plan.to_dict(), **outcome})


def read_plan(folder: Path) -> tuple[CosimPlan, Outcome]:
    """Return the plan and the outcome in a folder for display; no other file is read."""
    path = folder / FILE
    if not path.is_file():
        raise ValueError(f"{path}: does not exist, expected a folder written by netplace cosim -o")
    outcome = read_results(path, "co-simulation")
    try:
        return CosimPlan.from_dict(outcome.pop("plan", {})), outcome
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def read_cosimulation(folder: Path) -> tuple[CosimPlan, Outcome]:
    """Return a co-simulation that can be repeated; the files and rules that it used must be unchanged."""
    plan, outcome = read_plan(folder)
    try:
        check_unchanged(plan.jobs)
        used = dict(plan.jobs.digests)
        if "workload" in used and file_digest(Path(plan.jobs.workload)) != used["workload"]:
            raise ValueError(f"{plan.jobs.workload}: has changed since")
        if plan.applications and digest_of_mix(plan.applications) != plan.mix_digest:
            raise ValueError(f"{plan.applications}: has changed since")
        if plan.table_digest and file_digest(Path(plan.collectives.partition("+")[0])) != plan.table_digest:
            raise ValueError(f"{plan.collectives}: has changed since")
    except ValueError as error:
        raise ValueError(f"{folder / FILE}: cannot be repeated: {error}") from None
    return plan, outcome
