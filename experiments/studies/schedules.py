"""Schedules of a study: what is missing in its store is carried out, each kept as it ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from experiments.pool import run_each
from experiments.studies.study import Bench
from runs.campaign import Progress
from runs.plan import Plan
from runs.schedules import carry_out

__all__ = ["outcomes", "turnaround"]


def outcomes(plans: Sequence[Plan], bench: Bench) -> list[dict[str, Any]]:
    """Return what came of each plan, as `runs.schedules` stores it.

    Raises
    ------
    ValueError
        If plans are missing and are not to be carried out, or cannot be.
    """
    store = bench.store
    missing = {plan.key: plan for plan in plans if store.schedule(plan.key) is None}
    if missing and not bench.simulate:
        raise ValueError(
            f"{store.path}: {len(missing)} schedules of the study are not there; "
            "without --stored they are made"
        )
    left = list(missing.values())
    progress = Progress(len(left))
    # Told of only once something has ended: processes are best begun while there is a single thread.
    for place, outcome in run_each(_outcome, left, bench.workers):
        store.keep_schedule(left[place].key, left[place].to_dict(), outcome)
        bench.tell(progress := progress.after(None))
    return [store.schedule(plan.key) or {} for plan in plans]


def turnaround(outcome: dict[str, Any]) -> float:
    """Return the mean turnaround in seconds of all jobs of a schedule."""
    return float(outcome["metrics"]["per_job"]["turnaround"]["mean"])


def _outcome(plan: Plan) -> dict[str, Any]:
    return carry_out(plan).outcome
