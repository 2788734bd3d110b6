"""The schedules of a study: missing schedules are executed and stored one by one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from operator import methodcaller
from typing import Any, ClassVar, TypeVar

from netplace.report.studies.study import StudyContext
from netplace.runs.campaign import outcomes_of
from netplace.runs.outcome_store import PlanLike, StoredOutcomes
from netplace.runs.plan import Plan
from netplace.runs.schedule_figures import ScheduleFigures
from netplace.runs.schedules import outcome_of

__all__ = ["CachedCase", "cached_outcomes", "case_outcomes", "outcomes", "turnaround"]


class CachedCase:
    """A dataclass with all inputs of an outcome; its content hash is the key in the store.

    Increase `revision` when a case no longer has the same outcome; `study` is the name of the study.
    """

    study: ClassVar[str]
    revision: ClassVar[int] = 1

    def to_dict(self) -> dict[str, Any]:
        """Return the inputs of the outcome as a JSON-compatible dict, with the content hash of any log."""
        plain = asdict(self)  # type: ignore[call-overload]
        if isinstance(plain.get("log"), dict):
            plain["log"].pop("path")
        return {"study": self.study, "revision": self.revision, **plain}

    @property
    def key(self) -> str:
        """Content hash of the case."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()


AnyPlan = TypeVar("AnyPlan", bound=PlanLike)


def outcomes(plans: Sequence[Plan], context: StudyContext) -> list[ScheduleFigures]:
    """Return the outcome of each plan; missing plans are executed and stored one by one."""
    return [ScheduleFigures.from_dict(outcome) for outcome in _completed(plans, outcome_of, context)]


def case_outcomes(cases: Iterable[AnyPlan], context: StudyContext) -> list[tuple[AnyPlan, dict[str, Any]]]:
    """Return each case with its outcome; missing outcomes are made and stored one by one.

    Cases are dataclasses such as `CachedCase`, with a method ``run``.
    """
    every = list(cases)
    kept = cached_outcomes({case.key: case for case in every}, methodcaller("run"), context)
    return [(case, kept[case.key]) for case in every]


def cached_outcomes(
    wanted: Mapping[str, Any], make: Callable[[Any], dict[str, Any]], context: StudyContext
) -> dict[str, dict[str, Any]]:
    """Return the outcome of each case by its key; missing outcomes are made and stored one by one.

    `make` returns the outcome of a case as a JSON-compatible dict, and must be picklable; the ``to_dict`` of
    a case returns its description.
    """
    plans = [_CasePlan(key, case) for key, case in wanted.items()]
    return dict(zip(wanted, _completed(plans, partial(_made, make), context), strict=True))


def turnaround(figures: ScheduleFigures) -> float:
    """Return the mean turnaround of all jobs of a schedule, in seconds."""
    return figures.metrics.per_job["turnaround"].mean


def _completed(
    plans: Sequence[AnyPlan], function: Callable[[AnyPlan], dict[str, Any]], context: StudyContext
) -> list[dict[str, Any]]:
    """Return the stored outcome of each plan; missing ones are executed."""
    kept = StoredOutcomes(context.store, "schedules")
    if not context.simulate and (left := kept.missing(plans)):
        raise ValueError(
            f"{context.store.path}: {len(left)} schedules of the study are not stored; without --stored they "
            "are made"
        )
    return outcomes_of(plans, function, kept, context.resources, context.tell)


@dataclass(frozen=True)
class _CasePlan:
    """A case as a plan, with its key."""

    key: str
    case: Any

    def to_dict(self) -> dict[str, Any]:
        plain: dict[str, Any] = self.case.to_dict()
        return plain


def _made(make: Callable[[Any], dict[str, Any]], plan: _CasePlan) -> dict[str, Any]:
    return make(plan.case)
