"""The schedules of a study: missing schedules are executed and stored one by one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from operator import methodcaller
from typing import Any, ClassVar

from netplace.report.studies.study import StudyContext
from netplace.runs.campaign import outcomes_of
from netplace.runs.outcome_store import AnyPlan, StoredOutcomes
from netplace.runs.plan import Plan
from netplace.runs.schedule_figures import ScheduleFigures
from netplace.runs.schedules import outcome_of


class CachedCase:
    """A dataclass with all inputs of an outcome, and a method ``run`` that makes it; a plan.

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


def outcomes(plans: Sequence[Plan], context: StudyContext) -> list[ScheduleFigures]:
    """Return the outcome of each plan; missing plans are executed and stored one by one."""
    return [ScheduleFigures.from_dict(outcome) for _, outcome in case_outcomes(plans, context, outcome_of)]


def case_outcomes(
    cases: Iterable[AnyPlan],
    context: StudyContext,
    make: Callable[[AnyPlan], dict[str, Any]] = methodcaller("run"),
) -> list[tuple[AnyPlan, dict[str, Any]]]:
    """Return each case with its outcome; missing outcomes are made and stored one by one.

    `make` returns the outcome of a case as a JSON-compatible dict, and must be picklable.
    """
    plans, kept = list(cases), StoredOutcomes(context.store, "schedules")
    if not context.simulate and (left := kept.missing(plans)):
        raise ValueError(
            f"{context.store.path}: {len(left)} schedules of the study are not stored; without --stored they "
            "are made"
        )
    made = outcomes_of(plans, make, kept, context.resources, context.tell)
    return list(zip(plans, made, strict=True))


def turnaround(figures: ScheduleFigures) -> float:
    """Return the mean turnaround of all jobs of a schedule, in seconds."""
    return figures.metrics.per_job["turnaround"].mean
