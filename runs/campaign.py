"""Executing many plans: what is kept is skipped, what ends is kept, until nothing is missing."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from netplace.runs.claims import Claims
from netplace.runs.execute import Ended
from netplace.runs.executors import TRIES, Executor, WorkerFailure
from netplace.runs.outcome_store import (
    InMemory,
    OutcomeStore,
    PlanLike,
    PlanStatus,
    StoredOutcomes,
    StoredRuns,
)
from netplace.runs.resources import Resources
from netplace.runs.spec import Run
from netplace.runs.store import Store

__all__ = ["Progress", "complete", "complete_all", "missing", "outcomes_of"]

AnyPlan = TypeVar("AnyPlan", bound=PlanLike)
Outcome = TypeVar("Outcome")

_ONE_PROCESS = Resources()
_PAUSE = 0.2  # seconds between looks at what other processes are at


@dataclass(frozen=True)
class Progress:
    """How far a campaign is.

    Attributes
    ----------
    total : int
        Plans that were missing when it began.
    done, failed : int
        How many of them have ended, and how many of these failed.
    cpu_seconds : float
        CPU time that simulating runs took.
    lost : int
        How many the machine could not execute, tried again and again; nothing is kept of them.
    reason : str or None
        Why not the last of these.
    """

    total: int
    done: int = 0
    failed: int = 0
    cpu_seconds: float = 0.0
    lost: int = 0
    reason: str | None = None

    def after(self, status: PlanStatus | None) -> Progress:
        """Return the progress after one more; None: another process carried it out."""
        if status is None:
            return replace(self, done=self.done + 1)
        if status.lost is not None:
            return replace(self, done=self.done + 1, lost=self.lost + 1, reason=status.lost)
        return replace(
            self,
            done=self.done + 1,
            failed=self.failed + status.failed,
            cpu_seconds=self.cpu_seconds + status.cpu_seconds,
        )


def missing(runs: Iterable[Run], store: Store) -> list[Run]:
    """Return the simulations that `runs` need and `store` lacks, each once, those of one program together."""
    return StoredRuns(store).missing(runs)


def complete(
    runs: Iterable[Run],
    store: Store,
    executor: Executor[Run, Ended],
    tell: Callable[[Progress], None] = lambda _: None,
) -> Progress:
    """Simulate the runs that are missing in `store`, and save each result at once."""
    wanted = list(runs)
    store.ask(wanted)
    return complete_all(wanted, StoredRuns(store), executor, tell)


def outcomes_of(
    plans: Sequence[AnyPlan],
    function: Callable[[AnyPlan], Any],
    kept: StoredOutcomes | InMemory,
    resources: Resources = _ONE_PROCESS,
    tell: Callable[[Progress], None] = lambda _: None,
) -> list[Any]:
    """Return the outcome of each plan; what is missing is executed, each kept as it ends.

    Parameters
    ----------
    plans : sequence
        What is requested.
    function : callable
        Returns the outcome of a plan as data for JSON; picklable, if others execute plans.
    kept : KeptOutcomes or InMemory
        Where outcomes are kept.
    resources : Resources
        Who executes plans.
    tell : callable
        Function that is called with the `Progress` at the beginning and after each plan.
    """
    if kept.missing(plans):
        progress = complete_all(plans, kept, resources.executor(function, WorkerFailure), tell)
        if progress.lost:
            raise ValueError(f"{progress.reason} ({TRIES} times)")
    return kept.outcomes(plans)


def complete_all(
    plans: Sequence[AnyPlan],
    kept: OutcomeStore[AnyPlan, Outcome],
    executor: Executor[AnyPlan, Outcome],
    tell: Callable[[Progress], None] = lambda _: None,
) -> Progress:
    """Execute what is missing of `plans`, and keep every outcome as it comes.

    What the machine did (a worker was killed, there was no memory) is tried again, and never kept: `lost` of
    what is returned counts the plans that could not be executed, which are missing as before.

    Another process may do the same with the same store at the same time: they share the work.

    Parameters
    ----------
    plans : sequence
        What is wanted.
    kept : OutcomeStore
        Where outcomes are kept.
    executor : Executor
        Who executes plans.
    tell : callable
        Function that is called with the `Progress` at the beginning and after each plan.
    """
    left = deque(kept.missing(plans))
    progress, tries = Progress(len(left)), Counter[str]()
    if not left:
        return progress
    with Claims(kept.path) as claims, executor:
        tell(progress)  # only now: workers are best begun while there is a single thread
        while left or executor.busy:
            for _ in range(len(left)):
                if not executor.has_room():
                    break
                plan = left.popleft()
                if not claims.take(plan.key):
                    left.append(plan)  # in another process's hands: look again later
                elif kept.has(plan):
                    claims.leave(plan.key)
                    tell(progress := progress.after(None))
                else:
                    executor.give(plan)
            if not executor.busy:
                time.sleep(_PAUSE if left else 0)
                continue
            for plan, outcome in executor.collect():
                status = kept.status(outcome)
                if status.lost is None:
                    kept.keep(plan, outcome)
                claims.leave(plan.key)
                if status.lost is not None:
                    tries[plan.key] += 1
                    if tries[plan.key] < TRIES:
                        left.append(plan)
                        continue
                tell(progress := progress.after(status))
    return progress
