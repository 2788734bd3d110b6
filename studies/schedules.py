"""Schedules of a study: what is missing in its store is carried out, each kept as it ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from netplace.runs.campaign import outcomes_of
from netplace.runs.kept import KeptOutcomes
from netplace.runs.plan import Plan
from netplace.runs.schedules import outcome_of
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
    kept = kept_outcomes({plan.key: plan for plan in plans}, outcome_of, Plan.to_dict, bench)
    return [kept[plan.key] for plan in plans]


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
    plans = {key: _CasePlan(key, describe(case), case) for key, case in wanted.items()}
    kept = KeptOutcomes(bench.store, "schedules")
    if not bench.simulate and (left := kept.missing(plans.values())):
        raise ValueError(
            f"{bench.store.path}: {len(left)} schedules of the study are not there; without --stored they "
            "are made"
        )
    ended = outcomes_of(list(plans.values()), partial(_made, make), kept, bench.resources, bench.tell)
    return dict(zip(plans, ended, strict=True))


def turnaround(outcome: dict[str, Any]) -> float:
    """Return the mean turnaround in seconds of all jobs of a schedule."""
    return float(outcome["metrics"]["per_job"]["turnaround"]["mean"])


@dataclass(frozen=True)
class _CasePlan:
    """A case as a plan."""

    key: str
    plain: dict[str, Any]
    case: Any

    def to_dict(self) -> dict[str, Any]:
        return self.plain


def _made(make: Callable[[Any], dict[str, Any]], plan: _CasePlan) -> dict[str, Any]:
    return make(plan.case)
