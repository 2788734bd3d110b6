"""Schedules of a study: what is missing in its store is carried out, each kept as it ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from netplace.runs.campaign import Progress
from netplace.runs.crew import run_each
from netplace.runs.plan import Plan
from netplace.runs.schedules import carry_out
from netplace.studies.study import Bench

__all__ = ["kept_outcomes", "outcomes", "turnaround"]

Case = TypeVar("Case")


def outcomes(plans: Sequence[Plan], bench: Bench) -> list[dict[str, Any]]:
    """Return what came of each plan, as `netplace.runs.schedules` stores it.

    Raises
    ------
    ValueError
        As `kept_outcomes`.
    """
    found = kept_outcomes({plan.key: plan for plan in plans}, _outcome, Plan.to_dict, bench)
    return [found[plan.key] for plan in plans]


def kept_outcomes(
    wanted: Mapping[str, Case],
    make: Callable[[Case], dict[str, Any]],
    describe: Callable[[Case], dict[str, Any]],
    bench: Bench,
) -> dict[str, dict[str, Any]]:
    """Return the outcome of each case by its key; those that the store lacks are made, each kept as it ends.

    Parameters
    ----------
    wanted : mapping of str to object
        Cases by the keys under which their outcomes are kept.
    make, describe : callable
        Returns the outcome of a case, and what it is, as JSON can hold them. `make` is picklable.
    bench : Bench
        Where the study is carried out.

    Raises
    ------
    ValueError
        If outcomes are missing and are not to be made, or cannot be.
    """
    store = bench.store
    found = {key: store.schedule(key) for key in wanted}
    left = [key for key, outcome in found.items() if outcome is None]
    if left and not bench.simulate:
        raise ValueError(
            f"{store.path}: {len(left)} schedules of the study are not there; without --stored they are made"
        )
    progress = Progress(len(left))
    # Told of only once something has ended: processes are best begun while there is a single thread.
    for place, outcome in run_each(make, [wanted[key] for key in left], bench.workers):
        store.keep_schedule(left[place], describe(wanted[left[place]]), outcome)
        bench.tell(progress := progress.after(None))
    return {key: outcome or store.schedule(key) or {} for key, outcome in found.items()}


def turnaround(outcome: dict[str, Any]) -> float:
    """Return the mean turnaround in seconds of all jobs of a schedule."""
    return float(outcome["metrics"]["per_job"]["turnaround"]["mean"])


def _outcome(plan: Plan) -> dict[str, Any]:
    return carry_out(plan).outcome
