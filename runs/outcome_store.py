"""Stores of outcomes by the keys of their plans, which `complete_all` uses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from netplace.runs.chance import simulation_of
from netplace.runs.execute import Ended
from netplace.runs.executors import WorkerFailure
from netplace.runs.spec import Job, Run
from netplace.runs.store import Store


class PlanLike(Protocol):
    """A frozen request; two plans with one key have one outcome."""

    @property
    def key(self) -> str:
        """Content hash, in hexadecimal."""

    def to_dict(self) -> dict[str, Any]:
        """Return its request as data for JSON."""


AnyPlan = TypeVar("AnyPlan", bound=PlanLike)


@dataclass(frozen=True)
class PlanStatus:
    """The status of an ended plan."""

    failed: bool = False  # whether the stored outcome is a failure
    cpu_seconds: float = 0.0  # CPU time of its execution
    lost: str | None = None  # why the machine could not carry it out; nothing is kept then


class StoredRuns:
    """Simulations in a store; runs of all seeds share one if there is no randomness."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def path(self) -> Path | None:
        return self._store.path

    def missing(self, runs: Iterable[Run]) -> list[Run]:
        """Return the simulations that `runs` need and the store lacks, those of one program together."""
        known = self._store.simulated()
        wanted = {run.key: run for run in map(simulation_of, runs)}
        groups: dict[object, list[Run]] = {}
        programs: dict[tuple[Job, ...], object] = {}  # the seeds of a run have one
        for key, run in wanted.items():
            if key not in known:
                if run.jobs not in programs:
                    programs[run.jobs] = tuple(replace(job, mapping="", start=0) for job in run.jobs)
                groups.setdefault(programs[run.jobs], []).append(run)
        return [run for group in groups.values() for run in group]

    def has(self, plan: Run) -> bool:
        return self._store.has(plan.key)

    def keep(self, ended: Sequence[tuple[Run, Ended]]) -> None:
        self._store.keep_all((plan.key, outcome) for plan, outcome in ended)

    def status(self, outcome: Ended) -> PlanStatus:
        if outcome.by_machine:
            return PlanStatus(lost=outcome.failure)
        return PlanStatus(outcome.failure is not None, outcome.cpu_seconds)


class InMemory:
    """Outcomes of plans for the lifetime of this process."""

    path: Path | None = None  # the file; None if the outcomes are private to this process

    def __init__(self) -> None:
        self._outcomes: dict[str, Any] = {}

    def missing(self, plans: Iterable[AnyPlan]) -> list[AnyPlan]:
        """Return the plans to execute so that none of `plans` lacks its outcome, each once."""
        wanted = {plan.key: plan for plan in plans}
        return [plan for plan in wanted.values() if not self.has(plan)]

    def has(self, plan: PlanLike) -> bool:
        return plan.key in self._outcomes

    def keep(self, ended: Sequence[tuple[PlanLike, Any]]) -> None:
        """Keep outcomes that are not lost; those that are there already stay."""
        self._outcomes |= {plan.key: outcome for plan, outcome in ended}

    def status(self, outcome: Any) -> PlanStatus:
        """Return how a plan with such an outcome ended."""
        return PlanStatus(lost=outcome.reason) if isinstance(outcome, WorkerFailure) else PlanStatus()

    def outcomes(self, plans: Sequence[PlanLike]) -> list[Any]:
        return [self._outcomes[plan.key] for plan in plans]


class StoredOutcomes(InMemory):
    """Outcomes of plans in one table of a store."""

    def __init__(self, store: Store, table: str) -> None:
        self.path = store.path
        self._store = store
        self._table = table

    def has(self, plan: PlanLike) -> bool:
        return self._store.outcome(self._table, plan.key) is not None

    def keep(self, ended: Sequence[tuple[PlanLike, Any]]) -> None:
        for plan, outcome in ended:
            self._store.keep_outcome(self._table, plan.key, plan.to_dict(), outcome)

    def outcomes(self, plans: Sequence[PlanLike]) -> list[Any]:
        kept = [self._store.outcome(self._table, plan.key) for plan in plans]
        return [outcome for outcome in kept if outcome is not None]
