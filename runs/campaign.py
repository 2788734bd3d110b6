"""Execution of many plans: plans with stored outcomes are skipped, and new outcomes are stored."""

from __future__ import annotations

import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from netplace.files import NO_LINK
from netplace.runs.execute import Ended
from netplace.runs.executors import TRIES, Executor, WorkerFailure
from netplace.runs.outcome_store import InMemory, PlanLike, PlanStatus, StoredRuns
from netplace.runs.resources import Resources
from netplace.runs.spec import Run
from netplace.runs.store import Store

try:
    import fcntl

    LOCKS = True
except ImportError:  # pragma: no cover
    LOCKS = False


class Claims:
    """Claims of this process on the store at `path`; without a store, every claim is granted."""

    def __init__(self, path: Path | None) -> None:
        self._file = -1
        if path is not None:
            self._path = path.with_name(path.name + "-claims")
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | NO_LINK, 0o666)

    def __enter__(self) -> Claims:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file < 0:
            return
        if LOCKS:
            # Whoever leaves last removes the file. One that has just opened it goes on with a file without a
            # name; at worst it simulates what a third one simulates too.
            with suppress(OSError):
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._path.unlink()
        os.close(self._file)

    def take(self, key: str) -> bool:
        """Claim the simulation `key`, and return whether no other process holds it."""
        if not LOCKS or self._file < 0:
            return True
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _place(key))
        except OSError:
            return False
        return True

    def leave(self, key: str) -> None:
        if LOCKS and self._file >= 0:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _place(key))


def _place(key: str) -> int:
    """Return the byte that stands for a key: 60 bits of it, so that no two keys are likely to share one."""
    return int(key[:15], 16)


__all__ = ["Progress", "complete", "complete_all", "missing", "outcomes_of"]

AnyPlan = TypeVar("AnyPlan", bound=PlanLike)

_ONE_PROCESS = Resources()
_PAUSE = 0.2  # seconds between looks at what other processes are at


@dataclass(frozen=True)
class Progress:
    """The progress of a campaign."""

    total: int  # plans that were missing at the beginning
    done: int = 0  # plans that have ended
    failed: int = 0
    cpu_seconds: float = 0.0  # CPU time of the simulations
    lost: int = 0  # plans that the machine could not execute despite retries; they are not stored
    reason: str | None = None  # reason for the last of these

    def after(self, status: PlanStatus | None) -> Progress:
        """Return the progress after one more plan; None means that another process executed it."""
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
    """Return the simulations of `runs` that `store` lacks, each once, grouped by program."""
    return StoredRuns(store).missing(runs)


def complete(
    runs: Iterable[Run],
    store: Store,
    executor: Executor[Run, Ended],
    tell: Callable[[Progress], None] = lambda _: None,
) -> Progress:
    """Simulate the runs that `store` lacks, and store each result immediately."""
    wanted = list(runs)
    store.ask(wanted)
    return complete_all(wanted, StoredRuns(store), executor, tell)


def outcomes_of(
    plans: Sequence[AnyPlan],
    function: Callable[[AnyPlan], Any],
    kept: InMemory,
    resources: Resources = _ONE_PROCESS,
    tell: Callable[[Progress], None] = lambda _: None,
) -> list[Any]:
    """Return the outcome of each plan; missing plans are executed and stored one by one.

    `function` returns the outcome of a plan in JSON-compatible form; if other processes execute plans, it
    must be picklable. `tell` is called with the `Progress` at the beginning and after each plan.
    """
    if kept.missing(plans):
        progress = complete_all(plans, kept, resources.executor(function, WorkerFailure), tell)
        if progress.lost:
            raise ValueError(f"{progress.reason} ({TRIES} times)")
    return kept.outcomes(plans)


def complete_all(
    plans: Sequence[Any],
    kept: StoredRuns | InMemory,
    executor: Executor[Any, Any],
    tell: Callable[[Progress], None] = lambda _: None,
) -> Progress:
    """Execute those of `plans` whose outcomes are missing, and store each outcome immediately.

    Failures of the computer (a killed worker, or lack of memory) are retried and never stored; `lost` in the
    result is the number of plans that could not be executed and are still missing. Several processes can
    share the work by using the same store at the same time. `tell` is called with the `Progress` at the
    beginning and after each plan.
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
            ended = [(plan, outcome, kept.status(outcome)) for plan, outcome in executor.collect()]
            kept.keep([(plan, outcome) for plan, outcome, status in ended if status.lost is None])
            for plan, _, status in ended:
                claims.leave(plan.key)
                if status.lost is not None:
                    tries[plan.key] += 1
                    if tries[plan.key] < TRIES:
                        left.append(plan)
                        continue
                tell(progress := progress.after(status))
    return progress
